/* SPDX-License-Identifier: Apache-2.0
 * The queue network with what was measured in it: stations, the queues between them, rates and
 * lengths. The canvas is 100 wide and 50 high. */
#include <math.h>
#include <string.h>

#include "bench/figure.h"

enum { BLOCK_STATIONS, BLOCK_QUEUES, BLOCK_ARROWS, BLOCK_BOLD, BLOCK_SMALL, BLOCKS };

struct drawing {
    struct ste_figures *figures;
    const struct ste_analysis *analysis;
    struct ste_buf blocks[BLOCKS];
};

static void text(struct drawing *drawing, int block, double x, double y, const char *words)
{
    ste_buf_printf(&drawing->blocks[block], "%.9g,%.9g,\"%s\"\n", x, y, words);
}

static void box(struct drawing *drawing, int block, double x, double y, double half_wide,
                double half_tall, const char *name)
{
    ste_buf_printf(&drawing->blocks[block], "%.9g,%.9g,%.9g,%.9g\n", x, y, half_wide, half_tall);
    text(drawing, BLOCK_BOLD, x, y, name);
}

static void arrow(struct drawing *drawing, double x, double y, double to_x, double to_y)
{
    ste_buf_printf(&drawing->blocks[BLOCK_ARROWS], "%.9g,%.9g,%.9g,%.9g\n", x, y, to_x - x,
                   to_y - y);
}

/* Three lines below a station: its rate, utilisation and how many there are of it. */
static void station(struct drawing *drawing, double x, double y, const char *name,
                    const struct ste_stage *stage)
{
    struct ste_figures *f = drawing->figures;
    box(drawing, BLOCK_STATIONS, x, y, 5.7, 3.6, name);
    if (!stage)
        return;
    text(drawing, BLOCK_SMALL, x, y - 5.4,
         ste_figure_say(f, "X %s/s", ste_say_number(f, stage->laws.throughput)));
    text(drawing, BLOCK_SMALL, x, y - 7.9,
         ste_figure_say(f, "U %s", ste_say_percent(f, ste_stage_use(stage))));
}

static void queue(struct drawing *drawing, double x, double y, const char *name, double length)
{
    struct ste_figures *f = drawing->figures;
    box(drawing, BLOCK_QUEUES, x, y, 4.3, 2.4, name);
    if (isfinite(length))
        text(drawing, BLOCK_SMALL, x, y - 4, ste_figure_say(f, "N %s", ste_say_number(f, length)));
}

static void typed_queues(struct drawing *drawing)
{
    struct ste_figures *f = drawing->figures;
    for (size_t t = 0; t < STE_STAGE_TYPE_COUNT; t++) {
        const char *type = ste_stage_type_names[t];
        const struct ste_stage *stage = ste_analysis_find(drawing->analysis, STE_STAGE_NODE, type);
        double y = 45.2 - 9.6 * (double)t;
        box(drawing, BLOCK_QUEUES, 50, y, 9.4, 3.6, "");
        text(drawing, BLOCK_BOLD, 50, y + 1.3, type);
        text(drawing, BLOCK_SMALL, 50, y - 1.5,
             !stage ? "none"
                    : ste_figure_say(f, "X %s/s, N %s", ste_say_number(f, stage->laws.throughput),
                                     ste_say_number(f, stage->laws.present)));
        arrow(drawing, 35.5, 26, 40.3, y);
        arrow(drawing, 59.7, y, 64.5, 26);
    }
}

static size_t parts_of(const struct ste_analysis *a, enum ste_stage_kind kind)
{
    size_t count = 0;
    for (size_t i = 0; i < a->stage_count; i++)
        count += a->stages[i].kind == kind && a->stages[i].part && !a->stages[i].type[0];
    return count;
}

static void shards(struct drawing *drawing)
{
    struct ste_figures *f = drawing->figures;
    const struct ste_stage *stage = ste_analysis_find(drawing->analysis, STE_STAGE_SHARD, "");
    size_t count = parts_of(drawing->analysis, STE_STAGE_SHARD);
    if (!stage)
        return;
    box(drawing, BLOCK_STATIONS, 84, 8.6, 8.5, 3.6,
        ste_figure_say(f, "%zu %s", count, count == 1 ? "shard" : "shards"));
    text(drawing, BLOCK_SMALL, 84, 3.2,
         ste_figure_say(f, "U %s, D %s a message", ste_say_percent(f, ste_stage_use(stage)),
                        ste_say_seconds(f, stage->demand)));
    arrow(drawing, 75, 22.4, 80, 12.2);
}

static const char *named(struct drawing *drawing, size_t count, const char *one)
{
    return count > 1 ? ste_figure_say(drawing->figures, "%zu %ss", count, one) : one;
}

void ste_figures_network(struct ste_figures *figures, const struct ste_analysis *analysis)
{
    struct ste_figure *figure = ste_figure_add(
        figures, "network", "The queue network",
        "Blue boxes work, orange boxes are queues in the broker. X: messages a second "
        "through it, U: share of its time in use, N: messages in a queue and in the "
        "hands of those behind it, on average. Nodes wait for the shards: that is in their U.");
    const struct ste_stage *router = ste_analysis_find(analysis, STE_STAGE_ROUTER, "");
    const struct ste_stage *node = ste_analysis_find(analysis, STE_STAGE_NODE, "");
    const struct ste_stage *pool = ste_analysis_find(analysis, STE_STAGE_POOL, "");
    if (!router || !node) {
        figure->missing = "the samples lack the router or the nodes";
        return;
    }
    struct drawing drawing = {.figures = figures, .analysis = analysis};
    station(&drawing, 6, 26, "driver", ste_analysis_find(analysis, STE_STAGE_DRIVER, ""));
    queue(&drawing, 17.9, 26, "ste.in", router->laws.present);
    station(&drawing, 29.8, 26, named(&drawing, parts_of(analysis, STE_STAGE_ROUTER), "router"),
            router);
    typed_queues(&drawing);
    station(&drawing, 70.2, 26, named(&drawing, parts_of(analysis, STE_STAGE_NODE), "node"), node);
    queue(&drawing, 82.1, 26, "ste.cls", pool ? pool->laws.present : NAN);
    station(&drawing, 94, 26, "pool", pool);
    shards(&drawing);
    arrow(&drawing, 11.7, 26, 13.6, 26);
    arrow(&drawing, 22.2, 26, 24.1, 26);
    arrow(&drawing, 75.9, 26, 77.8, 26);
    arrow(&drawing, 86.4, 26, 88.3, 26);
    const struct ste_stage *busiest = analysis->busiest;
    figure->sentence =
        ste_figure_say(figures, "%s%s is nearest to its end: %s of what it has was in use.",
                       !busiest || busiest->kind == STE_STAGE_SYSTEM ? "The machine as a whole"
                                                                     : "Of all stations ",
                       !busiest || busiest->kind == STE_STAGE_SYSTEM ? "" : busiest->name,
                       ste_say_percent(figures, busiest ? ste_stage_use(busiest) : NAN));
    struct ste_buf csv = {0}, values = {0};
    for (size_t b = 0; b < BLOCKS; b++) {
        ste_buf_append_bytes(&csv, ste_buf_bytes(&drawing.blocks[b]));
        ste_buf_append_cstr(&csv, b + 1 < BLOCKS ? "\n\n" : "");
        if (drawing.blocks[b].failed)
            csv.failed = true;
        ste_buf_deinit(&drawing.blocks[b]);
    }
    ste_figure_draw(figures, figure, &csv, &values);
}
