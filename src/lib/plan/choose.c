#include "plan/choose.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "kernel/user.h"
#include "math/problem.h"
#include "math/type.h"
#include "plan/recipe.h"
#include "plan/parts.h"
#include "plan/recorded.h"

/* Every matrix is one binding, and a binding covers at most maxStorageBufferRange bytes. */
static vkmm_status check_ranges(const vkmm_device_info *device, const vkmm_problem *problem)
{
    for (int operand = VKMM_A; operand <= VKMM_BIAS; operand++) {
        const unsigned long long bytes = vkmm_whole_words(vkmm_operand_bytes(problem, (vkmm_operand)operand)),
                                 most = device->limits.max_storage_range;
        if (bytes <= most) continue;
        const vkmm_type_info *type = vkmm_type_of(problem->type),
                             *out = vkmm_type_of(vkmm_operand_type(problem, VKMM_C));
        const uint32_t size = type->bytes > out->bytes ? type->bytes : out->bytes;
        return vkmm_fail(
            VKMM_UNSUPPORTED,
            "%s needs %llu bytes; \"%s\" binds at most %llu (maxStorageBufferRange); the largest %s square is %llu",
            vkmm_operand_name((vkmm_operand)operand), bytes, device->name, most, type->name,
            (unsigned long long)sqrt((double)(most / size)));
    }
    return VKMM_OK;
}

/* Tutorial kernels and users' shaders; modules of general kernels have their own needs (VKMM_NEEDS_F64). */
static vkmm_status check_type(const vkmm_device_info *device, const vkmm_choice *choice)
{
    if (choice->module->type == VKMM_F64 && !device->features.f64 && !choice->kernel->tunables)
        return vkmm_fail(VKMM_UNSUPPORTED,
                         "\"%s\" has no 64-bit floats (shaderFloat64); general kernels compute f64 without",
                         device->name);
    return VKMM_OK;
}

/* What a tile means in the tutorials: each workgroup computes one, in shared memory. */
static const char *tile_kernel(void)
{
    uint32_t i = 0;
    while (vkmm_kernel_at(i)->spread != VKMM_SPREAD_GRID || !vkmm_kernel_at(i)->uses_shared) i++;
    return vkmm_kernel_at(i)->name;
}

/* The first of them: an example for messages. */
static const char *general_kernel(void)
{
    uint32_t i = 0;
    while (!vkmm_kernel_at(i)->tunables) i++;
    return vkmm_kernel_at(i)->name;
}

static vkmm_status refuse_general(const char *name)
{
    return vkmm_fail(VKMM_UNSUPPORTED,
                     "the kernel %s computes only plain products: one matrix, row-major and packed, no transposes, "
                     "alpha 1, beta 0, no bias, no activation; general kernels, such as %s, compute every problem",
                     name, general_kernel());
}

static vkmm_status refuse_type(const char *name, const vkmm_problem *problem)
{
    const vkmm_types types = vkmm_problem_types(problem);
    return vkmm_fail(VKMM_UNSUPPORTED,
                     "the kernel %s multiplies f32, f64, i32 and u32, each summed and stored as itself; %s summed in "
                     "%s and stored as %s needs a general kernel, such as %s",
                     name, vkmm_type_of(types.in)->name, vkmm_type_of(types.compute)->name,
                     vkmm_type_of(types.out)->name, general_kernel());
}

/* Whether C, and the sums, have another type than A and B, or a type that the tutorials' kernels do not support. */
static int is_narrow(const vkmm_problem *problem)
{
    const vkmm_types types = vkmm_problem_types(problem);
    return vkmm_type_of(types.in)->bytes < 4 || types.in != types.out || types.in != types.compute;
}

const vkmm_kernel *vkmm_any_kernel(const vkmm_device_info *device, const vkmm_problem *problem)
{
    const vkmm_kernel *kernel;
    for (uint32_t i = 0; (kernel = vkmm_kernel_at(i)) != NULL; i++) {
        if (!kernel->tunables || vkmm_refused_kernels(device, problem->type) & 1u << i) continue;
        const vkmm_config config = vkmm_planned_config(device, problem, kernel);
        if (vkmm_module_for(kernel->name, problem, device, NULL) &&
            !vkmm_config_forbidden_by(kernel, problem, &config, device))
            break;
    }
    return kernel;
}

