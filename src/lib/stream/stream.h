/* What a stream holds (include/vkmatmul_stream.h declares what it does), and its parts.
 *  A step is a panel of C. For each step, and each part of K in it (a turn), panels of A and B are loaded into slots on
 * the device, unless they are still there, and a product is submitted. While it runs, the next turn's panels are
 * loaded, and the previous panel of C is stored. On devices whose memory is mapped, threads of the host fill and empty
 * slots in place. On other devices they fill chunks of staging memory, which a separate queue copies if the device has
 * one.
 *  A vkmm_stream is the user's handle; each of its devices has a vkmm_lane, which runs in a thread of its own. They
 * share a vkmm_work, from which each takes its steps (stream_work.c). */
#pragma once

#include <stdatomic.h>
#include <threads.h>

#include "base/workers.h"
#include "copy/copier.h"
#include "record/slices.h"
#include "plan/partition.h"
#include "record/plan.h"
#include "vk/query.h"

enum {
    VKMM_STREAM_FLIGHTS = 2, /* submissions of products at a time: one runs, one waits */
    VKMM_STREAM_LOADS = 3,   /* chunks being copied to the device, */
    VKMM_STREAM_STORES = 4,  /* and back, */
    VKMM_STREAM_CHUNKS = VKMM_STREAM_LOADS + VKMM_STREAM_STORES,
    VKMM_STREAM_CHUNK = 16 << 20
};

/* A panel of A or B. */
typedef struct vkmm_panel_name {
    uint64_t batch, at, part; /* the first matrix, row or column; part of K */
    uint64_t extent;          /* rows of A, columns of B; 0: none */
} vkmm_panel_name;

/* Space for a panel on the device. */
typedef struct vkmm_slot {
    vkmm_buffer buffer;
    uint64_t lead;        /* bytes before the panel */
    vkmm_panel_name name; /* which one is, or will be, in it */
    uint64_t lines;       /* this many of its lines are loaded, or being loaded */
    vkmm_repack packed;   /* the copy behind it; 0 bytes: none yet */
    uint64_t turn;        /* the last turn that uses it, counted from 1; 0: none */
} vkmm_slot;

typedef struct vkmm_slots {
    vkmm_slot *at; /* owned */
    uint32_t count;
} vkmm_slots;

/* A submitted product, or a slice of one. */
typedef struct vkmm_flight {
    VkCommandBuffer command; /* NULL: none */
    vkmm_timer timer;
    uint64_t items, turn, panel; /* of the timeline */
    double submitted_ms;
} vkmm_flight;

/* A pipeline, with descriptor sets for the flights. */
typedef struct vkmm_lane_plan {
    vkmm_plan plan;
    vkmm_plan_sets sets;
    int is_used; /* so that the driver has compiled it */
} vkmm_lane_plan;

/* What the lanes of a stream share: the part of C that none of them has taken, [next, end) of all rows (or columns) of
 * all matrices. Under the lock also: the lanes' status, speed, is_busy and, where status is not VKMM_OK, steps. */
typedef struct vkmm_work {
    mtx_t lock;
    cnd_t changed; /* a panel was stored, a device failed, or has nothing left to do */
    int by_cols;
    uint64_t next, end;
    uint64_t panels, done; /* taken, and stored */
    double elements;       /* stored */
    double wall_ms;        /* of the last run */
    atomic_int status;     /* not VKMM_OK: the run ends with it */
    vkmm_error error;      /* the failure */
} vkmm_work;

/* The steps that a lane has taken. */
typedef struct vkmm_todo {
    vkmm_step *steps;       /* owned */
    uint64_t count, stored; /* of them, those whose panel of C has been written: the first `stored` */
    uint64_t latest;        /* the first of those that were taken last */
    int is_busy;            /* it has steps, or may take some */
} vkmm_todo;

typedef struct vkmm_lane_memory {
    vkmm_slots panels[3]; /* of A, B and C (at most 2): at least as many as the partition says */
    vkmm_buffer workspace, bias;
    vkmm_buffer guards; /* the guard bands of both panels of C, as their last products left them */
    void *host_bias;    /* owned: where K is cut, the last part's epilogue is the host's */
} vkmm_lane_memory;

