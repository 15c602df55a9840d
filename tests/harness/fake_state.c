/* What the fake driver remembers: objects, faults, and the calls that are to fail. */
#include "fake_state.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

enum { FIRST_ID = 0xfa0000, KEPT = 32, SENTENCE = 240 };

fake_driver fake;

static once_flag once = ONCE_FLAG_INIT;
static mtx_t lock;
static char faults[KEPT][SENTENCE];
static unsigned fault_count;

static uint64_t calls[FAKE_CALL_COUNT];
static struct {
    int on;
    fake_call call; /* FAKE_FALLIBLE_COUNT: any */
    uint64_t n, times, seen, failed;
    VkResult result;
    int is_here; /* calls of `thread` alone */
    thrd_t thread;
} failing;

static const char *const call_names[FAKE_CALL_COUNT] = {
#define X(name) [FAKE_##name] = #name,
    FAKE_FALLIBLE(X) FAKE_OTHERS(X)
#undef X
};

static const char *const kind_names[FAKE_KIND_COUNT] = {
    "instance",       "physical device", "device",         "queue",  "memory",    "buffer",
    "pipeline cache", "shader module",   "set layout",     "layout", "pipeline",  "descriptor pool",
    "descriptor set", "command pool",    "command buffer", "fence",  "semaphore", "query pool"};

void fake_complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (fault_count < KEPT) vsnprintf(faults[fault_count], SENTENCE, format, arguments);
    va_end(arguments);
    fault_count++;
}

const char *fake_fault(unsigned index)
{
    return index < fault_count && index < KEPT ? faults[index] : NULL;
}

static void make_lock(void)
{
    mtx_init(&lock, mtx_plain);
}

static fake_object *of_id(uint64_t id)
{
    return id >= FIRST_ID && id - FIRST_ID < fake.count ? fake.objects[id - FIRST_ID] : NULL;
}

static int is_any(fake_call call)
{
    return failing.call == FAKE_FALLIBLE_COUNT && call < FAKE_FALLIBLE_COUNT;
}

/* Calls by which a lost device shows. */
static int waits_or_submits(fake_call call)
{
    return call == FAKE_vkQueueSubmit || call == FAKE_vkWaitForFences || call == FAKE_vkGetFenceStatus ||
           call == FAKE_vkDeviceWaitIdle || call == FAKE_vkQueueWaitIdle || call == FAKE_vkGetQueryPoolResults;
}

fake_object *fake_device_of(uint64_t id)
{
    fake_object *object = of_id(id);
    while (object && object->kind != FAKE_DEVICE) object = of_id(object->parent);
    return object;
}

VkResult fake_enter(fake_call call, const void *on)
{
    VkResult result = VK_SUCCESS;
    call_once(&once, make_lock);
    mtx_lock(&lock);
    calls[call]++;
    fake_object *device = fake_device_of((uint64_t)(uintptr_t)on);
    if (device && device->lost && waits_or_submits(call)) result = VK_ERROR_DEVICE_LOST;
    if (!failing.on || (call != failing.call && !is_any(call))) return result;
    if (failing.is_here && !thrd_equal(failing.thread, thrd_current())) return result;
    failing.seen++;
    if (failing.seen < failing.n || failing.seen >= failing.n + failing.times) return result;
    failing.failed++;
    result = failing.result;
    if (failing.result == VK_ERROR_DEVICE_LOST && device) {
        device->lost = 1;
        fake_retire(0, device);
    }
    return result;
}

void fake_leave(const VkResult *failure)
{
    mtx_unlock(&lock);
}

void fake_fail(const char *call, uint64_t n, uint64_t times, VkResult result)
{
    memset(&failing, 0, sizeof failing);
    if (!call) return;
    failing.on = 1;
    failing.n = n, failing.times = times, failing.result = result;
    failing.call = FAKE_FALLIBLE_COUNT;
    for (int i = 0; i < FAKE_FALLIBLE_COUNT; i++)
        if (strcmp(call, call_names[i]) == 0) failing.call = (fake_call)i;
    if (*call && failing.call == FAKE_FALLIBLE_COUNT)
        fake_complain("fake_fail: %s is no entry point that can fail", call);
}