/* What a device may lack for a module. */
static const struct {
    uint32_t need;
    const char *name;
} needs[] = {
    {VKMM_NEEDS_F16, "16-bit floats (shaderFloat16)"},
    {VKMM_NEEDS_I8, "8-bit integers (shaderInt8)"},
    {VKMM_NEEDS_F64, "64-bit floats (shaderFloat64)"},
    {VKMM_NEEDS_STORAGE16, "16-bit storage (storageBuffer16BitAccess)"},
    {VKMM_NEEDS_DOT8, "accelerated dot products of four bytes (shaderIntegerDotProduct)"},
    {VKMM_NEEDS_MATRIX, "matrix operations (VK_KHR_cooperative_matrix)"},
    {VKMM_NEEDS_BF16, "matrix operations on bf16 (shaderBFloat16CooperativeMatrix)"},
};

static const char *name_of(uint32_t lack)
{
    for (size_t i = 0; i < VKMM_COUNT(needs); i++)
        if (lack & needs[i].need) return needs[i].name;
    return "";
}

static int bits(uint32_t word)
{
    int count = 0;
    for (; word; word &= word - 1) count++;
    return count;
}

vkmm_status vkmm_refuse_module(const vkmm_device_info *device, const char *kernel, const vkmm_problem *problem)
{
    const vkmm_types types = vkmm_problem_types(problem);
    const char *in = vkmm_type_of(types.in)->name, *sum = vkmm_type_of(types.compute)->name;
    const vkmm_module *module;
    uint32_t least = UINT32_MAX; /* what the module lacks that lacks least */
    for (uint32_t i = 0; (module = vkmm_module_next(kernel, types.in, types.compute, &i)) != NULL && device;) {
        const uint32_t lack = module->needs & ~vkmm_device_offers(device, types.in);
        if (bits(lack) < bits(least)) least = lack;
    }
    if (least == UINT32_MAX)
        return vkmm_fail(VKMM_UNSUPPORTED, "this build has no %s shader for %s summed in %s", kernel, in, sum);
    if (least & VKMM_NEEDS_MATRIX && device->matrices.refusal && *device->matrices.refusal)
        return vkmm_fail(VKMM_UNSUPPORTED, "%s needs matrix operations, and \"%s\" has none: %s", kernel, device->name,
                         device->matrices.refusal);
    if (least == VKMM_NEEDS_BLOCKS)
        return vkmm_fail(VKMM_UNSUPPORTED,
                         "the kernel %s takes only products of a matrix in blocks (format_a, format_b)", kernel);
    return vkmm_fail(VKMM_UNSUPPORTED, "%s for %s summed in %s needs what \"%s\" lacks: %s", kernel, in, sum,
                     device->name, name_of(least));
}

static vkmm_status refuse_failed(const vkmm_device_info *device, const char *name, vkmm_type type)
{
    return vkmm_fail(VKMM_UNSUPPORTED,
                     "the kernel %s is not used for %s on \"%s\": its products were wrong when this driver was checked "
                     "(%.10s); 'vkmatmul check' checks them again",
                     name, vkmm_type_of(type)->name, device->name, device->check->date);
}

/* If the driver refused every kernel that computes the problem, the best of them is tried again: the user sees the
 * driver's error. */
static const char *automatic_kernel(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish,
                                    const vkmm_choice *choice)
{
    if (wish->tuned && !wish->config) return wish->tuned->kernel;
    const vkmm_kernel *kernel =
        vkmm_planned_kernel(device, &choice->problem, vkmm_refused_kernels(device, problem->type));
    if (kernel) return kernel->name;
    if (vkmm_problem_is_plain(problem) && !is_narrow(problem) &&
        !vkmm_kernel_failed(device, tile_kernel(), problem->type))
        return tile_kernel();
    kernel = vkmm_any_kernel(device, &choice->problem);
    if (kernel) return kernel->name;
    return vkmm_planned_kernel(device, &choice->problem, 0)->name;
}

