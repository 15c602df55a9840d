/* soak [--devices N] [--products N] [--seed N] [--bound KIB] [--regions N] [--driver-alone]: what this
 * process holds while it creates and destroys devices, then multiplies random problems. Exit code 1: memory was not
 * flat, or a product was wrong. scripts/soak runs it on both drivers. */
#include <malloc.h>

#include "api/spares.h"
#include "base/alloc.h"
#include "base/random.h"
#include "folder.h"
#include "general.h"
#include "math/matrix.h"
#include "math/problem.h"
#include "verify_problem.h"
#include "vk/instance.h"

/* What a process holds, sampled while it works, and judged at the end. */
typedef struct sample {
    uint64_t done;           /* pieces of work */
    uint64_t rss, peak;      /* KiB: resident now, and at most (VmRSS, VmHWM) */
    uint64_t heap;           /* KiB in use in the C library's heap, of this program and of the driver */
    uint32_t files, regions; /* open file descriptors; mappings (lines of /proc/self/maps) */
    int64_t blocks;          /* of vkmatmul's own memory (vkmm_alloc_live) */
} sample;

enum { SAMPLES = 21 };

typedef struct curve {
    const char *name; /* "devices" */
    uint64_t total;   /* pieces of work there will be */
    uint32_t count;
    sample samples[SAMPLES];
} curve;

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
                  .files = entries_of("/proc/self/fd", NULL) - 1, /* without the folder's own */
                  .regions = count_lines("/proc/self/maps"),
                  .blocks = vkmm_alloc_live()};
}

/* Takes a sample if one is due: at the beginning, at the end, and 19 times between. */
static void curve_note(curve *c, uint64_t done)
{
    if (c->count == SAMPLES || done < c->total * c->count / (SAMPLES - 1)) return;
    take(done, &c->samples[c->count++]);
}

static void curve_print(const curve *c)
{
    printf("%10s %10s %10s %10s %6s %8s %7s\n", c->name, "RSS KiB", "peak KiB", "heap KiB", "files", "regions",
           "blocks");
    for (uint32_t i = 0; i < c->count; i++) {
        const sample *s = &c->samples[i];
        printf("%10llu %10llu %10llu %10llu %6u %8u %7lld\n", (unsigned long long)s->done, (unsigned long long)s->rss,
               (unsigned long long)s->peak, (unsigned long long)s->heap, s->files, s->regions, (long long)s->blocks);
    }
}

/* The first sample after the warm-up. */
static uint32_t warm(const curve *c)
{
    uint32_t i = 0;
    while (i + 1 < c->count && (c->samples[i].done == 0 || c->samples[i].done < c->total / 10)) i++;
    return i;
}

/* What the curve does after a warm-up of a tenth of the work: the straight line of least squares through the
 * samples, times the work after it, in KiB. */
static double curve_growth(const curve *c, int of_heap)
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

/* 1: memory is flat. Else 0, and why. bound: KiB that resident memory and heap may each grow by along their lines;
 * regions: mappings that there may be more at the end than after the warm-up. */
static int curve_is_flat(const curve *c, double bound, uint64_t regions, char why[256])
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

typedef struct options {
    uint64_t devices, products, seed, bound, regions;
    int driver_alone;
} options;

static int parse(int count, char **words, options *o)
{
    const struct {
        const char *name;
        uint64_t *value;
    } numbers[] = {{"--devices", &o->devices},
                   {"--products", &o->products},
                   {"--seed", &o->seed},
                   {"--bound", &o->bound},
                   {"--regions", &o->regions}};
    for (int i = 1; i < count; i++) {
        size_t n = 0;
        char *end = NULL;
        while (n < 5 && strcmp(words[i], numbers[n].name) != 0) n++;
        if (strcmp(words[i], "--driver-alone") == 0)
            o->driver_alone = 1;
        else if (n == 5 || i + 1 == count ||
                 (*numbers[n].value = strtoull(words[++i], &end, 10), end == words[i] || *end != '\0'))
            return 0;
    }
    return 1;
}

static void print_sentence(void *user, vkmm_log_level level, const char *sentence)
{
    (void)user;
    if (level != VKMM_LOG_INFO) fprintf(stderr, "soak: %s\n", sentence);
}

static const vkmm_instance_params params = {.log = {print_sentence, NULL}, .cache_dir = ""};

