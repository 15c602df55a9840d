/* Products that a test records, and their memory: mapped, and between guard bands of all ones. Released with the test
 * (kept.h). */
#pragma once

#include "gemm.h"
#include "gemm/gemm.h"
#include "suite.h"
#include "vk/buffer.h"
#include "vk/command.h"

/* After the operands (vkmm_operand): the workspace, α and β, the experts' rows, and A and B packed. */
enum { WORKSPACE = VKMM_BIAS + 1, SCALARS, ROUTING, PACKED, BUFFERS = PACKED + 2, GUARD = 256 };

typedef struct recorded {
    vkmm_device *device;
    vkmm_buffer buffers[BUFFERS];
    char *want; /* all of C's buffer, as it should be */
} recorded;

static inline void release_recorded(void *object)
{
    recorded *m = object;
    for (int i = 0; i < BUFFERS; i++) vkmm_buffer_destroy(m->device, &m->buffers[i]);
    free(m->want);
    free(m);
}

static inline recorded *keep_recorded(vkmm_device *device)
{
    recorded *m = keep_object(calloc(1, sizeof(recorded)), release_recorded);
    m->device = device;
    return m;
}

static inline void release_gemm(void *object)
{
    vkmm_gemm *gemm = object;
    vkmm_gemm_destroy(&gemm);
}

static inline vkmm_gemm *keep_gemm(vkmm_device *device, const vkmm_gemm_params *params)
{
    vkmm_gemm *gemm = NULL;
    assert_ok(vkmm_gemm_create(device, params, &gemm));
    return keep_object(gemm, release_gemm);
}

static inline void *recorded_at(const recorded *m, int which)
{
    return (char *)m->buffers[which].mapped + GUARD;
}

/* Between the guards. */
static inline uint64_t recorded_bytes(const recorded *m, int which)
{
    return m->buffers[which].handle ? m->buffers[which].bytes - 2 * GUARD : 0;
}

/* With the guard behind it: a driver that clips accesses must not hide them. */
static inline vkmm_binding recorded_binding(const recorded *m, int which)
{
    const uint64_t bytes = recorded_bytes(m, which);
    return (vkmm_binding){m->buffers[which].handle, GUARD, bytes ? bytes + GUARD : 0};
}

/* New memory, all ones, which is a NaN for floats; none for 0 bytes. */
static inline vkmm_binding recorded_take(recorded *m, int which, uint64_t bytes)
{
    vkmm_buffer *buffer = &m->buffers[which];
    vkmm_buffer_destroy(m->device, buffer);
    if (bytes > 0) {
        assert_ok(vkmm_buffer_create(m->device, "a test's matrix", bytes + 2 * GUARD, VKMM_PLACE_DOWNLOAD, buffer));
        memset(buffer->mapped, 0xff, (size_t)buffer->bytes);
    }
    return recorded_binding(m, which);
}

/* What C's memory should be begins as it is. */
static inline void recorded_expect(recorded *m)
{
    const size_t bytes = (size_t)m->buffers[VKMM_C].bytes;
    m->want = realloc(m->want, bytes);
    memcpy(m->want, m->buffers[VKMM_C].mapped, bytes);
}

static inline void recorded_compare(const recorded *m, vkmm_type type)
{
    const uint64_t size = vkmm_type_of(type)->bytes;
    suite_compare(type, m->buffers[VKMM_C].mapped, m->want, m->buffers[VKMM_C].bytes / size, -(int64_t)(GUARD / size));
}

static inline void recorded_pack(const vkmm_gemm *gemm, vkmm_operand operand, vkmm_binding from, vkmm_binding to)
{
    VkCommandBuffer command = NULL;
    vkmm_status status = vkmm_command_begin(gemm->device, &command);
    if (status == VKMM_OK) status = vkmm_gemm_pack(gemm, command, operand, &from, &to, 0);
    if (status == VKMM_OK) vkmm_command_barrier_all(gemm->device, command);
    assert_ok(vkmm_command_finish(gemm->device, status, &command));
}

static inline void recorded_run(const vkmm_gemm *gemm, const vkmm_gemm_bindings *bindings)
{
    VkCommandBuffer command = NULL;
    vkmm_status status = vkmm_command_begin(gemm->device, &command);
    if (status == VKMM_OK) status = vkmm_gemm_record(gemm, command, bindings);
    if (status == VKMM_OK) vkmm_command_barrier_all(gemm->device, command);
    assert_ok(vkmm_command_finish(gemm->device, status, &command));
}
