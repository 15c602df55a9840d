/* What a test makes and the library does not own: released after the test, whether it passed or failed. A failed
 * assertion leaves a test by longjmp, past every line that would release something. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "vkmatmul_stream.h"

/* Each returns what it is given. The last one kept is released first. */
void *keep_object(void *object, void (*release)(void *object));
vkmm_job *keep_job(vkmm_job *job);
vkmm_stream *keep_stream(vkmm_stream *stream);

/* A teardown: releases all that was kept. */
int release_kept(void **state);

/* Runs a group of tests, each with `teardown` unless it has one of its own, which then must call release_kept.
 * Returns how many failed, or 77 (skips.c). */
int run_group(const char *name, const struct CMUnitTest *tests, size_t count, CMFixtureFunction teardown);
