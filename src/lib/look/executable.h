/* What a driver reports about a pipeline that it compiled: VK_KHR_pipeline_executable_properties. */
#pragma once

#include "look/steps.h"
#include "vk/pipeline.h"

/* The subgroup size and the statistics of a pipeline made with capture_statistics, on a device with
 * features.statistics. *count: capacity on input, entries on output; statistics beyond the capacity are omitted. Texts
 * are the driver's and may have any content. */
vkmm_status vkmm_pipeline_statistics(vkmm_device *device, const vkmm_pipeline *pipeline, vkmm_statistic *statistics,
                                     uint32_t *count);
