/* Jobs between two calls of vkmm_multiply or vkmm_memory_multiply: with their memory, their pipelines and what was
 * recorded, for the next call with the same problem, whatever α and β are. Safe from several threads: a job that is
 * taken belongs to the taker. */
#pragma once

#include "copy/copier.h"
#include "job/job.h"
#include "stream/stream.h"

/* A device has at most this many spare jobs, which together use at most this fraction (1/n) of its memory. */
enum { VKMM_SPARES_MOST = 8, VKMM_SPARES_SHARE = 16 };

/* A spare job, lent or not (vkmm_job.is_lent), turned to this problem; it is then the caller's. NULL: there is none. */
vkmm_job *vkmm_spares_take(vkmm_device *device, const vkmm_problem *problem, int is_lent);

/* Keeps a job of the device for the next call if status is VKMM_OK, or else destroys it (NULL is legal then). Returns
 * status. If there are too many or they use too much memory, those unused for the longest time are destroyed, and so is
 * the job itself if it is too large. vkmm_device_drop_spares destroys all. */
vkmm_status vkmm_spares_give(vkmm_device *device, vkmm_status status, vkmm_job *job);

/* Likewise the stream of large products; there is at most one, which can be changed to any problem. */
vkmm_stream *vkmm_spares_take_stream(vkmm_device *device);
vkmm_status vkmm_spares_give_stream(vkmm_device *device, vkmm_status status, vkmm_stream *stream);

/* Likewise what copies; takes a new one if there is none. */
vkmm_status vkmm_spares_take_copier(vkmm_device *device, vkmm_copier **copier);
vkmm_status vkmm_spares_give_copier(vkmm_device *device, vkmm_status status, vkmm_copier *copier);
