/* What a test makes and the library does not own: released after the test, whether it passed or failed. A failed
 * assertion leaves a test by longjmp, past every line that would release something. */
#pragma once

#include "test.h"
#include "vkmatmul_stream.h"

/* The last one kept is released first. The first two return what they are given; the others fail the test if they
 * cannot make what they return. */
void *keep_object(void *object, void (*release)(void *object));
vkmm_device *keep_device(vkmm_device *device);
vkmm_job *keep_job(vkmm_device *device, const vkmm_log *log, const vkmm_job_params *params);
vkmm_stream *keep_stream(vkmm_device *device, const vkmm_stream_params *params);

/* A teardown: releases all that was kept. */
int release_kept(void **state);

/* Runs a group of tests, each with `teardown` unless it has one of its own, which then must call release_kept.
 * Returns how many failed, or 77 (skips.c). */
int run_group(const char *name, const struct CMUnitTest *tests, size_t count, CMFixtureFunction teardown);
