#include "play.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "math/problem.h"
#include "verify_problem.h"

static unsigned wrong;

int expect(int right, const char *format, ...)
{
    va_list arguments;
    if (right) return 1;
    va_start(arguments, format);
    printf("not as it should be: ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    wrong++;
    return 0;
}

unsigned unexpected(void)
{
    return wrong;
}

static void hear(void *user, vkmm_log_level level, const char *sentence)
{
    play *p = user;
    if (level != VKMM_LOG_ERROR) return;
    p->errors++;
    snprintf(p->sentence, sizeof p->sentence, "%s", sentence);
}

vkmm_log play_log(play *p)
{
    return (vkmm_log){hear, p};
}

void play_on_device(play *p, int (*act)(play *p, vkmm_instance *instance, vkmm_device *device))
{
    const vkmm_instance_params params = {.log = play_log(p), .cache_dir = p->folder};
    vkmm_instance *instance = (vkmm_instance *)p; /* anything but NULL */
    vkmm_device *device = (vkmm_device *)p;
    p->status = vkmm_instance_create(&params, &instance);
    if (p->status != VKMM_OK) {
        p->leftover |= instance != NULL;
        return;
    }
    p->status = vkmm_device_create(instance, 0, &device);
    if (p->status != VKMM_OK)
        p->leftover |= device != NULL;
    else
        act(p, instance, device);
    vkmm_device_destroy(p->status != VKMM_OK && device == (vkmm_device *)p ? NULL : &device);
    vkmm_instance_destroy(&instance);
}

void fill_operand(const vkmm_problem *problem, vkmm_operand operand, vkmm_init init, uint64_t seed, void *memory)
{
    const uint64_t bytes = vkmm_operand_bytes(problem, operand);
    if (bytes == 0) return;
    memset(memory, 0xff, bytes); /* what lies between the matrices: NaN */
    if (operand == VKMM_BIAS) vkmm_fill(memory, 1, problem->n, vkmm_operand_type(problem, operand), init, seed + 3);
    for (uint64_t batch = 0; operand != VKMM_BIAS && batch < vkmm_problem_batches(problem); batch++) {
        const vkmm_view view = vkmm_operand_view(problem, operand, memory, batch);
        vkmm_fill_view(memory, &view, init, seed + (uint64_t)operand + 10 * batch);
    }
}

void make_operands(const vkmm_problem *problem, vkmm_init init, uint64_t seed, void *memory[PLAY_MEMORIES])
{
    const uint64_t c_bytes = vkmm_operand_bytes(problem, VKMM_C);
    for (int operand = VKMM_A; operand <= VKMM_BIAS; operand++) {
        memory[operand] = malloc(vkmm_operand_bytes(problem, (vkmm_operand)operand) + 1);
        fill_operand(problem, (vkmm_operand)operand, init, seed, memory[operand]);
    }
    memory[PLAY_BEFORE] = malloc(c_bytes + 1);
    memcpy(memory[PLAY_BEFORE], memory[VKMM_C], c_bytes);
}

void free_operands(void *memory[PLAY_MEMORIES])
{
    for (int i = 0; i < PLAY_MEMORIES; i++) free(memory[i]);
}

void judge_product(play *p, const vkmm_problem *problem, void *const memory[PLAY_MEMORIES])
{
    const vkmm_log log = play_log(p);
    cli_verdict verdict = {.passed = 0};
    p->status = vkmm_verify_problem(&log, problem, memory[VKMM_A], memory[VKMM_B], memory[VKMM_BIAS],
                                    memory[PLAY_BEFORE], memory[VKMM_C], CLI_NUMBERS_ANY, CLI_VERIFY_FULL, 1, &verdict);
    if (p->status != VKMM_OK || verdict.passed) return;
    p->wrong = 1;
    p->status = VKMM_WRONG_RESULT;
    snprintf(p->sentence, sizeof p->sentence, "%s", verdict.sentence);
}

/* In the place of libc's: no crash of the machine is played here, and the cache is written thousands of times. */
int fsync(int file)
{
    return 0;
}

static void remove_folder(const char *folder)
{
    char path[400];
    DIR *list = opendir(folder);
    for (const struct dirent *e; list && (e = readdir(list)) != NULL;) {
        snprintf(path, sizeof path, "%s/%.300s", folder, e->d_name);
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) unlink(path);
    }
    if (list) closedir(list);
    rmdir(folder);
}

void scenario_play(const scenario *s, play *p)
{
    *p = (play){0};
    if (s->on)
        play_on_device(p, s->on);
    else
        s->act(p);
    if (*p->folder) remove_folder(p->folder);
}

int make_folder(play *p)
{
    strcpy(p->folder, "/tmp/vkmm-fault-XXXXXX");
    if (mkdtemp(p->folder)) return 1;
    *p->folder = '\0';
    return expect(0, "no folder for the cache");
}

void expect_no_fault(const char *about)
{
    const unsigned faults = fake_end();
    for (unsigned i = 0; fake_fault(i); i++) expect(0, "%s: %s", about, fake_fault(i));
    expect(faults == 0, "%s: %u faults", about, faults);
}

void play_well(const scenario *s, const char *about)
{
    play p;
    fake_begin(&s->caps);
    scenario_play(s, &p);
    expect(p.status == VKMM_OK && p.errors == 0 && !p.wrong && p.forgotten == 0, "%s, undisturbed: %s: %s", about,
           vkmm_status_name(p.status), p.sentence);
    expect(p.tuned == s->tuned, "%s, undisturbed: %u tuned jobs, not %u", about, p.tuned, s->tuned);
    expect_no_fault(about);
}
