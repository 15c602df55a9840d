#include "system/sensors.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/clean.h"
#include "base/clock.h"
#include "system/sensors_source.h"

enum {
    PERIOD_MS = 10,
    SPAN_MS = 100,
    OTHERS_MS = 40, /* four steps of the counters of time */
    CLOCKS = 16384,
    SHARE = 50 /* reading takes at most one part in so many of a processor's time */
};

#ifdef _WIN32
#define NVML "nvml.dll"
#else
#define NVML "libnvidia-ml.so.1"
#endif

struct cli_sensors {
    cli_sensor_source source;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_t watcher;
    int watching, stop; /* stop: under the lock */
    double start_ms, mhz_before, joules_before, others_before;
    /* The watcher's, until it is joined. */
    uint32_t clocks[CLOCKS]; /* how often each MHz was read: memory does not grow with time */
    uint32_t clock_count;
    cli_sensor_steps steps;
    double watts_sum;
    uint32_t watts_count;
    unsigned limited;
};

cli_sensors *cli_sensors_open_with(const uint32_t pci[4], const char *root, const char *nvml)
{
    cli_sensors *sensors = vkmm_alloc(1, sizeof *sensors);
    if (sensors == NULL) return NULL;
    int found = pci == NULL ? cli_sensor_host(root, &sensors->source)
                            : (nvml[0] != '\0' && cli_sensor_nvml(nvml, pci, &sensors->source)) ||
                                  cli_sensor_gpu(root, pci, &sensors->source);
    if (!found) {
        vkmm_free(sensors);
        return NULL;
    }
    pthread_mutex_init(&sensors->lock, NULL);
    pthread_cond_init(&sensors->wake, NULL);
    return sensors;
}

cli_sensors *cli_sensors_open(const uint32_t pci[4])
{
    return cli_sensors_open_with(pci, "", NVML);
}

const char *cli_sensors_source(const cli_sensors *sensors)
{
    return sensors != NULL ? sensors->source.name : "";
}

void cli_sensor_look(cli_sensor_steps *steps, double ms, double joules)
{
    if (isnan(joules)) return;
    if (!isnan(steps->joules) && joules != steps->joules) {
        if (steps->count == 0) {
            steps->first_ms = ms;
            steps->first_joules = joules;
        }
        steps->last_ms = ms;
        steps->last_joules = joules;
        steps->count++;
    }
    steps->joules = joules;
}

double cli_sensor_power(const cli_sensor_steps *steps, double least_ms)
{
    double ms = steps->last_ms - steps->first_ms, joules = steps->last_joules - steps->first_joules;
    return steps->count > 1 && ms >= least_ms && joules > 0 ? joules / (ms / 1e3) : NAN;
}

static double ask(const cli_sensors *sensors, double (*figure)(void *state))
{
    return figure != NULL ? figure(sensors->source.state) : NAN;
}

void cli_sensors_look(cli_sensors *sensors)
{
    double mhz = ask(sensors, sensors->source.mhz);
    if (mhz > 0 && mhz < CLOCKS - 0.5) {
        sensors->clocks[(size_t)(mhz + 0.5)]++;
        sensors->clock_count++;
    }
    if (!isnan(sensors->joules_before)) {
        double joules = ask(sensors, sensors->source.joules);
        cli_sensor_look(&sensors->steps, vkmm_now_ms(), joules);
    } else { /* no counter: use the average power */
        double watts = ask(sensors, sensors->source.watts);
        if (!isnan(watts)) {
            sensors->watts_sum += watts;
            sensors->watts_count++;
        }
    }
    if (sensors->source.limited != NULL) sensors->limited |= sensors->source.limited(sensors->source.state);
}

/* Processor time of this thread. */
static double thread_ms(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (double)used.tv_sec * 1e3 + (double)used.tv_nsec / 1e6;
}

/* If the clock is set meanwhile, one pause is longer or shorter. */
static struct timespec in_ms(double ms)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    const int64_t ns = until.tv_nsec + (int64_t)(ms * 1e6);
    until.tv_sec += (time_t)(ns / 1000000000);
    until.tv_nsec = (long)(ns % 1000000000);
    return until;
}

