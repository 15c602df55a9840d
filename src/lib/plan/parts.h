/* The parts of vkmm_choose, and what else the files of this folder share. Private to it. */
#pragma once

#include "base/limits.h"
#include "kernel/general.h"
#include "plan/choose.h"

/* Both complete a choice whose kernel, module and row-major problem are set: tile or configuration, workgroups,
 * specialization constants. */
vkmm_status vkmm_choose_tutorial(const vkmm_device_info *device, const vkmm_wish *wish, vkmm_choice *choice);
vkmm_status vkmm_choose_general(const vkmm_device_info *device, const vkmm_wish *wish, vkmm_choice *choice);

/* Adds a specialization constant, for which there is room. */
void vkmm_info_constant(vkmm_kernel_info *info, uint32_t id, uint32_t value);

/* The kernel that is asked for by name or, for a plain product, by a tile alone; NULL: none. And any general kernel for
 * a problem that the driver has not refused. */
const char *vkmm_asked_kernel(const vkmm_problem *problem, const vkmm_wish *wish);
const vkmm_kernel *vkmm_any_kernel(const vkmm_device_info *device, const vkmm_problem *problem);

/* The planner: the general kernel for a row-major problem without any measurement (NULL: all that suit are among the
 * bits `refused`), and a legal configuration of a kernel. */
const vkmm_kernel *vkmm_planned_kernel(const vkmm_device_info *device, const vkmm_problem *problem, uint32_t refused);
vkmm_config vkmm_planned_config(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_kernel *kernel);

/* Packs operands of a row-major problem for a general kernel, as wished or where it is faster: 1, and choice->problem
 * and choice->packs are set; or 0. Then, once the kernel's own workspace is known, packed operands get their place in
 * it: 0 if the device's limits or memory do not allow that. */
int vkmm_choose_packs(const vkmm_device_info *device, const vkmm_wish *wish, vkmm_choice *choice);
int vkmm_place_packs(const vkmm_device_info *device, vkmm_choice *choice);

/* At most so many bytes has an operand of a part of the product of a choice if the choice packs it; otherwise 0. */
uint64_t vkmm_packed_most(const vkmm_choice *choice, const vkmm_problem *part, vkmm_operand operand);

/* An operand's extent across K. */
uint64_t vkmm_extent_across(const vkmm_problem *problem, vkmm_operand operand);

/* Leaves blocks to a step before the product, unless the kernel that is asked for can read them, or the planner's suits
 * them: choice->packs have their format, and choice->problem is plain. */
void vkmm_choose_unpacking(const vkmm_device_info *device, const vkmm_wish *wish, vkmm_choice *choice);

/* VKMM_OUT_* of elements of a type. */
uint32_t vkmm_stored_as(vkmm_type type);

/* Packs one operand, with a K of `depth`; how: bits VKMM_PACK_ONCE, VKMM_PACK_BOUND; line_words: words that are kept of
 * each of its lines before the first packed matrix (vkmm_repack.first). */
void vkmm_take_pack(vkmm_choice *choice, vkmm_operand operand, uint64_t depth, uint32_t how, uint64_t line_words);

/* Bytes that a GPU reads at once; and the largest alignment of a binding that Vulkan allows a device to require. */
enum { VKMM_LINE = 128, VKMM_BINDING_ALIGNMENT = 256 };

/* How much of C a kernel computes in whole rounds of its tiles, by the planner's estimate: 1 if *cols columns, or *rows
 * rows, are left that take less than the round they would be; 0: all of C, or the configuration is not the planner's.
 */
int vkmm_planned_edge(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_kernel *kernel,
                      const vkmm_config *config, uint64_t *rows, uint64_t *cols);

/* VKMM_UNSUPPORTED, with a sentence: why the kernel has no module for the problem's types here: a feature that the
 * device lacks, or a shader that the build lacks. */
vkmm_status vkmm_refuse_module(const vkmm_device_info *device, const char *kernel, const vkmm_problem *problem);

/* Work items of a configuration: tiles of all matrices of the batch, times parts of K. */
uint64_t vkmm_config_tiles(const vkmm_problem *problem, const vkmm_config *config);

/* Tiles in complete rounds of the device's processors, rounded down to complete tile rows; 0 without a tail, or if all
 * rounds are complete. */
uint64_t vkmm_whole_tiles(const vkmm_device_info *device, const vkmm_problem *problem, const vkmm_config *config);

/* How K is cut into the configuration's parts: *splits parts (none of them empty, so perhaps fewer) of the returned
 * depth, a multiple of the step's. */
uint32_t vkmm_config_splits(const vkmm_problem *problem, const vkmm_config *config, uint32_t *splits);
