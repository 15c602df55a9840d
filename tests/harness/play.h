/* What users of the library do, from instance to verified product and back, on the fake driver: the scenarios in
 * which calls are made to fail. */
#pragma once

#include "fake_vulkan.h"
#include "vkmatmul.h"

/* How a play went. */
typedef struct play {
    vkmm_status status;
    unsigned errors;     /* sentences of level error */
    char sentence[1100]; /* the last of them */
    int leftover;        /* a failing function left a handle, or changed its output */
    int wrong;           /* a product is not right: a status of its own, told of in `sentence` */
    uint64_t forgotten;  /* tuning results that were there and are not any more */
    char folder[64];     /* that it keeps things in; "": none */
    unsigned tuned;      /* jobs with a tuned configuration */
    uint32_t shrunk;     /* of a stream */
} play;

typedef struct scenario {
    const char *name;
    fake_caps caps;
    unsigned tuned;                                                   /* jobs that are, if nothing fails */
    int panels;                                                       /* where memory ends, smaller panels are tried */
    int (*on)(play *p, vkmm_instance *instance, vkmm_device *device); /* what is done on a device of its own; */
    void (*act)(play *p);                                             /* or all that is done */
} scenario;

/* NULL past the end. */
const scenario *scenario_at(unsigned index);

/* Plays it on the driver that fake_begin has started, and with failing allocations as they are set. */
void scenario_play(const scenario *s, play *p);

/* Ends the driver, and notes its faults. about: what was played. */
void expect_no_fault(const char *about);

/* A run that nothing disturbs, on a driver of its own, ended. */
void play_well(const scenario *s, const char *about);

/* Notes a failure of the test program, printed with what it was about. Returns `right`. */
int expect(int right, const char *format, ...) __attribute__((format(printf, 2, 3)));
unsigned unexpected(void); /* so far */
