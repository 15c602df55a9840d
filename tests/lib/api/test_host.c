/* Every allocation of host memory fails, the first of a scenario, the second, … until it is through without: each time
 * VKMM_OUT_OF_MEMORY with one sentence, nothing left over, nothing misused; and the same scenario works right after it.
 * What is optional may be survived: the list of a driver's extensions, the cache of pipelines, tuning results. */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "play.h"
#include "vk/loader.h"

/* 0 when the scenario makes fewer than n allocations. */
static int play_failing(const scenario *s, uint64_t n, unsigned *survived)
{
    char about[100];
    play p;
    snprintf(about, sizeof about, "%s: allocation no. %llu", s->name, (unsigned long long)n);
    fake_begin(&s->caps);
    vkmm_alloc_fail_after(n);
    scenario_play(s, &p);
    const int failed = vkmm_alloc_left() == 0;
    vkmm_alloc_fail_after(0);
    expect_no_fault(about);
    expect(!p.leftover && !p.wrong && p.forgotten == 0, "%s: %s", about,
           p.leftover ? "an output is left"
           : p.wrong  ? p.sentence
                      : "a tuning result is lost");
    if (p.status == VKMM_OK)
        expect(p.errors == 0, "%s: survived, but it says \"%s\"", about, p.sentence);
    else
        expect(p.status == VKMM_OUT_OF_MEMORY && p.errors == 1 && strstr(p.sentence, "memory"),
               "%s: \"%s\", %u sentences, the last \"%s\"", about, vkmm_status_name(p.status), p.errors, p.sentence);
    expect(failed || p.status == VKMM_OK, "%s: fails without any failure", about);
    *survived += (unsigned)(failed && p.status == VKMM_OK);
    if (failed) play_well(s, about);
    return failed;
}

int main(void)
{
    vkmm_loader_set(fake_loader());
    for (unsigned i = 0; scenario_at(i); i++) {
        unsigned survived = 0;
        uint64_t n = 1;
        while (play_failing(scenario_at(i), n, &survived) && unexpected() < 20) n++;
        expect(n > 5 && survived + 5 < n, "%s: %u of %llu allocations survived", scenario_at(i)->name, survived,
               (unsigned long long)n - 1);
    }
    return unexpected() > 0;
}