/* The driver's own part: the same devices through Vulkan alone. */
static int bare_device(const vkmm_instance *instance)
{
    const vkmm_physical *physical = &instance->physicals[0];
    const float priority = 1;
    const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                           .queueFamilyIndex = physical->queue_family,
                                           .queueCount = 1,
                                           .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    VkDevice device = VK_NULL_HANDLE;
    if (instance->table.vkCreateDevice(physical->handle, &info, NULL, &device) != VK_SUCCESS) return 0;
    PFN_vkDestroyDevice destroy = (PFN_vkDestroyDevice)instance->table.vkGetDeviceProcAddr(device, "vkDestroyDevice");
    destroy(device, NULL);
    return 1;
}

static int one_device(vkmm_instance *instance, int bare)
{
    vkmm_device *device = NULL;
    if (bare) return bare_device(instance);
    if (vkmm_device_create(instance, 0, &device) != VKMM_OK) return 0;
    vkmm_device_destroy(&device);
    return 1;
}

/* Every twentieth device has an instance of its own. */
static int soak_devices(const options *o, vkmm_instance *instance, curve *c)
{
    for (uint64_t i = 0; i < o->devices; i++) {
        vkmm_instance *own = NULL;
        curve_note(c, i);
        if (i % 20 == 19 && vkmm_instance_create(&params, &own) != VKMM_OK) return 0;
        const int made = one_device(own != NULL ? own : instance, o->driver_alone);
        vkmm_instance_destroy(&own);
        if (!made) return 0;
    }
    curve_note(c, o->devices);
    return 1;
}

/* Memory for all operands and C before, as large as the largest problem needs: the host's own share of a product
 * stays the same. */
typedef struct operands {
    void *data[VKMM_BIAS + 1], *before;
} operands;

static void fill(const vkmm_problem *problem, uint64_t seed, operands *x)
{
    for (int operand = VKMM_A; operand <= VKMM_BIAS; operand++) {
        const vkmm_type type = vkmm_operand_type(problem, (vkmm_operand)operand);
        const uint64_t bytes = vkmm_operand_bytes(problem, (vkmm_operand)operand);
        vkmm_fill(x->data[operand], 1, bytes / vkmm_type_of(type)->bytes, type, VKMM_INIT_UNIFORM,
                  seed + (uint64_t)operand);
    }
    memcpy(x->before, x->data[VKMM_C], (size_t)vkmm_operand_bytes(problem, VKMM_C));
}

static vkmm_status by_job(vkmm_device *device, const vkmm_problem *problem, const operands *x)
{
    const vkmm_job_params what = {.problem = *problem};
    vkmm_job *job = NULL;
    vkmm_status status = vkmm_job_create(device, NULL, &what, &job);
    for (int operand = VKMM_A; operand <= VKMM_BIAS && status == VKMM_OK; operand++) {
        const uint64_t bytes = vkmm_operand_bytes(problem, (vkmm_operand)operand);
        if (bytes > 0) memcpy(vkmm_job_matrix(job, (vkmm_operand)operand), x->data[operand], (size_t)bytes);
    }
    if (status == VKMM_OK) status = vkmm_job_run(job);
    if (status == VKMM_OK)
        memcpy(x->data[VKMM_C], vkmm_job_matrix(job, VKMM_C), (size_t)vkmm_operand_bytes(problem, VKMM_C));
    vkmm_job_destroy(&job);
    return status;
}

static int one_product(vkmm_device *device, const vkmm_problem *problem, uint64_t seed, int job, operands *x)
{
    char text[256];
    cli_verdict verdict = {0};
    fill(problem, seed, x);
    vkmm_status status =
        job ? by_job(device, problem, x)
            : vkmm_multiply(device, problem, x->data[VKMM_A], x->data[VKMM_B], x->data[VKMM_BIAS], x->data[VKMM_C]);
    if (status == VKMM_OK)
        status = vkmm_verify_problem(NULL, problem, x->data[VKMM_A], x->data[VKMM_B], x->data[VKMM_BIAS], x->before,
                                     x->data[VKMM_C], CLI_NUMBERS_RANDOM, CLI_VERIFY_FULL, 1, &verdict);
    if (status == VKMM_OK && verdict.passed) return 1;
    general_text(problem, text);
    fprintf(stderr, "soak: %s: %s\n", text, status == VKMM_OK ? verdict.sentence : vkmm_status_name(status));
    return 0;
}