typedef struct vkmm_staging {
    vkmm_chunk chunks[VKMM_STREAM_CHUNKS]; /* loads, then stores, which hold lines of the panel */
    uint64_t chunk_bytes;
    uint32_t next_load, next_store;
    int is_loading;   /* copies to the device began after the last product was submitted */
    uint64_t storing; /* lines of the current panel whose copies have begun; 0: there is none */
} vkmm_staging;

typedef struct vkmm_lane_queue {
    vkmm_flight flights[VKMM_STREAM_FLIGHTS];
    uint32_t next; /* of the flights */
    vkmm_slices slices;
    uint64_t turns, turns_done; /* submitted in whole; ended */
    double last_end_ms;
} vkmm_lane_queue;

/* What a lane has done in a run. */
typedef struct vkmm_lane_done {
    vkmm_stream_panel *timeline; /* owned: of the panels that are done, and of those that were begun after them */
    uint32_t room;               /* entries of the timeline */
    uint64_t panels;             /* of them, those that are done */
    double elements;             /* of C */
    double speed;                /* elements of C per millisecond, copies and waiting included; 0: not known */
    uint64_t zero;               /* the device's first timestamp in the run; 0: none yet */
    double zero_ms; /* when that was by the host's clock; at the latest, because the host notices late what has ended */
    uint64_t written; /* lines of the current panel that have their final values: with β, they cannot be computed
                         again */
    int is_torn;      /* some of them may have */
} vkmm_lane_done;

/* One device of a stream. */
typedef struct vkmm_lane {
    vkmm_stream *stream;
    struct vkmm_lane *next;
    vkmm_device *device;
    vkmm_choice whole;     /* the kernel of the product as a whole; without one, the device is left out */
    vkmm_problem last_cut; /* the last product of vkmm_lane_choose, */
    vkmm_choice last;      /* and its choice; kernel NULL: none */
    vkmm_space space;
    vkmm_pieces pieces;
    vkmm_kernel_info info; /* of a whole panel */
    vkmm_todo todo;
    vkmm_status status; /* not VKMM_OK: it failed; steps that it did not store are the others' */
    vkmm_lane_memory memory;
    vkmm_staging staging;
    vkmm_lane_queue queue;
    vkmm_lane_plan *plans; /* owned */
    uint32_t plan_count;
    vkmm_workers *workers;
    vkmm_lane_done done;
    atomic_int is_told; /* a user's function failed: nothing is to be tried again */
    int tells;          /* progress, as the user's thread does */
    double last_progress_ms;
    thrd_t thread;
    int has_thread;
    vkmm_stream_times times;
} vkmm_lane;

/* The user's handle. */
struct vkmm_stream {
    vkmm_lane *lanes; /* owned: a list, in the user's order of devices */
    const vkmm_log *log;
    vkmm_problem problem; /* as given; strides filled in by math/problem.h */
    const vkmm_shader *shader;
    uint64_t limit;           /* of device memory, as asked for */
    const vkmm_stream_io *io; /* while it runs */
    double start_ms;          /* of the last run; 0: none yet */
    vkmm_work work;
};

/* vkmm_stream_create, _change and _run for callers that tell failures; what they are given is checked. */
vkmm_status vkmm_stream_make(vkmm_device *device, const vkmm_log *log, const vkmm_stream_params *params,
                             vkmm_stream **out);
vkmm_status vkmm_stream_remake(vkmm_stream *stream, const vkmm_problem *problem);
vkmm_status vkmm_stream_multiply(vkmm_stream *stream, const vkmm_stream_io *io, vkmm_stream_times *times);

/* The problem of a step's part of K, as for a job. */
vkmm_problem vkmm_lane_cut(const vkmm_lane *lane, const vkmm_step *step, uint64_t part);

/* Parts of K; the product of a step has at least one, if only for β·C. */
uint64_t vkmm_lane_parts(const vkmm_lane *lane);

/* Lines (math/problem.h: stored rows or columns) of an operand of a cut: their length, how many each matrix has, and
 * their distance, in elements. */
typedef struct vkmm_lines {
    vkmm_operand operand;
    vkmm_type type;
    int are_rows;
    uint64_t length, count, ld;
    uint64_t batch, row, col; /* of the first element of the first matrix, in the whole product */
    uint64_t all, bytes;      /* lines of all matrices together; bytes from one to the next */
} vkmm_lines;
vkmm_lines vkmm_lane_lines(const vkmm_lane *lane, vkmm_operand operand, const vkmm_step *step, uint64_t part);