const char *vkmm_asked_kernel(const vkmm_problem *problem, const vkmm_wish *wish)
{
    const int tile = wish->tile_rows && wish->tile_cols;
    if (wish->kernel && strcmp(wish->kernel, "auto") != 0) return wish->kernel;
    return tile && !wish->config && vkmm_problem_is_plain(problem) ? tile_kernel() : NULL;
}

static vkmm_status find_kernel(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish,
                               vkmm_choice *choice)
{
    if (wish->shader) {
        choice->kernel = &wish->shader->kernel;
        choice->module = &wish->shader->module;
        if (choice->module->type != problem->type)
            return vkmm_fail(VKMM_INVALID, "%s was compiled for %s, the problem is %s", wish->shader->name,
                             vkmm_type_of(choice->module->type)->name, vkmm_type_of(problem->type)->name);
        if (!vkmm_problem_is_plain(problem)) return refuse_general("user");
        return VKMM_OK;
    }
    const char *name = vkmm_asked_kernel(problem, wish);
    if (!name && device) name = automatic_kernel(device, problem, wish, choice);
    if (!name) return vkmm_fail(VKMM_NO_DEVICE, "a product without a device needs the kernel serial");
    choice->kernel = vkmm_kernel_find(name);
    if (!choice->kernel) return vkmm_fail(VKMM_INVALID, "there is no kernel \"%s\"", name);
    if (!choice->kernel->tunables && is_narrow(problem)) return refuse_type(name, problem);
    if (!choice->kernel->tunables && !vkmm_problem_is_plain(problem)) return refuse_general(name);
    if (choice->kernel->spread == VKMM_SPREAD_HOST) return VKMM_OK;
    if (vkmm_kernel_failed(device, name, problem->type)) return refuse_failed(device, name, problem->type);
    choice->module = device && choice->kernel->tunables
                         ? vkmm_module_for(name, &choice->problem, device, NULL)
                         : vkmm_module_find(vkmm_kernel_shader(choice->kernel), problem->type, VKMM_BUILD_PLAIN);
    if (!choice->module) return vkmm_refuse_module(device, name, &choice->problem);
    return VKMM_OK;
}

/* A packed vector is a row as well as a column. With narrow types, and beside blocks, a kernel reads several elements
 * at a time if they are neighbours along K. */
static void lay_vectors_along_k(vkmm_problem *problem)
{
    const int read_in_fours = vkmm_type_of(problem->type)->bytes < 4 || vkmm_problem_has_blocks(problem);
    if (!read_in_fours || problem->k == 0) return;
    if (problem->m == 1 && problem->op_a == VKMM_OP_T && problem->lda == 1) {
        problem->op_a = VKMM_OP_N;
        problem->lda = problem->k;
    }
    if (problem->n == 1 && problem->op_b == VKMM_OP_N && problem->ldb == 1) {
        problem->op_b = VKMM_OP_T;
        problem->ldb = problem->k;
    }
}

/* The method that takes a problem; NULL: it is multiplied directly. */
static const vkmm_method_plan *method_for(const vkmm_device_info *device, const vkmm_problem *problem,
                                          const vkmm_wish *wish)
{
    static const vkmm_method_plan *const methods[] = {&vkmm_split_plan, &vkmm_modular_plan, &vkmm_w8a8_plan};
    for (size_t i = 0; i < VKMM_COUNT(methods); i++)
        if (methods[i]->takes ? methods[i]->takes(device, problem, wish) : problem->method == methods[i]->method)
            return methods[i];
    return NULL;
}