static void *watch(void *user)
{
    cli_sensors *sensors = user;
    pthread_mutex_lock(&sensors->lock);
    while (!sensors->stop) {
        pthread_mutex_unlock(&sensors->lock);
        const double before = thread_ms();
        cli_sensors_look(sensors);
        /* If reading takes much processor time, read less often: the measured work needs the machine. */
        const struct timespec until = in_ms(fmax(PERIOD_MS, (thread_ms() - before) * SHARE));
        pthread_mutex_lock(&sensors->lock);
        while (!sensors->stop && pthread_cond_timedwait(&sensors->wake, &sensors->lock, &until) != ETIMEDOUT) continue;
    }
    pthread_mutex_unlock(&sensors->lock);
    return NULL;
}

static void end_watch(cli_sensors *sensors)
{
    if (!sensors->watching) return;
    pthread_mutex_lock(&sensors->lock);
    sensors->stop = 1;
    pthread_cond_signal(&sensors->wake);
    pthread_mutex_unlock(&sensors->lock);
    pthread_join(sensors->watcher, NULL);
    sensors->watching = 0;
}

void cli_sensors_close(cli_sensors **pointer)
{
    cli_sensors *sensors = *pointer;
    if (sensors == NULL) return;
    end_watch(sensors);
    sensors->source.close(sensors->source.state);
    pthread_cond_destroy(&sensors->wake);
    pthread_mutex_destroy(&sensors->lock);
    vkmm_free(sensors);
    *pointer = NULL;
}

void cli_sensors_start(cli_sensors *sensors)
{
    if (sensors == NULL) return;
    end_watch(sensors);
    memset(sensors->clocks, 0, sizeof sensors->clocks);
    sensors->clock_count = sensors->watts_count = sensors->limited = 0;
    sensors->watts_sum = 0;
    sensors->steps = (cli_sensor_steps){.joules = NAN};
    sensors->stop = 0;
    sensors->mhz_before = ask(sensors, sensors->source.mhz);
    sensors->joules_before = ask(sensors, sensors->source.joules);
    sensors->others_before = ask(sensors, sensors->source.others);
    sensors->start_ms = vkmm_now_ms();
    sensors->watching = pthread_create(&sensors->watcher, NULL, watch, sensors) == 0;
}

/* The MHz at an index, from 0, of all readings in ascending order. */
static double clock_at(const cli_sensors *sensors, uint32_t place)
{
    uint32_t passed = 0;
    for (int i = 0; i < CLOCKS; i++) {
        passed += sensors->clocks[i];
        if (passed > place) return i;
    }
    return NAN;
}

static void tell_limits(unsigned limited, char *text, size_t room)
{
    static const char *const names[] = {"power", "heat", "hardware slowdown"};
    text[0] = '\0';
    for (unsigned i = 0; i < 3; i++) {
        if (limited & (1U << i)) vkmm_join(text, room, ", ", "%s", names[i]);
    }
}

void cli_sensors_stop(cli_sensors *sensors, cli_sensed *sensed)
{
    *sensed = (cli_sensed){
        .ms = NAN, .joules = NAN, .watts = NAN, .mhz_before = NAN, .mhz_during = NAN, .mhz_after = NAN, .others = NAN};
    if (sensors == NULL || sensors->start_ms == 0) return;
    end_watch(sensors);
    double joules = ask(sensors, sensors->source.joules) - sensors->joules_before,
           others = ask(sensors, sensors->source.others) - sensors->others_before;
    sensed->ms = vkmm_now_ms() - sensors->start_ms;
    sensed->mhz_before = sensors->mhz_before;
    sensed->mhz_after = ask(sensors, sensors->source.mhz);
    if (sensors->clock_count > 0)
        sensed->mhz_during =
            (clock_at(sensors, (sensors->clock_count - 1) / 2) + clock_at(sensors, sensors->clock_count / 2)) / 2;
    tell_limits(sensors->limited, sensed->limited, sizeof sensed->limited);
    if (!isnan(others) && sensed->ms >= OTHERS_MS) sensed->others = fmax(0, others / (sensed->ms / 1e3));
    if (sensed->ms < SPAN_MS) return;
    sensed->watts = cli_sensor_power(&sensors->steps, SPAN_MS);
    if (isnan(sensed->watts) && joules > 0) /* a counter that did not move, or decreased, has no result */
        sensed->watts = joules / (sensed->ms / 1e3);
    else if (isnan(sensed->watts) && sensors->watts_count > 0)
        sensed->watts = sensors->watts_sum / sensors->watts_count;
    sensed->joules = sensed->watts * (sensed->ms / 1e3);
}
