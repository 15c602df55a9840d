/* What libvkblas learns of a device, from its first product to the next program: a simulated device is opened and tried
 * in the background, once, and another program goes on from the file that the first one left. Each program is a
 * process. */
#include <pthread.h>
#include <sys/wait.h>
#include <time.h>

#include "../../src/blas/cost.h"
#include "folder.h"

enum { HOST_MS = 3000, FASTER_HOST_MS = 8 };

static int has_device, has_memory, opened, most_products;
static atomic_int products, in_driver, now_ms; /* only opening and products advance the clock */
static atomic_int holds;                       /* a product lasts until it is 0, and a little longer */
static pthread_t opener;
static uint64_t identity;

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

void vkblas_block_signals(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

static atomic_int device_state;

int vkblas_device_state(void)
{
    return device_state;
}

vkmm_device *vkblas_device(void)
{
    opened++;
    opener = pthread_self();
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    now_ms += 5;
    device_state = has_device ? 1 : -1;
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

/* Much faster than the host; reads its operands. */
int vkblas_product(const vkblas_call *call)
{
    if (products == most_products) return 0;
    products++;
    in_driver = 1;
    while (holds) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    now_ms++;
    in_driver = 0;
    return call->m > 0 && ((const float *)call->a)[call->m * call->k - 1] == 0 &&
           ((const float *)call->b)[call->k * call->n - 1] == 0;
}

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size)
{
    return has_memory ? __real_calloc(count, size) : NULL;
}

static const vkblas_extents large = {2600, 2600, 2600};

static vkblas_choice choose(void)
{
    vkblas_turn turn;
    return vkblas_learned_choose(VKBLAS_S, large, &turn);
}

/* After the thread in the background, if one has begun, has ended. */
static vkblas_choice choose_at_last(void)
{
    vkblas_choice choice = choose();
    for (int i = 0; choice == VKBLAS_TO_TRY && i < 300000; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        choice = choose();
    }
    return choice;
}

/* A program whose host takes three seconds for a large product. */
static void begin_program(void)
{
    vkblas_learned_begin();
    vkblas_learned_add(VKBLAS_HOST, VKBLAS_S, large, HOST_MS);
}

static int is_tried_once(void)
{
    begin_program();
    const int is_host = choose() == VKBLAS_TO_TRY; /* at once, whatever the thread does */
    const int is_device = choose_at_last() == VKBLAS_TO_DEVICE;
    return is_host && is_device && opened == 1 && products == 2 && !pthread_equal(opener, pthread_self()) &&
           choose() == VKBLAS_TO_DEVICE && products == 2;
}

/* The host would take longer than opening the device. */
static int has_a_file(void)
{
    vkblas_learned_begin();
    return choose() == VKBLAS_TO_DEVICE && products == 0 && opened == 1 && pthread_equal(opener, pthread_self());
}

static int has_another_device(void)
{
    identity++;
    vkblas_learned_begin();
    return choose() == VKBLAS_TO_TRY && choose_at_last() == VKBLAS_TO_DEVICE && products == 2;
}

/* The host takes less time than opening the device, but not much: that is done in the background, with one product. */
static int has_a_faster_host(void)
{
    identity++; /* the last program's device */
    vkblas_learned_begin();
    vkblas_learned_add(VKBLAS_HOST, VKBLAS_S, large, FASTER_HOST_MS);
    return choose() == VKBLAS_TO_TRY && choose_at_last() == VKBLAS_TO_DEVICE && products == 1 && opened == 1;
}

static int lacks_memory(void)
{
    begin_program();
    has_memory = 0;
    const vkblas_choice choice = choose_at_last();
    has_memory = 1;
    return choice == VKBLAS_TO_HOST && opened == 1 && products == 0;
}

/* Not clearly faster after two products. */
static int is_hardly_faster(void)
{
    vkblas_learned_begin();
    vkblas_learned_add(VKBLAS_HOST, VKBLAS_S, large, 3);
    return choose_at_last() != VKBLAS_TO_TRY && products == 9;
}

static int fails_at_the_second(void)
{
    most_products = 1;
    begin_program();
    return choose_at_last() == VKBLAS_TO_HOST && choose() == VKBLAS_TO_HOST && opened == 1;
}

static int lacks_a_device(void)
{
    has_device = 0;
    begin_program();
    return choose_at_last() == VKBLAS_TO_HOST && choose() == VKBLAS_TO_HOST && opened == 1;
}

/* What a driver registers when it is loaded, which runs before what was registered earlier. */
static void unload(void)
{
    if (in_driver) _exit(1);
}

static int exits_in_a_product(void)
{
    holds = 1;
    begin_program();
    if (choose() != VKBLAS_TO_TRY) return 0;
    atexit(unload);
    while (!in_driver) continue;
    holds = 0;
    return 1;
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

static int begin(void **state)
{
    has_device = has_memory = 1;
    most_products = 1000;
    identity = 7;
    return enter_folder(state) || setenv("XDG_CACHE_HOME", *state, 1) != 0;
}

TEST_WITH(test_programs_one_after_the_other, begin, leave_folder)
{
    run(is_tried_once);
    run(has_a_file);
    run(has_another_device);
    run(has_a_faster_host);
}

TEST_WITH(test_a_device_that_cannot_be_tried, begin, leave_folder)
{
    run(lacks_memory);
    run(lacks_a_device);
    run(fails_at_the_second);
}

TEST_WITH(test_a_device_that_is_hardly_faster, begin, leave_folder)
{
    run(is_hardly_faster);
}

TEST_WITH(test_exit_waits_for_the_driver, begin, leave_folder)
{
    run(exits_in_a_product);
}
