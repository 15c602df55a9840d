/* Products in flight: at most VKMM_STREAM_FLIGHTS submissions, so that one waits while another runs and each shows how
 * large the next may be. */
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "copy/store.h"
#include "stream/stream.h"
#include "math/problem.h"
#include "math/type.h"
#include "vk/command.h"

enum { SETS = 3 }; /* of a plan for each flight: to multiply, and to pack A and B */

uint64_t vkmm_lane_panel_at(const vkmm_lane *lane, const vkmm_step *step)
{
    return lane->done.panels + (uint64_t)(step - lane->todo.steps) - lane->todo.stored;
}

/* A panel's products may be many submissions. */
static void note(vkmm_stream_panel *panel, double begin, double end)
{
    if (panel->kernel_ms[1] == 0) panel->kernel_ms[0] = begin;
    if (end > panel->kernel_ms[1]) panel->kernel_ms[1] = end;
}

/* The oldest submission, ended. Where a timestamp is missing, the host's clock times it, and all later ones if there
 * was none before: the timeline has one clock. */
static vkmm_status reap(vkmm_lane *lane, vkmm_flight *flight)
{
    const int has_stamps = lane->done.zero != 0 || lane->times.clock != VKMM_CLOCK_HOST;
    double ms = -1, begin = -1;
    vkmm_status status = vkmm_command_wait(lane->device, flight->command);
    const double now = vkmm_now_ms();
    if (status == VKMM_OK && has_stamps) begin = vkmm_timer_since(lane->device, &flight->timer, &lane->done.zero, &ms);
    vkmm_command_free(lane->device, &flight->command);
    if (status != VKMM_OK) return status;
    if (begin < 0) {
        lane->times.clock = VKMM_CLOCK_HOST;
        begin = flight->submitted_ms > lane->queue.last_end_ms ? flight->submitted_ms : lane->queue.last_end_ms;
        ms = now - begin;
        begin -= lane->done.zero != 0 ? lane->done.zero_ms : lane->stream->start_ms;
    } else if (now - begin - ms < lane->done.zero_ms) {
        lane->done.zero_ms = now - begin - ms;
    }
    lane->queue.last_end_ms = now;
    note(&lane->done.timeline[flight->panel], begin, begin + ms);
    lane->times.kernel_ms += ms;
    if (ms > lane->times.longest_ms) lane->times.longest_ms = ms;
    if (flight->items > 0) vkmm_slices_learn(&lane->queue.slices, flight->items, ms);
    if (flight->turn > lane->queue.turns_done) lane->queue.turns_done = flight->turn;
    return VKMM_OK;
}

/* Flights end in the order in which they began: the oldest one's slot is the next to be used. NULL: there is none. */
static vkmm_flight *oldest(vkmm_lane *lane)
{
    for (uint32_t i = 0; i < VKMM_STREAM_FLIGHTS; i++) {
        vkmm_flight *flight = &lane->queue.flights[(lane->queue.next + i) % VKMM_STREAM_FLIGHTS];
        if (flight->command) return flight;
    }
    return NULL;
}

vkmm_status vkmm_lane_wait(vkmm_lane *lane, uint64_t turn)
{
    vkmm_status status = VKMM_OK;
    for (vkmm_flight *one; lane->queue.turns_done < turn && status == VKMM_OK && (one = oldest(lane)) != NULL;) {
        status = reap(lane, one);
        if (status == VKMM_OK) status = vkmm_lane_tell(lane);
    }
    return status;
}

int vkmm_lane_ended(vkmm_lane *lane, uint64_t turn)
{
    int ended = lane->queue.turns_done >= turn;
    for (int i = 0; i < VKMM_STREAM_FLIGHTS && !ended; i++) {
        const vkmm_flight *flight = &lane->queue.flights[i];
        ended = flight->command && flight->turn >= turn && vkmm_command_ended(lane->device, flight->command);
    }
    return ended;
}

void vkmm_lane_drain(vkmm_lane *lane)
{
    vkmm_device *device = lane->device;
    for (int i = 0; i < VKMM_STREAM_FLIGHTS; i++) vkmm_command_free(device, &lane->queue.flights[i].command);
    for (int i = 0; i < VKMM_STREAM_CHUNKS; i++) vkmm_command_free(device, &lane->staging.chunks[i].command);
    lane->staging.storing = 0;
}

vkmm_lane_plan *vkmm_lane_plan_find(vkmm_lane *lane, const vkmm_choice *choice)
{
    for (uint32_t i = 0; i < lane->plan_count; i++)
        if (vkmm_plan_fit(lane->device, choice, &lane->plans[i].plan)) return &lane->plans[i];
    return NULL;
}

vkmm_status vkmm_lane_plan_add(vkmm_lane *lane, const vkmm_plan *plan)
{
    vkmm_lane_plan made = {.plan = *plan};
    vkmm_status status = vkmm_plan_sets_create(lane->device, plan, VKMM_STREAM_FLIGHTS * SETS, &made.sets);
    vkmm_lane_plan *added = status == VKMM_OK ? vkmm_list_add(&lane->plans, &lane->plan_count, 1, sizeof made) : NULL;
    if (status == VKMM_OK && !added) status = VKMM_NO_MEMORY("for a plan");
    if (added)
        *added = made;
    else
        vkmm_lane_plan_destroy(lane->device, &made);
    return status;
}

