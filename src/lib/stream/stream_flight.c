/* Products in flight: at most VKMM_STREAM_FLIGHTS submissions, so that one waits while another runs and each shows how
 * large the next may be. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "copy/store.h"
#include "stream/stream.h"
#include "math/problem.h"
#include "math/type.h"
#include "vk/command.h"

uint64_t vkmm_stream_panel_at(const vkmm_stream *stream, const vkmm_step *step)
{
    return stream->panels_done + (uint64_t)(step - stream->steps) - stream->stored;
}

/* A panel's products may be many submissions. */
static void note(vkmm_stream_panel *panel, double begin, double end)
{
    if (panel->kernel_ms[1] == 0) panel->kernel_ms[0] = begin;
    if (end > panel->kernel_ms[1]) panel->kernel_ms[1] = end;
}

/* The oldest submission, ended. Where a timestamp is missing, the host's clock times it, and all later ones if there
 * was none before: the timeline has one clock. */
static vkmm_status reap(vkmm_stream *stream, vkmm_flight *flight)
{
    const int has_stamps = stream->zero != 0 || stream->times.clock != VKMM_CLOCK_HOST;
    double ms = -1, begin = -1;
    vkmm_status status = vkmm_command_wait(stream->device, flight->command);
    const double now = vkmm_now_ms();
    if (status == VKMM_OK && has_stamps) begin = vkmm_timer_since(stream->device, &flight->timer, &stream->zero, &ms);
    vkmm_command_free(stream->device, &flight->command);
    if (status != VKMM_OK) return status;
    if (begin < 0) {
        stream->times.clock = VKMM_CLOCK_HOST;
        begin = flight->submitted_ms > stream->last_end_ms ? flight->submitted_ms : stream->last_end_ms;
        ms = now - begin;
        begin -= stream->zero != 0 ? stream->zero_ms : stream->start_ms;
    } else if (now - begin - ms < stream->zero_ms) {
        stream->zero_ms = now - begin - ms;
    }
    stream->last_end_ms = now;
    note(&stream->timeline[flight->panel], begin, begin + ms);
    stream->times.kernel_ms += ms;
    if (ms > stream->times.longest_ms) stream->times.longest_ms = ms;
    if (flight->items > 0) vkmm_slices_learn(&stream->slices, flight->items, ms);
    if (flight->turn > stream->turns_done) stream->turns_done = flight->turn;
    return VKMM_OK;
}

/* Flights end in the order in which they began: the oldest one's slot is the next to be used. */
static vkmm_status reap_oldest(vkmm_stream *stream, int *any)
{
    for (uint32_t i = 0; i < VKMM_STREAM_FLIGHTS; i++) {
        vkmm_flight *flight = &stream->flights[(stream->next_flight + i) % VKMM_STREAM_FLIGHTS];
        if (!flight->command) continue;
        *any = 1;
        return reap(stream, flight);
    }
    *any = 0;
    return VKMM_OK;
}

vkmm_status vkmm_stream_wait(vkmm_stream *stream, uint64_t turn)
{
    vkmm_status status = VKMM_OK;
    int any = 1;
    while (stream->turns_done < turn && any && status == VKMM_OK) {
        status = reap_oldest(stream, &any);
        if (status == VKMM_OK) status = vkmm_stream_tell(stream);
    }
    return status;
}

int vkmm_stream_ended(vkmm_stream *stream, uint64_t turn)
{
    int ended = stream->turns_done >= turn;
    for (int i = 0; i < VKMM_STREAM_FLIGHTS && !ended; i++) {
        const vkmm_flight *flight = &stream->flights[i];
        ended = flight->command && flight->turn >= turn && vkmm_command_ended(stream->device, flight->command);
    }
    return ended;
}

void vkmm_stream_drain(vkmm_stream *stream)
{
    vkmm_device *device = stream->device;
    for (int i = 0; i < VKMM_STREAM_FLIGHTS; i++) vkmm_command_free(device, &stream->flights[i].command);
    for (int i = 0; i < VKMM_STREAM_CHUNKS; i++) vkmm_command_free(device, &stream->chunks[i].command);
    stream->storing = 0;
}

