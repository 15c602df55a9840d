/* What scenarios are made of. */
#pragma once

#include "play.h"

/* Makes an instance and a device, acts, and ends both. */
void play_on_device(play *p, int (*act)(play *p, vkmm_instance *instance, vkmm_device *device));

vkmm_log play_log(play *p); /* counts errors */

/* Small whole numbers in the matrices, all ones between them. memory: vkmm_operand_bytes. */
void fill_operand(const vkmm_problem *problem, vkmm_operand operand, void *memory);

/* Verifies every element into p->status. operands: A, B, C and the bias. before: what C was. */
void judge_product(play *p, const vkmm_log *log, const vkmm_problem *problem, const void *const operands[4],
                   const void *before);

/* Another program lends its device, and records products into a command buffer of its own (lender.c); with a pipeline
 * cache of its own too, or with Vulkan 1.4 and its push descriptors. */
void act_lender(play *p);
void act_lender_1_4(play *p);
void act_lender_with_cache(play *p);

/* A fresh folder in p->folder, which scenario_play removes. */
int make_folder(play *p);