static vkmm_status choose(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish,
                          vkmm_choice *choice)
{
    memset(choice, 0, sizeof *choice);
    const vkmm_method_plan *method = method_for(device, problem, wish);
    if (method) {
        const vkmm_status chosen = method->choose(device, problem, wish, choice);
        choice->info.method = choice->method ? choice->method->method : VKMM_COMPUTE_DIRECT;
        return chosen;
    }
    if (wish->moduli > 0)
        return vkmm_fail(VKMM_INVALID, "the number of moduli, %u, is for modular products, and reproducible ones",
                         wish->moduli);
    choice->terms = wish->terms;
    choice->problem = vkmm_problem_row_major(problem, &choice->swapped);
    lay_vectors_along_k(&choice->problem);
    if (device && vkmm_problem_has_blocks(problem)) vkmm_choose_unpacking(device, wish, choice);
    vkmm_status status = find_kernel(device, problem, wish, choice);
    if (status != VKMM_OK) return status;
    if (wish->pack & (VKMM_PACK_A | VKMM_PACK_B) && !choice->kernel->tunables)
        return vkmm_fail(VKMM_UNSUPPORTED, "the kernel %s cannot pack operands; general kernels, such as %s, can",
                         choice->kernel->name, general_kernel());
    if (choice->kernel->spread == VKMM_SPREAD_HOST) return vkmm_choose_tutorial(device, wish, choice);
    if (!device) return vkmm_fail(VKMM_NO_DEVICE, "the kernel %s needs a Vulkan device", choice->kernel->name);
    status = check_type(device, choice);
    if (status == VKMM_OK) status = check_ranges(device, problem);
    if (status != VKMM_OK) return status;
    if (choice->kernel->tunables) return vkmm_choose_general(device, wish, choice);
    status = vkmm_choose_tutorial(device, wish, choice);
    if (status == VKMM_OK && wish->shader) status = vkmm_shader_check(wish->shader, device, &choice->info);
    return status;
}

int vkmm_wish_is_open(const vkmm_wish *wish)
{
    const int automatic = !wish->kernel || strcmp(wish->kernel, "auto") == 0;
    return automatic && !wish->shader && !wish->config && !wish->tile_rows && !wish->tile_cols;
}

/* What was measured on this device or a similar one to be faster than the choice, if that is legal here and its kernel
 * not refused: 1. */
static int choose_recorded(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish,
                           const vkmm_choice *own, vkmm_choice *choice)
{
    if (!device || wish->untuned || wish->tuned || !vkmm_wish_is_open(wish)) return 0;
    const vkmm_recorded_tune *tune = vkmm_recorded_find(&vkmm_recorded_all, device, problem);
    if (!tune || strcmp(own->info.config, tune->slower) != 0) return 0;
    vkmm_wish with = *wish;
    with.tuned = &tune->best;
    if (choose(device, problem, &with, choice) != VKMM_OK || !choice->info.tuned) return 0;
    return !(vkmm_refused_kernels(device, problem->type) & vkmm_kernel_bit(choice->kernel));
}

vkmm_status vkmm_choose(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_wish *wish,
                        vkmm_choice *choice)
{
    vkmm_choice recorded;
    const vkmm_status status = choose(device, problem, wish, choice);
    if (status == VKMM_OK && choose_recorded(device, problem, wish, choice, &recorded)) *choice = recorded;
    return status;
}

vkmm_wish vkmm_wish_like(const vkmm_choice *whole)
{
    vkmm_wish wish = {.kernel = whole->kernel->name, .pack = vkmm_choice_packs(whole), .moduli = whole->residues.asked};
    if (whole->kernel->tunables) {
        wish.config = whole->info.config;
        wish.terms.unaligned = ~vkmm_usable_alignment(whole);
    } else {
        wish.tile_rows = whole->info.tile[0];
        wish.tile_cols = whole->info.tile[1];
    }
    return wish;
}

vkmm_wish vkmm_wish_of(const vkmm_job_params *params)
{
    return (vkmm_wish){.kernel = params->kernel,
                       .tile_rows = params->tile_rows,
                       .tile_cols = params->tile_cols,
                       .shader = params->shader,
                       .config = params->config,
                       .untuned = params->untuned,
                       .pack = params->pack,
                       .moduli = params->moduli};
}

vkmm_status vkmm_choose_job(const vkmm_log *log, const vkmm_device_info *device, const vkmm_job_params *params,
                            vkmm_choice *choice)
{
    const vkmm_wish wish = vkmm_wish_of(params);
    vkmm_status status = vkmm_problem_check(&params->problem);
    if (status == VKMM_OK) status = vkmm_choose(device, &params->problem, &wish, choice);
    if (status == VKMM_OK && choice->warning[0]) vkmm_say(log, VKMM_LOG_WARNING, "%s", choice->warning);
    return status;
}