void vkmm_lane_plan_destroy(vkmm_device *device, vkmm_lane_plan *p)
{
    vkmm_plan_sets_destroy(device, &p->sets);
    vkmm_plan_destroy(device, &p->plan);
    *p = (vkmm_lane_plan){0};
}

vkmm_status vkmm_lane_choose(vkmm_lane *lane, const vkmm_step *step, uint64_t part, vkmm_choice *choice)
{
    vkmm_problem cut = vkmm_lane_cut(lane, step, part);
    if (lane->last.kernel && memcmp(&lane->last_cut, &cut, sizeof cut) == 0) {
        *choice = lane->last;
        return VKMM_OK;
    }
    lane->last_cut = cut;
    vkmm_wish wish = vkmm_wish_like(&lane->whole);
    wish.shader = lane->stream->shader;
    wish.pack |= VKMM_PACK_BOUND | VKMM_PACK_NEVER;
    wish.terms.in_one = 1; /* as the whole */
    cut.method = lane->whole.info.method;
    const vkmm_status status = vkmm_choose(&lane->device->physical->info, &cut, &wish, choice);
    choice->run = lane->whole.run; /* so that no bit depends on how C is cut */
    lane->last = status == VKMM_OK ? *choice : (vkmm_choice){0};
    return status;
}

/* A product to submit. */
typedef struct turn {
    const vkmm_step *step;
    uint64_t part;
    vkmm_slot *slots[3];
    vkmm_problem cut;
    vkmm_choice choice;
} turn;

/* There are few pipelines: only panels at the edges may need another one. */
static vkmm_status find_plan(vkmm_lane *lane, turn *t, vkmm_lane_plan **plan)
{
    vkmm_status status = vkmm_lane_choose(lane, t->step, t->part, &t->choice);
    if (status != VKMM_OK || (*plan = vkmm_lane_plan_find(lane, &t->choice)) != NULL) return status;
    vkmm_plan made;
    status = vkmm_plan_create(lane->device, &t->choice, &made);
    if (status == VKMM_OK) status = vkmm_lane_plan_add(lane, &made);
    if (status == VKMM_OK) *plan = &lane->plans[lane->plan_count - 1];
    return status;
}

/* A panel as it was loaded or stored, or (r not NULL) packed, in the same slot. */
static vkmm_part part_of(const vkmm_lane *lane, const turn *t, int o, const vkmm_repack *r)
{
    const vkmm_slot *slot = t->slots[o];
    if (r && r->bound) return (vkmm_part){slot->buffer.handle, lane->pieces.packed_at[o], r->bytes};
    return (vkmm_part){slot->buffer.handle, slot->lead, vkmm_cut_bytes(&t->cut, (vkmm_operand)o)};
}

/* What the kernel sees of the panels. */
static void bind(vkmm_lane *lane, vkmm_plan *plan, const turn *t)
{
    const uint64_t size = vkmm_type_of(vkmm_operand_type(&lane->stream->problem, VKMM_C))->bytes;
    vkmm_part parts[VKMM_MAX_BINDING_COUNT] = {0};
    for (int o = VKMM_A; o <= VKMM_C; o++)
        parts[o] = part_of(lane, t, o, o == VKMM_C ? NULL : &t->choice.packs[t->choice.swapped ? VKMM_B - o : o]);
    vkmm_part_show_guard(lane->device, plan->module, t->slots[VKMM_C]->lead + lane->pieces.c_bytes + VKMM_GUARD_BYTES,
                         &parts[VKMM_C]);
    parts[VKMM_BINDING_WORKSPACE] = parts[VKMM_C]; /* every binding must be set */
    if (plan->info.workspace_bytes > 0)
        parts[VKMM_BINDING_WORKSPACE] = (vkmm_part){lane->memory.workspace.handle, 0, plan->info.workspace_bytes};
    if (t->cut.has_bias)
        parts[VKMM_BIAS_PART] =
            (vkmm_part){lane->memory.bias.handle, t->step->col * size, vkmm_whole_words(t->step->cols * size)};
    vkmm_plan_bind(lane->device, plan, parts);
}

/* Packs what the slots do not have packed yet, as this product needs it. */
static void pack(vkmm_lane *lane, const vkmm_lane_plan *p, const turn *t, VkCommandBuffer command)
{
    int any = 0;
    for (int o = VKMM_A; o <= VKMM_B; o++) {
        const vkmm_repack *r = &t->choice.packs[o];
        const int operand = t->choice.swapped ? VKMM_B - o : o;
        vkmm_repack *has = &t->slots[operand]->packed;
        if (!r->bound || (has->bytes == r->bytes && has->ld == r->ld && has->transposed == r->transposed)) continue;
        const vkmm_plan plan =
            vkmm_plan_with(&p->plan, &p->sets, VKMM_STREAM_FLIGHTS + 2 * lane->queue.next + (uint32_t)o);
        const vkmm_part from = part_of(lane, t, operand, NULL), to = part_of(lane, t, operand, r);
        vkmm_plan_record_pack(lane->device, &plan, o, &from, &to, command);
        *has = *r;
        any = 1;
    }
    if (any) vkmm_plan_record_barrier(lane->device, command);
}

