#include "base/leftovers.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/disk.h"

enum { PATH_BYTES = 4096 };

/* A slot's word is its turn, which counts how often it was taken, times STATES, and its state. What a caller holds
 * is the turn and the slot: once the slot is another's, the caller's word is no longer there, and nothing happens to
 * it. */
enum { SLOTS = 32, STATES = 4, TURNS = 1 << 24 };
enum { FREE, FILLED, LIVE, GOING };

typedef struct slot {
    atomic_uint word;
    pid_t owner;
    char path[PATH_BYTES];
} slot;

static slot slots[SLOTS];

static unsigned word_of(unsigned turn, unsigned state)
{
    return turn * STATES + state;
}

/* The handler may run when the working directory is another. 0: it does not fit. */
static int make_absolute(const char *path, char *absolute)
{
    size_t folder = 0, length = strlen(path);
    if (!vkmm_path_is_absolute(path)) {
        if (getcwd(absolute, PATH_BYTES) == NULL) return 0;
        folder = strlen(absolute);
        if (folder + 1 < PATH_BYTES) absolute[folder++] = '/';
    }
    if (length >= PATH_BYTES - folder) return 0;
    memcpy(absolute + folder, path, length + 1);
    return 1;
}

int vkmm_leftover_add(const char *path)
{
    for (int i = 0; i < SLOTS; i++) {
        slot *s = &slots[i];
        unsigned word = atomic_load(&s->word), turn = (word / STATES + 1) % TURNS;
        if (word % STATES != FREE || !atomic_compare_exchange_strong(&s->word, &word, word_of(turn, FILLED))) continue;
        int known = make_absolute(path, s->path);
        s->owner = getpid();
        atomic_store(&s->word, word_of(turn, known ? LIVE : FREE));
        return known ? (int)turn * SLOTS + i : -1;
    }
    return -1;
}

/* A slot that is GOING belongs to vkmm_leftovers_unlink, which frees it. */
void vkmm_leftover_remove(int leftover)
{
    if (leftover < 0) return;
    unsigned turn = (unsigned)leftover / SLOTS, live = word_of(turn, LIVE);
    atomic_compare_exchange_strong(&slots[leftover % SLOTS].word, &live, word_of(turn, FREE));
}

void vkmm_leftovers_unlink(void)
{
    const int error = errno;
    const pid_t self = getpid();
    for (int i = 0; i < SLOTS; i++) {
        slot *s = &slots[i];
        unsigned word = atomic_load(&s->word), turn = word / STATES;
        if (word % STATES != LIVE || !atomic_compare_exchange_strong(&s->word, &word, word_of(turn, GOING))) continue;
        if (s->owner == self) vkmm_disk_remove(s->path);
        atomic_store(&s->word, word_of(turn, FREE));
    }
    errno = error;
}