void fake_fail_here(const char *call, uint64_t n, VkResult result)
{
    call_once(&once, make_lock);
    mtx_lock(&lock);
    fake_fail(call, n, 1, result);
    failing.is_here = 1;
    failing.thread = thrd_current();
    mtx_unlock(&lock);
}

uint64_t fake_failed(void)
{
    return failing.failed;
}

uint64_t fake_calls(const char *call)
{
    for (int i = 0; i < FAKE_CALL_COUNT; i++)
        if (call_names[i] && strcmp(call, call_names[i]) == 0) return calls[i];
    return 0;
}

const char *fake_fallible(unsigned index)
{
    return index < FAKE_FALLIBLE_COUNT ? call_names[index] : NULL;
}

fake_object *fake_make(fake_kind kind, uint64_t parent)
{
    if (fake.count == fake.capacity) {
        fake.capacity = fake.capacity ? 2 * fake.capacity : 64;
        fake.objects = realloc(fake.objects, fake.capacity * sizeof(fake_object *));
    }
    fake_object *object = calloc(1, sizeof *object);
    if (!fake.objects || !object) abort();
    *object = (fake_object){.kind = kind, .id = FIRST_ID + fake.count, .parent = parent, .alive = 1};
    fake.objects[fake.count++] = object;
    return object;
}

fake_object *fake_alive(uint64_t id)
{
    fake_object *object = of_id(id);
    return object && object->alive ? object : NULL;
}

fake_object *fake_find(uint64_t handle, fake_kind kind, const char *call)
{
    fake_object *object = of_id(handle);
    if (!object)
        fake_complain("%s: %#llx is no handle of a %s", call, (unsigned long long)handle, kind_names[kind]);
    else if (object->kind != kind)
        fake_complain("%s: a %s is given as a %s", call, kind_names[object->kind], kind_names[kind]);
    else if (!object->alive)
        fake_complain("%s: %s %#llx was destroyed before", call, kind_names[kind], (unsigned long long)handle);
    return object && object->alive && object->kind == kind ? object : NULL;
}

static int set_uses(uint64_t set, const fake_object *object)
{
    const fake_object *of = fake_alive(set);
    for (uint32_t i = 0; of && i < of->set.count; i++)
        if (of->set.bindings[i].buffer == object->id) return 1;
    return 0;
}

static int buffer_uses(uint64_t buffer, const fake_object *object)
{
    const fake_object *of = object->kind == FAKE_MEMORY ? fake_alive(buffer) : NULL;
    return buffer == object->id || (of && of->buffer.memory == object->id);
}

static int uses(const fake_object *command, const fake_object *object)
{
    for (uint32_t i = 0; i < command->command.count; i++) {
        const fake_step *s = &command->command.steps[i];
        if (buffer_uses(s->from, object) || buffer_uses(s->to, object)) return 1;
        if (s->pipeline == object->id || s->set == object->id || s->queries == object->id) return 1;
        if (s->set && object->kind == FAKE_BUFFER && set_uses(s->set, object)) return 1;
        const fake_object *set = s->set && object->kind == FAKE_MEMORY ? fake_alive(s->set) : NULL;
        for (uint32_t b = 0; set && b < set->set.count; b++)
            if (buffer_uses(set->set.bindings[b].buffer, object)) return 1;
    }
    return command->id == object->id;
}

void fake_touch(const fake_object *object, const char *how, const char *call)
{
    for (uint32_t i = 0; i < fake.count; i++) {
        fake_object *command = fake.objects[i];
        if (command->kind != FAKE_COMMAND || !command->alive || !uses(command, object)) continue;
        if (command->command.state == FAKE_PENDING)
            fake_complain("%s: %s %#llx is %s while a command buffer that uses it is in flight", call,
                          kind_names[object->kind], (unsigned long long)object->id, how);
        else if (command->command.state != FAKE_INITIAL && object->kind != FAKE_MEMORY)
            command->command.state = FAKE_INVALID;
    }
}