vkmm_status vkmm_stream_plan_add(vkmm_stream *stream, const vkmm_plan *plan)
{
    vkmm_stream_plan made = {.plan = *plan},
                     *grown = vkmm_realloc(stream->plans, stream->plan_count + 1, sizeof *grown);
    vkmm_status status = VKMM_OK;
    if (grown)
        stream->plans = grown;
    else
        status = VKMM_NO_MEMORY(stream->log, "for a plan");
    if (status == VKMM_OK) status = vkmm_plan_sets_create(stream->device, plan, VKMM_STREAM_FLIGHTS, &made.sets);
    if (status == VKMM_OK)
        grown[stream->plan_count++] = made;
    else
        vkmm_stream_plan_destroy(stream->device, &made);
    return status;
}

void vkmm_stream_plan_destroy(vkmm_device *device, vkmm_stream_plan *p)
{
    vkmm_plan_sets_destroy(device, &p->sets);
    vkmm_plan_destroy(device, &p->plan);
    *p = (vkmm_stream_plan){0};
}

vkmm_status vkmm_stream_choose(vkmm_stream *stream, const vkmm_step *step, uint64_t part, vkmm_choice *choice)
{
    vkmm_problem cut = vkmm_stream_cut(stream, step, part);
    const vkmm_kernel_info *whole = &stream->whole.info;
    vkmm_wish wish = {.kernel = stream->whole.kernel->name,
                      .shader = stream->shader,
                      .pack = VKMM_PACK_NEVER,
                      .moduli = stream->whole.residues.asked,
                      .terms.in_one = 1}; /* as the whole */
    cut.method = vkmm_choice_method(&stream->whole);
    if (stream->whole.kernel->tunables) {
        wish.config = whole->config;
        wish.terms.unaligned = ~vkmm_usable_alignment(&stream->whole);
    } else {
        wish.tile_rows = whole->tile[0];
        wish.tile_cols = whole->tile[1];
    }
    const vkmm_status status = vkmm_choose(stream->log, &stream->device->physical->info, &cut, &wish, choice);
    choice->run = stream->whole.run; /* so that no bit depends on how C is cut */
    return status;
}

/* There are few pipelines: only panels at the edges may need another one. */
static vkmm_status find_plan(vkmm_stream *stream, const vkmm_step *step, uint64_t part, vkmm_stream_plan **plan)
{
    vkmm_choice choice;
    vkmm_status status = vkmm_stream_choose(stream, step, part, &choice);
    if (status != VKMM_OK) return status;
    for (uint32_t i = 0; i < stream->plan_count; i++) {
        *plan = &stream->plans[i];
        if (vkmm_plan_fit(stream->device, &choice, &(*plan)->plan)) return VKMM_OK;
    }
    vkmm_plan made;
    status = vkmm_plan_create(stream->device, &choice, &made);
    if (status == VKMM_OK) status = vkmm_stream_plan_add(stream, &made);
    if (status == VKMM_OK) *plan = &stream->plans[stream->plan_count - 1];
    return status;
}

/* What the kernel sees of the panels. */
static void bind(vkmm_stream *stream, vkmm_plan *plan, const vkmm_step *step, uint64_t part,
                 const vkmm_slot *const slots[3])
{
    const vkmm_problem cut = vkmm_stream_cut(stream, step, part);
    const uint64_t size = vkmm_type_of(vkmm_operand_type(&stream->problem, VKMM_C))->bytes;
    vkmm_part parts[VKMM_MAX_BINDING_COUNT] = {0};
    for (int o = VKMM_A; o <= VKMM_C; o++)
        parts[o] = (vkmm_part){slots[o]->buffer.handle, slots[o]->lead, vkmm_cut_bytes(&cut, (vkmm_operand)o)};
    vkmm_part_show_guard(stream->device, plan->module, slots[VKMM_C]->lead + stream->pieces.c_bytes + VKMM_GUARD_BYTES,
                         &parts[VKMM_C]);
    if (plan->info.workspace_bytes > 0)
        parts[VKMM_BINDING_WORKSPACE] = (vkmm_part){stream->workspace.handle, 0, plan->info.workspace_bytes};
    if (cut.has_bias)
        parts[VKMM_BIAS_PART] = (vkmm_part){stream->bias.handle, step->col * size, vkmm_whole_words(step->cols * size)};
    vkmm_plan_bind(stream->device, plan, parts);
}

