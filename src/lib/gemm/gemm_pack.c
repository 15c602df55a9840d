/* Recording the packing of an operand of a gemm. */
#include "base/log.h"
#include "gemm/gemm.h"
#include "math/problem.h"

vkmm_status vkmm_gemm_pack(const vkmm_gemm *gemm, VkCommandBuffer command, vkmm_operand operand,
                           const vkmm_binding *from, const vkmm_binding *to, uint32_t slot)
{
    VKMM_NEED(NULL, gemm);
    VKMM_NEED(NULL, command);
    VKMM_NEED(NULL, from);
    VKMM_NEED(NULL, to);
    if ((operand != VKMM_A && operand != VKMM_B) || !(gemm->packed & 1u << operand))
        return vkmm_fail(VKMM_INVALID, "this gemm does not pack operand %d", (int)operand);
    if (gemm->info.uses_slots && slot >= gemm->slots)
        return vkmm_fail(VKMM_INVALID, "slot is %u; the gemm has %u", slot, gemm->slots);
    const vkmm_repack *repack = vkmm_gemm_repack(gemm, operand);
    if (repack->bytes == 0) return VKMM_OK; /* an empty product */
    const uint64_t need = vkmm_whole_words(vkmm_operand_bytes(&gemm->problem, operand));
    if (!vkmm_gemm_can_bind(gemm, "from", from, need) || !vkmm_gemm_can_bind(gemm, "to", to, repack->bytes))
        return VKMM_INVALID;
    const vkmm_plan plan = gemm->info.uses_slots ? vkmm_plan_with(&gemm->plan, &gemm->sets, slot) : gemm->plan;
    const vkmm_part parts[] = {{from->buffer, from->offset, from->bytes}, {to->buffer, to->offset, to->bytes}};
    vkmm_plan_record_pack(gemm->device, &plan, (int)(repack - gemm->packs), &parts[0], &parts[1], command);
    return VKMM_OK;
}
