/* Recording the packing of an operand of a gemm. */
#include "exec/gemm.h"
#include "math/problem.h"

vkmm_status vkmm_gemm_pack(const vkmm_gemm *gemm, VkCommandBuffer command, vkmm_operand operand,
                           const vkmm_binding *from, const vkmm_binding *to, uint32_t slot)
{
    if (!gemm || !command || !from || !to || (operand != VKMM_A && operand != VKMM_B)) return VKMM_INVALID;
    if (!(gemm->packed & 1u << operand) || (gemm->info.uses_slots && slot >= gemm->slots)) return VKMM_INVALID;
    const vkmm_repack *repack = vkmm_gemm_repack(gemm, operand);
    if (repack->bytes == 0) return VKMM_OK; /* an empty product */
    const uint64_t need = vkmm_whole_words(vkmm_operand_bytes(&gemm->problem, operand));
    if (!vkmm_gemm_can_bind(gemm, from, need) || !vkmm_gemm_can_bind(gemm, to, repack->bytes)) return VKMM_INVALID;
    const vkmm_plan plan = gemm->info.uses_slots ? vkmm_plan_with(&gemm->plan, &gemm->sets, slot) : gemm->plan;
    VkDescriptorBufferInfo bound[VKMM_MAX_BINDINGS]; /* every binding must be set */
    for (uint32_t i = 0; i < plan.binding_count; i++) {
        const vkmm_binding *binding = i == VKMM_BINDING_WORKSPACE ? to : from;
        bound[i] = (VkDescriptorBufferInfo){binding->buffer, binding->offset, binding->bytes};
    }
    uint32_t groups[3];
    vkmm_pack_push push = vkmm_plan_pack(&plan, repack == &gemm->plan.packs[VKMM_B] ? VKMM_B : VKMM_A, groups);
    push.offset = (uint32_t)vkmm_operand_offset(&gemm->problem, operand);
    vkmm_pipeline_bind(gemm->device, &plan.pipelines[VKMM_PLAN_PACKING], plan.binding_count, bound);
    vkmm_pipeline_use(gemm->device, &plan.pipelines[VKMM_PLAN_PACKING], plan.binding_count, bound, command);
    vkmm_pipeline_dispatch(gemm->device, &plan.pipelines[VKMM_PLAN_PACKING], &push, sizeof push, groups, command);
    return VKMM_OK;
}