static vkmm_status record(vkmm_stream *stream, const vkmm_plan *plan, uint64_t first, uint64_t end, vkmm_flight *flight)
{
    vkmm_device *device = stream->device;
    vkmm_status status = vkmm_command_begin(device, &flight->command);
    if (status != VKMM_OK) return status;
    /* The panels, and the workspace, C and sums that products before left. */
    vkmm_command_barrier_all(device, flight->command);
    vkmm_timer_start(device, flight->command, &flight->timer);
    if (first == 0) vkmm_plan_record_workspace(device, plan, &plan->workspace, flight->command);
    vkmm_plan_record_items(device, plan, first, end, flight->command);
    vkmm_timer_mark(device, flight->command, &flight->timer, 1);
    vkmm_command_barrier_all(device, flight->command);
    return vkmm_command_end(device, flight->command);
}

/* Some drivers compile a pipeline in its first dispatch: not in one that is timed. */
static vkmm_status use_once(vkmm_stream *stream, const vkmm_plan *plan, vkmm_stream_plan *p)
{
    VkCommandBuffer command = NULL;
    if (p->is_used) return VKMM_OK;
    vkmm_status status = vkmm_command_begin(stream->device, &command);
    if (status == VKMM_OK) vkmm_plan_record_nothing(stream->device, plan, command);
    status = vkmm_command_finish(stream->device, status, &command);
    p->is_used = status == VKMM_OK;
    return status;
}

static vkmm_status fly(vkmm_stream *stream, vkmm_stream_plan *p, const vkmm_step *step, uint64_t part,
                       const vkmm_slot *const slots[3], uint64_t first, uint64_t end)
{
    vkmm_flight *flight = &stream->flights[stream->next_flight];
    vkmm_plan plan = vkmm_plan_with(&p->plan, &p->sets, stream->next_flight);
    const int last = end == vkmm_plan_items(&plan);
    vkmm_status status = flight->command ? reap(stream, flight) : VKMM_OK;
    if (status != VKMM_OK) return status;
    bind(stream, &plan, step, part, slots);
    status = use_once(stream, &plan, p);
    if (status != VKMM_OK) return status;
    status = record(stream, &plan, first, end, flight);
    if (status == VKMM_OK)
        status = stream->is_loading ? vkmm_command_submit_after_copies(stream->device, flight->command)
                                    : vkmm_command_submit(stream->device, flight->command);
    if (status != VKMM_OK) {
        vkmm_command_free(stream->device, &flight->command);
        return status;
    }
    stream->is_loading = 0;
    flight->items = end - first;
    flight->turn = last ? stream->turns + 1 : 0;
    flight->panel = vkmm_stream_panel_at(stream, step);
    flight->submitted_ms = vkmm_now_ms();
    stream->next_flight = (stream->next_flight + 1) % VKMM_STREAM_FLIGHTS;
    stream->times.dispatches++;
    return VKMM_OK;
}

/* Until a known speed says how large the next slice may be, each slice is waited for. */
static int must_learn(const vkmm_slices *slices, uint64_t next, uint64_t left)
{
    return next < left && (slices->largest == 0 || (double)next < slices->items_per_ms * VKMM_SLICE_MS / 2);
}

vkmm_status vkmm_stream_submit(vkmm_stream *stream, const vkmm_step *step, uint64_t part, const vkmm_slot *a,
                               const vkmm_slot *b, const vkmm_slot *c)
{
    const vkmm_slot *const slots[3] = {a, b, c};
    const vkmm_problem cut = vkmm_stream_cut(stream, step, part);
    vkmm_stream_plan *p = NULL;
    int any = 1;
    if (part == 0) stream->timeline[vkmm_stream_panel_at(stream, step)].load_ms[1] = vkmm_now_ms() - stream->start_ms;
    vkmm_status status = find_plan(stream, step, part, &p);
    if (status != VKMM_OK) return status;
    const uint64_t items = vkmm_plan_items(&p->plan);
    vkmm_slices *slices = &stream->slices;
    const vkmm_slices fresh = vkmm_slices_of(items, vkmm_problem_flops(&cut));
    slices->items = items;
    slices->first = fresh.first;
    for (uint64_t first = 0, end; first < items && status == VKMM_OK; first = end) {
        end = first + vkmm_slices_next(slices, items - first);
        status = fly(stream, p, step, part, slots, first, end);
        if (status == VKMM_OK && must_learn(slices, end - first, items - first))
            while (any && status == VKMM_OK) status = reap_oldest(stream, &any);
        any = 1;
        if (status == VKMM_OK) status = vkmm_stream_tell(stream);
    }
    stream->turns++;
    return status;
}
