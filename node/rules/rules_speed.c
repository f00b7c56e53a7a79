/* SPDX-License-Identifier: Apache-2.0
 * How many microseconds a record of the standard trade costs in decide; not a test. Once with all
 * seven of a trade at hand, once with the state read and written for each. */
#include "base/clock.h"
#include "node/rules/fixture.h"

#include <stdio.h>

enum { TRADES = 20000 };

static const char *const names[] = {"NOE", "ALB-1", "ALB-2", "NPR-1", "NPR-2", "SET-1", "SET-2"};

static void measure(struct ste_fixture *fixture, bool coded, const char *what)
{
    struct ste_arena *kept = ste_arena_new(0), *used = fixture->arena;
    struct ste_record *records[7];
    size_t cls = 0;
    fixture->arena = kept;
    for (size_t i = 0; i < 7; i++)
        records[i] = ste_fixture_record(fixture, names[i], NULL);
    fixture->arena = used;
    fixture->coded = coded;
    uint64_t start_ns = ste_clock_thread_cpu_ns();
    for (int n = 0; n < TRADES; n++) {
        ste_fixture_clear(fixture);
        for (size_t i = 0; i < 7; i++)
            ste_fixture_send(fixture, records[i]);
        cls += fixture->effects.clearing_count;
    }
    uint64_t spent_ns = ste_clock_thread_cpu_ns() - start_ns;
    printf("%-40s %6.2f µs a record, %zu of %d trades cleared\n", what,
           (double)spent_ns / 1000.0 / 7.0 / TRADES, cls, TRADES);
    ste_arena_free(kept);
}

int main(void)
{
    void *state = NULL;
    if (ste_fixture_open(&state) != 0)
        return 1;
    measure(state, false, "seven records of a trade at once");
    measure(state, true, "state decoded and encoded for each");
    return ste_fixture_close(&state);
}
