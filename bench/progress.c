/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/progress.h"

#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

enum { PROGRESS_EVERY_MS = 200, PROGRESS_BAR = 30 };

void ste_progress_start(struct ste_progress *progress, const char *what, const char *unit,
                        uint64_t total, bool always)
{
    *progress = (struct ste_progress){.what = what,
                                      .unit = unit,
                                      .total = total,
                                      .start_ns = ste_clock_mono_ns(),
                                      .shown = always || isatty(STDERR_FILENO)};
    progress->drawn_ns = progress->start_ns;
}

static void draw(const struct ste_progress *progress, uint64_t done)
{
    if (progress->total == 0) {
        fprintf(stderr, "\r%s %llu %s, %.0f/s   ", progress->what, (unsigned long long)done,
                progress->unit, progress->rate);
        return;
    }
    double part = (double)done / (double)progress->total;
    int full = part >= 1 ? PROGRESS_BAR : (int)(part * PROGRESS_BAR);
    char bar[PROGRESS_BAR + 1] = {0};
    for (int i = 0; i < PROGRESS_BAR; i++)
        bar[i] = i < full ? '#' : '.';
    fprintf(stderr, "\r%s [%s] %3.0f %%  ", progress->what, bar, 100 * part);
    if (progress->steps > 0)
        fprintf(stderr, "%llu/%llu %s",
                (unsigned long long)(done * progress->steps / progress->total),
                (unsigned long long)progress->steps, progress->unit);
    else
        fprintf(stderr, "%llu/%llu %s  %.0f/s", (unsigned long long)done,
                (unsigned long long)progress->total, progress->unit, progress->rate);
    if (progress->rate > 0 && done < progress->total)
        fprintf(stderr, "  %.0f s left   ", (double)(progress->total - done) / progress->rate);
    else
        fputs("             ", stderr);
}

static double mean_rate(const struct ste_progress *progress, uint64_t done)
{
    uint64_t spent_ns = ste_clock_mono_ns() - progress->start_ns;
    return spent_ns ? (double)done * 1e9 / (double)spent_ns : 0;
}

/* All is done and drawn: what comes after is waiting, and does not change the rate. */
static bool is_drawn_full(const struct ste_progress *progress, uint64_t done)
{
    return progress->total > 0 && done >= progress->total && done == progress->drawn_done;
}

void ste_progress_update(struct ste_progress *progress, uint64_t done)
{
    if (!progress->shown || is_drawn_full(progress, done))
        return;
    uint64_t now_ns = ste_clock_mono_ns();
    uint64_t step_ns = now_ns - progress->drawn_ns;
    if (step_ns < STE_NS_PER_MS * PROGRESS_EVERY_MS)
        return;
    double rate = (double)(done - progress->drawn_done) * 1e9 / (double)step_ns;
    progress->rate = progress->rate > 0 ? 0.8 * progress->rate + 0.2 * rate : rate;
    if (progress->total > 0 && done >= progress->total)
        progress->rate = mean_rate(progress, done);
    progress->drawn_ns = now_ns;
    progress->drawn_done = done;
    draw(progress, done);
}

void ste_progress_end(struct ste_progress *progress, uint64_t done)
{
    if (!progress->shown)
        return;
    if (!is_drawn_full(progress, done))
        progress->rate = mean_rate(progress, done);
    draw(progress, done);
    fputc('\n', stderr);
}
