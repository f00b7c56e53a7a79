/* SPDX-License-Identifier: Apache-2.0
 * Figures of experiments: scale, stored volume, latency against load, quality of service. */
#include <math.h>
#include <string.h>

#include "bench/figure.h"

struct sketch {
    struct ste_figures *figures;
    struct ste_figure *figure;
    struct ste_buf csv, values;
    size_t blocks;
};

static void begin_block(struct sketch *sketch, const char *name)
{
    ste_buf_printf(&sketch->csv, "%s\"%s\"\n", sketch->blocks > 0 ? "\n\n" : "", name);
    sketch->blocks++;
}

static void put_point(struct sketch *sketch, double x, const struct ste_point *point, double beside)
{
    ste_csv_number(&sketch->csv, x, ',');
    ste_csv_number(&sketch->csv, point->median, ',');
    ste_csv_number(&sketch->csv, point->least, ',');
    ste_csv_number(&sketch->csv, point->most, ',');
    ste_csv_number(&sketch->csv, beside, '\n');
}

static void draw(struct sketch *sketch, size_t predicted)
{
    ste_buf_printf(&sketch->values, "blocks = %zu\npredicted = %zu\n", sketch->blocks, predicted);
    ste_figure_draw(sketch->figures, sketch->figure, &sketch->csv, &sketch->values);
}

/* Gathers the points as ste_points_gather does. False: not, and the figures have failed. */
static bool gather(struct ste_figures *f, const struct ste_points *points, const char *series,
                   const char *x, const char *y, const char *predicted,
                   bool (*keep)(const struct ste_points *, size_t row), struct ste_point_list *ret)
{
    if (f->rc == STE_OK)
        f->rc = ste_points_gather(points, series, x, y, predicted, keep, f->arena, ret, f->err);
    return f->rc == STE_OK;
}

/* Points of one series: the next of the list after `*at`, which moves behind them. */
static size_t take_series(const struct ste_point_list *list, size_t *at)
{
    size_t from = *at;
    while (*at < list->count && list->items[*at].series == list->items[from].series)
        (*at)++;
    return *at - from;
}

static const char *databases(struct ste_figures *f, double count)
{
    return ste_figure_say(f, count == 1 ? "%g database" : "%g databases", count);
}

/* Lines of all series for which `keep` holds; beside each point what was predicted. */
static void scale_lines(struct ste_figures *f, const struct ste_point_list *list,
                        struct ste_figure *figure, bool (*keep)(double shards, double asked),
                        double asked)
{
    struct sketch sketch = {.figures = f, .figure = figure};
    bool predicted = false;
    for (size_t at = 0; at < list->count;) {
        size_t from = at, count = take_series(list, &at);
        if (!keep(list->items[from].series, asked))
            continue;
        begin_block(&sketch, databases(f, list->items[from].series));
        for (size_t i = from; i < from + count; i++) {
            put_point(&sketch, list->items[i].x, &list->items[i], list->items[i].predicted);
            predicted = predicted || isfinite(list->items[i].predicted);
        }
    }
    draw(&sketch, predicted ? sketch.blocks : 0);
}

static bool is_asked(double shards, double asked)
{
    return shards == asked;
}

static bool is_any(double shards, double asked)
{
    return shards >= asked;
}

/* "from 1,150/s at 1 node to 3,100/s at 4" */
static const char *course(struct ste_figures *f, const struct ste_point *points, size_t count)
{
    const struct ste_point *first = &points[0], *last = &points[count - 1];
    return ste_figure_say(f, "from %s messages a second at %g %s to %s at %g, %.2f times as much",
                          ste_say_number(f, first->median), first->x,
                          first->x == 1 ? "node" : "nodes", ste_say_number(f, last->median),
                          last->x, last->median / first->median);
}

static void scale_one(struct ste_figures *f, const struct ste_point_list *list)
{
    struct ste_figure *figure =
        ste_figure_add(f, "scale_one", "Rate by number of nodes, one database",
                       "Points are medians, bars and bands the least and most of the runs; dashed "
                       "is what the model predicted. The article's database stopped scaling after "
                       "two nodes.");
    for (size_t at = 0; at < list->count;) {
        size_t from = at, count = take_series(list, &at);
        if (list->items[from].series != 1 || count < 2)
            continue;
        figure->sentence = ste_figure_say(f, "With one database the rate goes %s.",
                                          course(f, &list->items[from], count));
        scale_lines(f, list, figure, is_asked, 1);
        return;
    }
    figure->missing = "the points hold no two numbers of nodes with one database";
}

/* The series with the most points among those of several shards; 0: none has two. */
static size_t fullest(const struct ste_point_list *list, size_t *ret_from)
{
    size_t most = 1;
    for (size_t at = 0; at < list->count;) {
        size_t from = at, count = take_series(list, &at);
        if (list->items[from].series < 2 || count <= most)
            continue;
        most = count;
        *ret_from = from;
    }
    return most > 1 ? most : 0;
}