/* Fills lines [first, end), counted through all matrices, into memory that begins with the first of them; with all
 * workers. */
vkmm_status vkmm_lane_fill(vkmm_lane *lane, const vkmm_lines *lines, uint64_t first, uint64_t end, void *memory);

/* Writes lines of C likewise. is_part: they are sums of all parts of K, without the epilogue. */
vkmm_status vkmm_lane_empty(vkmm_lane *lane, const vkmm_lines *lines, uint64_t first, uint64_t end, const void *memory);

/* Bytes of device memory that it has. */
uint64_t vkmm_lane_held(const vkmm_lane *lane);

/* Allocates slots, staging, workspace and bias, or what of them an earlier problem has not left; and releases them all,
 * after waiting for what is in flight. A half-built or zeroed lane is legal there. */
vkmm_status vkmm_lane_take(vkmm_lane *lane);
void vkmm_lane_release(vkmm_lane *lane);

/* Records the copy of the guard bands of a panel of C to the host, with barriers around it. They are checked when all
 * products have ended. */
void vkmm_lane_copy_guards(const vkmm_lane *lane, const vkmm_slot *slot, VkCommandBuffer command);
vkmm_status vkmm_lane_check_guards(const vkmm_lane *lane);

/* The kernel of a step. */
vkmm_status vkmm_lane_choose(vkmm_lane *lane, const vkmm_step *step, uint64_t part, vkmm_choice *choice);
/* Turns one of the lane's plans to a choice (vkmm_plan_fit); NULL: none has its pipelines. */
vkmm_lane_plan *vkmm_lane_plan_find(vkmm_lane *lane, const vkmm_choice *choice);
/* Adds a plan, which the lane then owns, even after a failure. */
vkmm_status vkmm_lane_plan_add(vkmm_lane *lane, const vkmm_plan *plan);
void vkmm_lane_plan_destroy(vkmm_device *device, vkmm_lane_plan *plan);

/* Submits the product of a turn, in slices; waits until one was executed. */
vkmm_status vkmm_lane_submit(vkmm_lane *lane, const vkmm_step *step, uint64_t part, vkmm_slot *a, vkmm_slot *b,
                             vkmm_slot *c);
vkmm_status vkmm_lane_wait(vkmm_lane *lane, uint64_t turn);
int vkmm_lane_ended(vkmm_lane *lane, uint64_t turn); /* whether it has, without waiting */

/* The step's entry in the timeline. */
uint64_t vkmm_lane_panel_at(const vkmm_lane *lane, const vkmm_step *step);

/* Waits for everything in flight; failures are ignored. */
void vkmm_lane_drain(vkmm_lane *lane);

/* Takes steps and runs them, as long as there are some. */
vkmm_status vkmm_lane_steps(vkmm_lane *lane);

/* The same, with smaller and smaller panels as long as memory runs out; then nothing is in flight. */
vkmm_status vkmm_lane_run_one(vkmm_lane *lane);

/* After a failure: nobody can compute the current panel, or the user wants no more. */
int vkmm_lane_is_final(const vkmm_lane *lane);

/* Progress, a few times a second; VKMM_STOPPED. */
vkmm_status vkmm_lane_tell(vkmm_lane *lane);

/* Takes steps, if those that were taken last begin with step i or before it; there may be none. */
vkmm_status vkmm_work_take(vkmm_lane *lane, uint64_t i);

/* Takes steps, once there are some: others may fail. If there are none, nothing is left to be done by anyone. All own
 * steps are stored. */
vkmm_status vkmm_work_wait(vkmm_lane *lane);

void vkmm_work_stored(vkmm_lane *lane, const vkmm_step *step); /* a panel was */
vkmm_stream_state vkmm_work_look(const vkmm_lane *lane, double elapsed_ms);

/* Begins a product: all of it is to be taken. */
void vkmm_work_begin(vkmm_stream *stream);

/* Runs all lanes, one in this thread and each other one in its own, until all have ended. One that fails
 * leaves its steps to the others, with a warning. If it is the last one, or its failure is final, all end with an
 * error. */
vkmm_status vkmm_work_run(vkmm_stream *stream);