static vkmm_status record(vkmm_lane *lane, const vkmm_lane_plan *p, const vkmm_plan *plan, const turn *t,
                          uint64_t first, uint64_t end)
{
    vkmm_device *device = lane->device;
    vkmm_flight *flight = &lane->queue.flights[lane->queue.next];
    vkmm_status status = vkmm_command_begin(device, &flight->command);
    if (status != VKMM_OK) return status;
    /* The panels, and the workspace, C and sums that products before left. */
    vkmm_command_barrier_all(device, flight->command);
    vkmm_timer_start(device, flight->command, &flight->timer);
    pack(lane, p, t, flight->command);
    if (first == 0) vkmm_plan_record_workspace(device, plan, &plan->workspace, flight->command);
    vkmm_plan_record_items(device, plan, first, end, flight->command);
    vkmm_timer_mark(device, flight->command, &flight->timer, 1);
    if (end == vkmm_plan_items(plan))
        vkmm_lane_copy_guards(lane, t->slots[VKMM_C], flight->command);
    else
        vkmm_command_barrier_all(device, flight->command);
    return vkmm_command_end(device, flight->command);
}

/* Some drivers compile a pipeline in its first dispatch: not in one that is timed. */
static vkmm_status use_once(vkmm_lane *lane, const vkmm_plan *plan, vkmm_lane_plan *p)
{
    VkCommandBuffer command = NULL;
    if (p->is_used) return VKMM_OK;
    vkmm_status status = vkmm_command_once(lane->device, &command);
    if (status == VKMM_OK) vkmm_plan_record_nothing(lane->device, plan, command);
    status = vkmm_command_finish(lane->device, status, &command);
    p->is_used = status == VKMM_OK;
    return status;
}

static vkmm_status fly(vkmm_lane *lane, vkmm_lane_plan *p, const turn *t, uint64_t first, uint64_t end)
{
    vkmm_flight *flight = &lane->queue.flights[lane->queue.next];
    vkmm_plan plan = vkmm_plan_with(&p->plan, &p->sets, lane->queue.next);
    const int last = end == vkmm_plan_items(&plan);
    vkmm_status status = flight->command ? reap(lane, flight) : VKMM_OK;
    if (status != VKMM_OK) return status;
    bind(lane, &plan, t);
    status = use_once(lane, &plan, p);
    if (status != VKMM_OK) return status;
    status = record(lane, p, &plan, t, first, end);
    if (status == VKMM_OK) status = vkmm_command_submit(lane->device, flight->command, lane->staging.is_loading);
    if (status != VKMM_OK) {
        vkmm_command_free(lane->device, &flight->command);
        return status;
    }
    lane->staging.is_loading = 0;
    flight->items = end - first;
    flight->turn = last ? lane->queue.turns + 1 : 0;
    flight->panel = vkmm_lane_panel_at(lane, t->step);
    flight->submitted_ms = vkmm_now_ms();
    lane->queue.next = (lane->queue.next + 1) % VKMM_STREAM_FLIGHTS;
    lane->times.dispatches++;
    return VKMM_OK;
}

/* Until a known speed says how large the next slice may be, each slice is waited for. */
static int must_learn(const vkmm_slices *slices, uint64_t next, uint64_t left)
{
    return next < left && (slices->largest == 0 || (double)next < slices->items_per_ms * VKMM_SLICE_MS / 2);
}

vkmm_status vkmm_lane_submit(vkmm_lane *lane, const vkmm_step *step, uint64_t part, vkmm_slot *a, vkmm_slot *b,
                             vkmm_slot *c)
{
    turn t = {.step = step, .part = part, .slots = {a, b, c}, .cut = vkmm_lane_cut(lane, step, part)};
    vkmm_lane_plan *p = NULL;
    if (part == 0)
        lane->done.timeline[vkmm_lane_panel_at(lane, step)].load_ms[1] = vkmm_now_ms() - lane->stream->start_ms;
    vkmm_status status = find_plan(lane, &t, &p);
    if (status != VKMM_OK) return status;
    const uint64_t items = vkmm_plan_items(&p->plan);
    vkmm_slices *slices = &lane->queue.slices;
    const vkmm_slices fresh = vkmm_slices_of(items, vkmm_problem_flops(&t.cut));
    slices->items = items;
    slices->first = fresh.first;
    for (uint64_t first = 0, end; first < items && status == VKMM_OK; first = end) {
        end = first + vkmm_slices_next(slices, items - first);
        status = fly(lane, p, &t, first, end);
        const int learns = must_learn(slices, end - first, items - first);
        for (vkmm_flight *one; learns && status == VKMM_OK && (one = oldest(lane)) != NULL;) status = reap(lane, one);
        if (status == VKMM_OK) status = vkmm_lane_tell(lane);
    }
    lane->queue.turns++;
    return status;
}
