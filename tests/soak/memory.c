#include "memory.h"

#include <dirent.h>
#include <malloc.h>
#include <string.h>

#include "base/alloc.h"
#include "api/spares.h"

static uint64_t status_of(const char *text, const char *name)
{
    unsigned long long value = 0;
    const char *at = strstr(text, name);
    if (at != NULL) sscanf(at + strlen(name), "%llu", &value);
    return value;
}

static uint32_t count_lines(const char *path)
{
    uint32_t lines = 0;
    FILE *file = fopen(path, "r");
    for (int c = file != NULL ? getc(file) : EOF; c != EOF; c = getc(file)) lines += c == '\n';
    if (file != NULL) fclose(file);
    return lines;
}

static uint32_t count_files(void)
{
    uint32_t files = 0;
    DIR *folder = opendir("/proc/self/fd");
    for (const struct dirent *entry = folder ? readdir(folder) : NULL; entry != NULL; entry = readdir(folder))
        files += entry->d_name[0] != '.';
    if (folder != NULL) closedir(folder);
    return files > 0 ? files - 1 : 0; /* but for the one that reads the folder */
}

static void take(uint64_t done, sample *s)
{
    char text[8192] = "";
    FILE *file = fopen("/proc/self/status", "r");
    size_t length = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
    text[length] = '\0';
    if (file != NULL) fclose(file);
    const struct mallinfo2 heap = mallinfo2();
    *s = (sample){.done = done,
                  .rss = status_of(text, "VmRSS:"),
                  .peak = status_of(text, "VmHWM:"),
                  .heap = (heap.uordblks + heap.hblkhd) / 1024,
                  .files = count_files(),
                  .regions = count_lines("/proc/self/maps"),
                  .blocks = vkmm_alloc_live()};
}

void curve_note(curve *c, uint64_t done)
{
    if (c->count == SAMPLES || done < c->total * c->count / (SAMPLES - 1)) return;
    take(done, &c->samples[c->count++]);
}

void curve_print(const curve *c, FILE *out, int csv)
{
    if (csv)
        fprintf(out, "%s,rss_kib,peak_kib,heap_kib,files,regions,blocks\n", c->name);
    else
        fprintf(out, "%10s %10s %10s %10s %6s %8s %7s\n", c->name, "RSS KiB", "peak KiB", "heap KiB", "files",
                "regions", "blocks");
    for (uint32_t i = 0; i < c->count; i++) {
        const sample *s = &c->samples[i];
        fprintf(out, csv ? "%llu,%llu,%llu,%llu,%u,%u,%lld\n" : "%10llu %10llu %10llu %10llu %6u %8u %7lld\n",
                (unsigned long long)s->done, (unsigned long long)s->rss, (unsigned long long)s->peak,
                (unsigned long long)s->heap, s->files, s->regions, (long long)s->blocks);
    }
}

/* The first sample after the warm-up. */
static uint32_t warm(const curve *c)
{
    uint32_t i = 0;
    while (i + 1 < c->count && (c->samples[i].done == 0 || c->samples[i].done < c->total / 10)) i++;
    return i;
}

double curve_growth(const curve *c, int of_heap)
{
    const uint32_t first = warm(c), n = c->count - first;
    double x = 0, y = 0, xx = 0, xy = 0;
    for (uint32_t i = first; i < c->count; i++) {
        const double at = (double)c->samples[i].done,
                     value = (double)(of_heap ? c->samples[i].heap : c->samples[i].rss);
        x += at / n;
        y += value / n;
        xx += at * at / n;
        xy += at * value / n;
    }
    const double spread = xx - x * x;
    return spread > 0 ? (xy - x * y) / spread * (double)(c->samples[c->count - 1].done - c->samples[first].done) : 0;
}

/* Files: the driver's cache may just be writing one. Blocks: a device makes the layouts of pipelines when they are
 * first needed, and keeps jobs of vkmm_multiply, each with its steps. */
enum { MORE_FILES = 2, MORE_BLOCKS = 8 + 2 * VKMM_SPARES_MOST };

int curve_is_flat(const curve *c, double bound, uint64_t regions, char why[256])
{
    const sample *begin = &c->samples[warm(c)], *end = &c->samples[c->count - 1];
    why[0] = '\0';
    if (c->count < 3)
        snprintf(why, 256, "%s: %u samples are too few", c->name, c->count);
    else if (end->blocks > begin->blocks + MORE_BLOCKS)
        snprintf(why, 256, "%s: %lld of vkmatmul's own blocks became %lld", c->name, (long long)begin->blocks,
                 (long long)end->blocks);
    else if (end->files > begin->files + MORE_FILES)
        snprintf(why, 256, "%s: %u open files became %u", c->name, begin->files, end->files);
    else if (end->regions > begin->regions + regions)
        snprintf(why, 256, "%s: %u mapped regions became %u", c->name, begin->regions, end->regions);
    else if (curve_growth(c, 0) > bound || curve_growth(c, 1) > bound)
        snprintf(why, 256, "%s: resident memory grows by %.0f KiB, the heap by %.0f; at most %.0f are right", c->name,
                 curve_growth(c, 0), curve_growth(c, 1), bound);
    return why[0] == '\0';
}