static void scale_several(struct ste_figures *f, const struct ste_point_list *list)
{
    struct ste_figure *figure = ste_figure_add(
        f, "scale_several", "Rate by number of nodes, several databases",
        "As above, with the trades spread over several databases by the hash of their match key.");
    struct ste_figure *linear =
        ste_figure_add(f, "scale_linear", "Linear scaling",
                       "Dashed: as many times the first point's rate as there are nodes. Distance "
                       "to it is what adding a node did not bring.");
    size_t from = 0, count = fullest(list, &from);
    if (count == 0) {
        figure->missing = linear->missing =
            "the points hold no two numbers of nodes with several databases";
        return;
    }
    const struct ste_point *points = &list->items[from];
    figure->sentence = ste_figure_say(f, "With %s the rate goes %s.", databases(f, points->series),
                                      course(f, points, count));
    scale_lines(f, list, figure, is_asked, points->series);
    struct sketch sketch = {.figures = f, .figure = linear};
    double last = points[count - 1].x < 4 ? points[count - 1].x : 4, share = 1;
    begin_block(&sketch, databases(f, points->series));
    for (size_t i = 0; i < count && points[i].x <= last; i++) {
        double straight = points[0].median * points[i].x / points[0].x;
        put_point(&sketch, points[i].x, &points[i], straight);
        share = points[i].median / straight;
    }
    linear->sentence = ste_figure_say(
        f, "At %g nodes the rate is %s of the straight line through the point at %g.", last,
        ste_say_percent(f, share), points[0].x);
    draw(&sketch, 0);
}

static void scalability(struct ste_figures *f, const struct ste_point_list *list)
{
    struct ste_figure *figure = ste_figure_add(
        f, "scalability", "Scalability by nodes and databases",
        "A line for each number of databases; dashed is the prediction, made before measuring. "
        "Where a line bends its databases are full; more databases move the bend.");
    double *errors = ste_figure_doubles(f, list->count), worst = 0;
    size_t predicted = 0;
    const struct ste_point *best = &list->items[0];
    for (size_t i = 0; errors && i < list->count; i++) {
        const struct ste_point *point = &list->items[i];
        best = point->median > best->median ? point : best;
        if (!isfinite(point->predicted))
            continue;
        errors[predicted] = fabs(point->predicted - point->median) / point->median;
        worst = fmax(worst, errors[predicted++]);
    }
    const char *told =
        predicted == 0
            ? "The points hold no prediction."
            : ste_figure_say(f,
                             "The prediction is %s off in the median and %s at worst, over %zu "
                             "points.",
                             ste_say_percent(f, ste_median(errors, predicted)),
                             ste_say_percent(f, worst), predicted);
    figure->sentence =
        ste_figure_say(f, "The highest rate is %s messages a second, at %g nodes and %s. %s",
                       ste_say_number(f, best->median), best->x, databases(f, best->series), told);
    scale_lines(f, list, figure, is_any, 0);
}

static void scale(struct ste_figures *f, const struct ste_points *points)
{
    struct ste_point_list list;
    if (!gather(f, points, "shards", "nodes", "msg_per_s", "predicted", NULL, &list))
        return;
    scale_one(f, &list);
    scale_several(f, &list);
    scalability(f, &list);
}

static void volume(struct ste_figures *f, const struct ste_points *points)
{
    struct ste_figure *figure = ste_figure_add(
        f, "volume", "Decay with stored volume",
        "The rate while so many messages are kept. Dashed: the article's, which kept 71 % of its "
        "rate with 7 million stored.");
    struct ste_point_list list;
    if (!gather(f, points, NULL, "stored_messages", "msg_per_s", NULL, NULL, &list))
        return;
    if (list.count < 2) {
        figure->missing = "the points hold fewer than two volumes";
        return;
    }
    const struct ste_point *first = &list.items[0], *last = &list.items[list.count - 1];
    struct sketch sketch = {.figures = f, .figure = figure};
    begin_block(&sketch, "measured");
    for (size_t i = 0; i < list.count; i++)
        put_point(&sketch, list.items[i].x / 1e6, &list.items[i], NAN);
    begin_block(&sketch, "the article's decay from the same start");
    /* 7,734 messages a second at first, 5,500 with 7 million stored. */
    ste_buf_printf(&sketch.csv, "%.9g,%.9g\n%.9g,%.9g\n", first->x / 1e6, first->median, 7.0,
                   first->median * 5500 / 7734);
    double *bytes = ste_figure_doubles(f, points->row_count);
    size_t count = 0;
    for (size_t row = 0; bytes && row < points->row_count; row++)
        if (isfinite(bytes[count] = ste_points_number(points, row, "bytes_per_message")))
            count++;
    figure->sentence = ste_figure_say(
        f, "With %s messages stored the rate is %s of that with %s.%s", ste_say_number(f, last->x),
        ste_say_percent(f, last->median / first->median), ste_say_number(f, first->x),
        count > 0 ? ste_figure_say(f, " A message takes %s bytes on disk (median).",
                                   ste_say_number(f, ste_median(bytes, count)))
                  : "");
    draw(&sketch, 0);
}

