/* Bench reports as one page. */
#pragma once

#include "bench/compare.h"

/* The page: self-contained HTML that draws its tables and charts from the reports' JSON. Its sources are in the
 * folder page; it loads nothing and runs only its own script. *page gets the whole file, 0-terminated, *bytes long; the
 * caller frees it with vkmm_free. VKMM_OUT_OF_MEMORY otherwise; *page is then NULL. */
vkmm_status cli_bench_page(const cli_report *report, const cli_bench *benches, uint32_t count, char **page,
                           size_t *bytes);
