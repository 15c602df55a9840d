/* What users of the library do, from instance to verified product and back, on the fake driver: the scenarios in
 * which calls are made to fail. */
#pragma once

#include "fake_vulkan.h"
#include "math/matrix.h"
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

/* ---- What scenarios are made of ---- */

/* Makes an instance and a device, acts, and ends both. */
void play_on_device(play *p, int (*act)(play *p, vkmm_instance *instance, vkmm_device *device));

vkmm_log play_log(play *p); /* counts errors */

/* The operands of a product (vkmm_operand), and what C was before. */
enum { PLAY_BEFORE = VKMM_BIAS + 1, PLAY_MEMORIES };

/* Numbers in the matrices, all ones between them. memory: vkmm_operand_bytes. */
void fill_operand(const vkmm_problem *problem, vkmm_operand operand, vkmm_init init, uint64_t seed, void *memory);
/* All of them, filled; never NULL. */
void make_operands(const vkmm_problem *problem, vkmm_init init, uint64_t seed, void *memory[PLAY_MEMORIES]);
void free_operands(void *memory[PLAY_MEMORIES]);

/* Verifies every element into p->status. */
void judge_product(play *p, const vkmm_problem *problem, void *const memory[PLAY_MEMORIES]);

/* Another program lends its device, and records products into a command buffer of its own (lender.c); with a pipeline
 * cache of its own too, or with Vulkan 1.4 and its push descriptors. */
void act_lender(play *p);
void act_lender_1_4(play *p);
void act_lender_with_cache(play *p);

/* A fresh folder in p->folder, which scenario_play removes. */
int make_folder(play *p);