static void latency(struct ste_figures *f, const struct ste_points *points)
{
    static const struct {
        const char *column, *name;
    } lines[] = {{"p50_ms", "p50"}, {"p99_ms", "p99"}};
    struct ste_figure *figure =
        ste_figure_add(f, "latency", "Latency against load",
                       "From the moment a trade's last message should have gone to the arrival of "
                       "its CLS, at a set rate. The axis is logarithmic: a steep end means that "
                       "the engine is near to full.");
    struct sketch sketch = {.figures = f, .figure = figure};
    const char *said = "";
    for (size_t l = 0; l < sizeof lines / sizeof lines[0]; l++) {
        struct ste_point_list list;
        if (!gather(f, points, NULL, "load_share", lines[l].column, NULL, NULL, &list))
            break;
        begin_block(&sketch, lines[l].name);
        for (size_t i = 0; i < list.count; i++) {
            put_point(&sketch, 100 * list.items[i].x, &list.items[i], NAN);
            if (list.items[i].x == .5)
                said = ste_figure_say(
                    f, "%s%s %s is %s", said, said[0] ? " and its" : "At half load a trade's",
                    lines[l].name, ste_say_seconds(f, list.items[i].median / 1e3));
        }
    }
    figure->sentence = said[0] ? ste_figure_say(f, "%s (medians of the runs).", said)
                               : "Half load was not measured.";
    draw(&sketch, 0);
}

/* A sweep varies one thing at a time: where the most receivers are, all else is as at its base. */
static size_t base_row(const struct ste_points *points)
{
    size_t base = 0;
    for (size_t row = 1; row < points->row_count; row++)
        if (ste_points_number(points, row, "receivers") >
            ste_points_number(points, base, "receivers"))
            base = row;
    return base;
}

static bool is_same(const struct ste_points *points, size_t row, const char *column)
{
    double value = ste_points_number(points, row, column);
    return !isfinite(value) || value == ste_points_number(points, base_row(points), column);
}

/* Rows of one kind at full speed, all else as at the sweep's base. */
static bool is_kind(const struct ste_points *points, size_t row, const char *kind)
{
    const char *have = ste_points_text(points, row, "kind");
    const char *demand = ste_points_text(points, row, "demand_per_s");
    return have && strcmp(have, kind) == 0 && demand && strcmp(demand, "full") == 0 &&
           is_same(points, row, "size_bytes") && is_same(points, row, "senders") &&
           is_same(points, row, "keys");
}

static bool is_durable(const struct ste_points *points, size_t row)
{
    return is_kind(points, row, "durable");
}

static bool is_volatile(const struct ste_points *points, size_t row)
{
    return is_kind(points, row, "volatile");
}

static void qos(struct ste_figures *f, const struct ste_points *points)
{
    static const struct {
        const char *name;
        bool (*keep)(const struct ste_points *, size_t);
    } kinds[] = {{"volatile", is_volatile}, {"durable", is_durable}};
    struct ste_figure *figure =
        ste_figure_add(f, "qos", "Quality of service: durable against volatile",
                       "All messages received a second at full demand, by number of receivers. "
                       "The xmlBlaster post had 5 durable messages a second for 360 volatile.");
    struct sketch sketch = {.figures = f, .figure = figure};
    double first[2] = {NAN, NAN};
    for (size_t k = 0; k < 2; k++) {
        struct ste_point_list list;
        if (!gather(f, points, NULL, "receivers", "received_per_s", NULL, kinds[k].keep, &list) ||
            list.count == 0)
            continue;
        first[k] = list.items[0].median;
        begin_block(&sketch, kinds[k].name);
        for (size_t i = 0; i < list.count; i++)
            put_point(&sketch, list.items[i].x, &list.items[i], NAN);
    }
    if (sketch.blocks == 0) {
        figure->missing = "the points hold no durable or volatile row at full demand";
        return;
    }
    figure->sentence =
        isfinite(first[0]) && isfinite(first[1])
            ? ste_figure_say(f,
                             "With the fewest receivers durable delivery has %s of the rate of "
                             "volatile: %s against %s messages a second.",
                             ste_say_percent(f, first[1] / first[0]), ste_say_number(f, first[1]),
                             ste_say_number(f, first[0]))
            : "Only one of durable and volatile was measured.";
    draw(&sketch, 0);
}

void ste_figures_experiments(struct ste_figures *figures, const struct ste_experiments *experiments)
{
    static const struct {
        const char *id, *title, *option;
    } absent[] = {
        {"scale", "Rate by nodes and databases, linear scaling, scalability", "--scale"},
        {"volume", "Decay with stored volume", "--volume"},
        {"latency", "Latency against load", "--latency"},
        {"qos", "Quality of service: durable against volatile", "--qos"},
    };
    const struct ste_points *given[] = {experiments->scale, experiments->volume,
                                        experiments->latency, experiments->qos};
    static void (*const draw_one[])(struct ste_figures *,
                                    const struct ste_points *) = {scale, volume, latency, qos};
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++) {
        if (given[i])
            draw_one[i](figures, given[i]);
        else
            ste_figure_add(figures, absent[i].id, absent[i].title, "")->missing =
                ste_figure_say(figures, "no points were given (%s)", absent[i].option);
    }
}
