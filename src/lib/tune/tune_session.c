#include "tune/tune_session.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cache_dir.h"
#include "base/disk.h"
#include "base/file.h"
#include "base/hash.h"
#include "kernel/table.h"
#include "math/problem.h"
#include "plan/tuned.h"

enum { TITLE = 640, LINE = 320, MOST_BYTES = 1 << 24 };

struct vkmm_session {
    char *folder, *path; /* owned */
    char title[TITLE];   /* with its end */
    int begun;           /* the file exists and ends with a whole line */
    vkmm_remembered *known;
    uint32_t count;
};

static void describe(const vkmm_device_info *device, const vkmm_problem *problem, char title[TITLE])
{
    int swapped;
    char hash[17];
    const vkmm_problem p = vkmm_problem_row_major(problem, &swapped);
    vkmm_modules_hash(hash);
    const vkmm_tuning_key key = vkmm_tuning_key_of(device, problem, hash);
    int used = snprintf(title, TITLE, "vkmatmul tune 3 %s %llu %llu %llu", key.text, (unsigned long long)p.m,
                        (unsigned long long)p.n, (unsigned long long)p.k);
    for (int operand = VKMM_A; operand <= VKMM_C; operand++)
        used += snprintf(title + used, (size_t)(TITLE - used), " %llu+%llu/%llu",
                         (unsigned long long)vkmm_operand_ld(&p, (vkmm_operand)operand),
                         (unsigned long long)vkmm_operand_offset(&p, (vkmm_operand)operand),
                         (unsigned long long)vkmm_operand_stride(&p, (vkmm_operand)operand));
    snprintf(title + used, (size_t)(TITLE - used), " %llu\n", (unsigned long long)vkmm_problem_batches(&p));
}

static void write_line(const vkmm_remembered *r, char line[LINE])
{
    unsigned long long ns = r->ms > 0 && r->ms < 1e12 ? (unsigned long long)(r->ms * 1e6 + 0.5) : 0;
    int used = snprintf(line, LINE, "%llu %s %s ", r->ms > 0 && ns == 0 ? 1 : ns, r->candidate.kernel,
                        r->candidate.config[0] ? r->candidate.config : "-");
    snprintf(line + used, (size_t)(LINE - used), "%016llx\n",
             (unsigned long long)vkmm_hash(VKMM_HASH_START, line, (size_t)used - 1));
}

/* The line must be the one that would be written for what was read. */
static int read_line(const char *text, size_t bytes, vkmm_remembered *r)
{
    char line[LINE], again[LINE];
    unsigned long long ns;
    if (bytes >= sizeof line) return 0;
    memcpy(line, text, bytes);
    line[bytes] = '\0';
    memset(r, 0, sizeof *r);
    if (sscanf(line, "%llu %31s %191s", &ns, r->candidate.kernel, r->candidate.config) != 3) return 0;
    if (strcmp(r->candidate.config, "-") == 0) r->candidate.config[0] = '\0';
    r->ms = (double)ns * 1e-6;
    write_line(r, again);
    return strlen(again) == bytes + 1 && memcmp(again, text, bytes) == 0;
}

static int remember(vkmm_session *s, const vkmm_remembered *r)
{
    vkmm_remembered *added = vkmm_list_add(&s->known, &s->count, 1, sizeof *added);
    if (added) *added = *r;
    return added != NULL;
}

/* Reads intact lines up to the first that is not. If two names collide, another problem's file is treated as one
 * without lines. */
static void parse(vkmm_session *s, const char *text, size_t bytes)
{
    const size_t title = strlen(s->title);
    const char *at = text + title, *end = text + bytes;
    if (bytes < title || memcmp(text, s->title, title) != 0) return;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        vkmm_remembered r;
        if (!stop || !read_line(at, (size_t)(stop - at), &r) || !remember(s, &r)) return;
        at = stop + 1;
    }
    s->begun = 1;
}

static void load(vkmm_session *s)
{
    vkmm_mapping mapping;
    if (vkmm_mapping_open(s->path, &mapping) != VKMM_OK) return;
    if (mapping.bytes > 0 && mapping.bytes <= MOST_BYTES) parse(s, mapping.data, (size_t)mapping.bytes);
    vkmm_mapping_close(&mapping);
}

vkmm_session *vkmm_session_open(const vkmm_instance *instance, const vkmm_device_info *device,
                                const vkmm_problem *problem)
{
    vkmm_session *s = instance->cache_dir ? vkmm_alloc(1, sizeof *s) : NULL;
    char name[40];
    if (!s) return NULL;
    describe(device, problem, s->title);
    VKMM_PUT(name, "tune-%016llx.partial", (unsigned long long)vkmm_hash(VKMM_HASH_START, s->title, strlen(s->title)));
    s->folder = vkmm_strdup(instance->cache_dir);
    s->path = vkmm_cache_dir_join(instance->cache_dir, name);
    if (s->folder && s->path)
        load(s);
    else
        vkmm_session_close(&s);
    return s;
}

void vkmm_session_close(vkmm_session **session)
{
    vkmm_session *s = *session;
    if (!s) return;
    vkmm_free(s->folder);
    vkmm_free(s->path);
    vkmm_free(s->known);
    vkmm_free(s);
    *session = NULL;
}

const vkmm_remembered *vkmm_session_at(const vkmm_session *s, uint32_t index)
{
    return s && index < s->count ? &s->known[index] : NULL;
}

/* Rewrites the file: the title and all remembered lines. Drops damaged lines. */
static int write_all(const vkmm_session *s)
{
    vkmm_output *output = NULL;
    char line[LINE];
    if (vkmm_cache_dir_make(NULL, s->folder) != VKMM_OK || vkmm_output_open_private(s->path, &output) != VKMM_OK)
        return 0;
    vkmm_status status = vkmm_output_write(output, s->title, strlen(s->title));
    for (uint32_t i = 0; i < s->count && status == VKMM_OK; i++) {
        write_line(&s->known[i], line);
        status = vkmm_output_write(output, line, strlen(line));
    }
    if (status == VKMM_OK) return vkmm_output_commit(&output) == VKMM_OK;
    vkmm_output_discard(&output);
    return 0;
}

void vkmm_session_add(vkmm_session *s, const vkmm_candidate *candidate, double ms)
{
    vkmm_remembered r = {*candidate, ms > 0 ? ms : 0};
    char line[LINE];
    if (!s || !remember(s, &r)) return;
    if (!s->begun) {
        s->begun = write_all(s);
        return;
    }
    write_line(&r, line);
    s->begun = vkmm_disk_append(s->path, line, strlen(line)) == 0;
}

void vkmm_session_remove(vkmm_session *s)
{
    if (!s) return;
    vkmm_disk_remove(s->path);
    s->count = 0;
    s->begun = 0;
}
