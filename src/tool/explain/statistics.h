/* What the device's driver makes of the pipelines that products need: `vkmatmul statistics`. A separate process
 * compiles, because some drivers need minutes for a pipeline, and some crash. Its requests (worker/worker.h), besides
 * "hello":
 *     {"ask": "compile", "pipeline": its hash, "problem", "kernel", "config", "rows", "cols", "step": its index}
 * and the answer has the keys of cli_compiled_record. Nothing runs, and no memory for matrices is allocated. */
#pragma once

#include "report/record.h"
#include "session/session.h"

/* Each a whole number, except the times; NAN: the driver does not report it. */
typedef struct cli_compiled {
    double registers, spills, scratch_bytes, occupancy, cycles, instructions, subgroup_size, compile_ms, compile_cpu_ms;
} cli_compiled;

extern const vkmm_record cli_compiled_record;

/* Compiles the pipelines of these problems on the session's device (cli_session_find_device), and appends the JSON of
 * each to `into`. What is not possible on the device is left out. Ends early when a signal is caught.
 * VKMM_WRONG_RESULT: some could not be compiled; their JSON says why. */
vkmm_status cli_statistics_collect(cli_session *session, const vkmm_problem *problems, uint32_t count, json_t *into);
