/* What libvkblas learns of a device, from its first product to the next program: a simulated device with a clock of its
 * own is opened and probed no more often than it has to be, and another program goes on from the file that the first
 * one left. Each program is a process. */
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../src/blas/cost.h"
#include "../unit/unit.h"

enum { OPEN_MS = 300, COMPILE_MS = 40, PRODUCT_MS = 1, HOST_MS = 3000 };

static double now_ms;
static int has_device, has_memory, opened, most_products, products, allocations;
static int64_t edges[8];
static uint64_t identity;
static char folder[] = "/tmp/vkblas-XXXXXX";

double vkblas_now_ms(void)
{
    return now_ms;
}

const char *vkblas_host_path(void)
{
    return "/simulated";
}

uint32_t vkblas_threads(void)
{
    return 1;
}

int vkblas_device_state(void)
{
    return !opened ? 0 : has_device ? 1 : -1;
}

vkmm_device *vkblas_device(void)
{
    if (!opened) now_ms += OPEN_MS;
    opened = 1;
    return has_device ? (vkmm_device *)&opened : NULL;
}

void vkblas_warn(const char *format, ...)
{
    (void)format;
    abort(); /* the folder is this user's own */
}

uint64_t vkblas_device_identity(void)
{
    return identity;
}

/* As slow as the host for 512^3, where it waits most of the time, and much faster for large ones. */
int vkblas_product(const vkblas_call *call)
{
    if (products == most_products) return 0;
    now_ms += PRODUCT_MS + (double)(call->m * call->n * call->k) * 1e-10 + (products % 3 == 0 ? COMPILE_MS : 0);
    edges[products++ % 8] = call->m;
    return 1;
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
    allocations++;
    return has_memory ? __real_calloc(count, size) : NULL;
}

static const vkblas_extents large = {8192, 8192, 8192};

static vkblas_choice choose(void)
{
    vkblas_expected expected;
    return vkblas_learned_choose(VKBLAS_S, large, &expected);
}

/* A program whose host takes three seconds for a large product. */
static vkblas_choice choose_after_one(void)
{
    vkblas_learned_begin();
    now_ms += HOST_MS;
    vkblas_learned_add(VKBLAS_HOST, VKBLAS_S, large, HOST_MS);
    return choose();
}

/* Both sizes once, three products each, of which the first compiles. */
static int is_probed_twice(void)
{
    return choose_after_one() == VKBLAS_TO_DEVICE && products == 6 && edges[2] == 512 && edges[3] == 2048 &&
           choose() == VKBLAS_TO_DEVICE && products == 6;
}

static int has_a_file(void)
{
    vkblas_learned_begin();
    return choose() == VKBLAS_TO_DEVICE && products == 0;
}

static int has_another_device(void)
{
    identity++;
    vkblas_learned_begin();
    return choose() == VKBLAS_TO_DEVICE && products == 6;
}

static int lacks_memory(void)
{
    has_memory = allocations = 0;
    return choose_after_one() == VKBLAS_TO_PROBE && opened && allocations == 2;
}

static int fails_at_the_third(void)
{
    most_products = 2;
    return choose_after_one() == VKBLAS_TO_HOST && choose() == VKBLAS_TO_HOST && opened;
}

static int lacks_a_device(void)
{
    has_device = 0;
    return choose_after_one() == VKBLAS_TO_HOST && choose() == VKBLAS_TO_HOST && opened;
}

static void run(int (*program)(void))
{
    int status = -1;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) exit(!program());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static double kept(const char *name)
{
    char path[100], line[200];
    double value = -1;
    glob_t found;
    snprintf(path, sizeof path, "%s/vkmatmul/blas-*", folder);
    assert_int_equal(glob(path, 0, NULL, &found), 0);
    FILE *file = fopen(found.gl_pathv[0], "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        if (strncmp(line, name, strlen(name)) == 0) value = atof(line + strlen(name)) * 1e-9;
    fclose(file);
    globfree(&found);
    return value;
}

static int begin(void **state)
{
    has_device = has_memory = 1;
    most_products = 1000;
    identity = 7;
    strcpy(folder, "/tmp/vkblas-XXXXXX");
    return mkdtemp(folder) == NULL || setenv("XDG_CACHE_HOME", folder, 1) != 0;
}

static int end(void **state)
{
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

TEST_WITH(test_programs_one_after_the_other, begin, end)
{
    const double small = PRODUCT_MS + 0x1p27 * 1e-10, medium = PRODUCT_MS + 0x1p33 * 1e-10;
    const double host = HOST_MS / 4096.0; /* for 512^3 */
    const double lost =
        OPEN_MS + 2 * COMPILE_MS + 5 * (small + medium) - 2 * (1 + 64) * host; /* two of each were learned */
    run(is_probed_twice);
    assert_true(fabs(kept("open ") - OPEN_MS) < 0.001);
    assert_true(fabs(kept("attempt ") - (COMPILE_MS + medium)) < 0.001);
    assert_true(fabs(kept("ran ") - (HOST_MS + OPEN_MS + 2 * COMPILE_MS + 3 * small + 3 * medium)) < 0.001);
    assert_true(fabs(kept("lost ") - lost) < 0.01);
    run(has_a_file);
    run(has_another_device);
}

TEST_WITH(test_a_device_that_cannot_be_probed, begin, end)
{
    run(lacks_memory);
    run(lacks_a_device);
    run(fails_at_the_third);
    assert_true(kept("lost ") > 0);
}