static uint32_t count_types(int with_f64)
{
    uint32_t count = 0;
    while (vkmm_types_at(count) != NULL) count++;
    return with_f64 ? count : count - 1;
}

/* The types in turns, f64 only where the device has it. */
static vkmm_types types_of(uint64_t turn, int with_f64)
{
    uint64_t left = turn % count_types(with_f64);
    uint32_t i = 0;
    while ((!with_f64 && vkmm_types_at(i)->in == VKMM_F64) || left-- > 0) i++;
    return *vkmm_types_at(i);
}

/* A driver compiles for half a second what a product then needs for a millisecond, and keeps it for as long as the
 * device lives: shapes are random, what pipelines are made of repeats. Extents shrink by sixteens, so that
 * alignments stay. */
static vkmm_problem random_problem(uint64_t seed, uint64_t turn, int with_f64)
{
    enum { KINDS = 200 };
    const uint64_t kind = turn % KINDS;
    vkmm_problem problem = general_random(types_of(kind, with_f64), seed + kind);
    uint64_t *const extents[] = {&problem.m, &problem.n, &problem.k};
    for (uint64_t i = 0; i < 3; i++)
        *extents[i] -= vkmm_random_bits(seed + 1000, 3 * turn + i) % (*extents[i] / 16 + 1) * 16;
    return problem;
}

/* Every second product through a job, the others through vkmm_multiply. */
static uint64_t soak_products(const options *o, vkmm_device *device, int with_f64, operands *x, curve *c)
{
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < o->products; i++) {
        curve_note(c, i);
        const vkmm_problem problem = random_problem(o->seed, i, with_f64);
        wrong += !one_product(device, &problem, o->seed + i, (int)(i % 2), x);
    }
    curve_note(c, o->products);
    return wrong;
}

static int judge(const options *o, const curve *c)
{
    char why[256];
    curve_print(c);
    const int flat = curve_is_flat(c, (double)o->bound, o->regions, why);
    printf("%s\n\n", flat ? "flat" : why);
    if (!flat) fprintf(stderr, "soak: %s\n", why);
    fflush(stdout);
    return flat;
}

int main(int count, char **words)
{
    options o = {.devices = 2000, .products = 10000, .seed = 1, .bound = 2048, .regions = 64};
    operands x = {{NULL}, NULL};
    vkmm_instance *instance = NULL;
    vkmm_device *device = NULL;
    if (!parse(count, words, &o)) {
        fputs("usage: soak [--devices N] [--products N] [--seed N] [--bound KIB] [--regions N] [--driver-alone]\n",
              stderr);
        return 2;
    }
    curve devices = {.name = "devices", .total = o.devices}, products = {.name = "products", .total = o.products};
    if (vkmm_instance_create(&params, &instance) != VKMM_OK || vkmm_instance_device_count(instance) == 0) {
        vkmm_instance_destroy(&instance);
        return getenv("VKMM_REQUIRE_VULKAN") ? 1 : 77;
    }
    const vkmm_device_info *info = vkmm_instance_device_info(instance, 0);
    printf("%s, %s %s\n\n", info->name, info->driver.name, info->driver.info);
    int right = o.devices == 0 || (soak_devices(&o, instance, &devices) && judge(&o, &devices));
    for (int operand = VKMM_A; operand <= VKMM_BIAS; operand++) x.data[operand] = calloc(1, 8 << 20);
    x.before = calloc(1, 8 << 20);
    if (o.products > 0 && vkmm_device_create(instance, 0, &device) == VKMM_OK) {
        const uint64_t wrong = soak_products(&o, device, info->features.f64, &x, &products);
        if (wrong > 0) fprintf(stderr, "soak: %llu products are wrong\n", (unsigned long long)wrong);
        right = judge(&o, &products) && wrong == 0 && right;
    }
    vkmm_device_destroy(&device);
    vkmm_instance_destroy(&instance);
    for (int operand = VKMM_A; operand <= VKMM_BIAS; operand++) free(x.data[operand]);
    free(x.before);
    if (vkmm_alloc_live() != 0) fprintf(stderr, "soak: %lld blocks were never freed\n", (long long)vkmm_alloc_live());
    return right && vkmm_alloc_live() == 0 ? 0 : 1;
}