fake_object *fake_make_on(VkDevice device, fake_kind kind, const char *call)
{
    const fake_object *parent = fake_find((uint64_t)(uintptr_t)device, FAKE_DEVICE, call);
    return fake_make(kind, parent ? parent->id : 0);
}

/* Those end with their parent; all others must have been destroyed before it. */
static int ends_with_parent(fake_kind kind)
{
    return kind == FAKE_PHYSICAL || kind == FAKE_QUEUE || kind == FAKE_SET || kind == FAKE_COMMAND;
}

static void free_contents(fake_object *object)
{
    if (object->kind == FAKE_MEMORY) free(object->memory.data);
    if (object->kind == FAKE_COMMAND) free(object->command.steps);
    if (object->kind == FAKE_MEMORY) object->memory.data = NULL;
    if (object->kind == FAKE_COMMAND) object->command.steps = NULL, object->command.count = 0;
}

static void end_children(const fake_object *parent, const char *call)
{
    for (uint32_t i = 0; i < fake.count; i++) {
        fake_object *child = fake.objects[i];
        if (!child->alive || child->parent != parent->id) continue;
        if (!ends_with_parent(child->kind))
            fake_complain("%s: %s %#llx is left over", call, kind_names[child->kind], (unsigned long long)child->id);
        else
            fake_touch(child, "freed", call);
        end_children(child, call);
        child->alive = 0;
        free_contents(child);
    }
}

void fake_destroy(uint64_t handle, fake_kind kind, const char *call)
{
    fake_object *object = handle ? fake_find(handle, kind, call) : NULL;
    if (!object) return;
    if (kind == FAKE_FENCE && object->fence.pending) fake_complain("%s: the fence is in use by a submission", call);
    fake_touch(object, "destroyed", call);
    end_children(object, call);
    object->alive = 0;
    free_contents(object);
}

static uint64_t either(uint64_t value, uint64_t otherwise)
{
    return value ? value : otherwise;
}

static fake_caps complete(fake_caps caps)
{
    caps.heap_bytes = either(caps.heap_bytes, UINT64_C(1) << 30);
    caps.max_allocation_bytes = either(caps.max_allocation_bytes, caps.heap_bytes);
    caps.max_buffer_bytes = either(caps.max_buffer_bytes, caps.max_allocation_bytes);
    caps.max_storage_range = either(caps.max_storage_range, UINT64_C(1) << 27);
    caps.max_allocations = (uint32_t)either(caps.max_allocations, 4096);
    caps.api_version = (uint32_t)either(caps.api_version, VK_API_VERSION_1_3);
    caps.offset_alignment = (uint32_t)either(caps.offset_alignment, 256);
    caps.devices = (uint32_t)either(caps.devices, 1);
    return caps;
}

void fake_begin(const fake_caps *caps)
{
    call_once(&once, make_lock);
    fake = (fake_driver){.caps = complete(caps ? *caps : (fake_caps){0})};
    memset(calls, 0, sizeof calls);
    memset(&failing, 0, sizeof failing);
    fault_count = 0;
}

unsigned fake_end(void)
{
    const fake_object root = {.id = 0};
    mtx_lock(&lock);
    end_children(&root, "the end");
    for (uint32_t i = 0; i < fake.count; i++) {
        free_contents(fake.objects[i]);
        free(fake.objects[i]);
    }
    free(fake.objects);
    free(fake.submissions);
    fake = (fake_driver){.most_used = fake.most_used};
    mtx_unlock(&lock);
    return fault_count;
}

uint64_t fake_allocated(void)
{
    return fake.heap_used[0] + fake.heap_used[1];
}

uint64_t fake_allocated_on_host(void)
{
    return fake.heap_used[1];
}

uint64_t fake_most_allocated(void)
{
    return fake.most_used;
}
