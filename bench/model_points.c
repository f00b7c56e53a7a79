/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/model_points.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NAN is before every number and like itself. */
static int order(double left, double right)
{
    if (isnan(left) || isnan(right))
        return isnan(right) - isnan(left);
    return (left > right) - (left < right);
}

static int by_kind(const void *a, const void *b)
{
    const struct ste_model_point *left = a, *right = b;
    const int orders[] = {order(left->nodes, right->nodes), order(left->shards, right->shards),
                          order(left->node_cpu, right->node_cpu),
                          order(left->shard_cpu, right->shard_cpu)};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (orders[i] != 0)
            return orders[i];
    return 0;
}

static bool share_of(const struct ste_points *points, size_t row, const char *column, double *ret)
{
    const char *const text = ste_points_text(points, row, column);
    *ret = NAN;
    if (text == NULL || *text == '\0')
        return true;
    *ret = strcmp(text, "none") == 0 ? 0 : ste_points_number(points, row, column);
    return *ret >= 0 && *ret <= STE_MODEL_SHARE_MAX;
}

static bool count_of(const struct ste_points *points, size_t row, const char *column, unsigned max,
                     unsigned *ret)
{
    const double value = ste_points_number(points, row, column);
    if (!(value >= 1 && value <= max && value == floor(value)))
        return false;
    *ret = (unsigned)value;
    return true;
}

static enum ste_code read_row(const struct ste_points *points, size_t row,
                              struct ste_model_point *ret, struct ste_error *err)
{
    const char *wrong = NULL;
    ret->msg_per_s = ste_points_number(points, row, "msg_per_s");
    if (!count_of(points, row, "nodes", STE_MODEL_NODES_MAX, &ret->nodes))
        wrong = "nodes";
    else if (!count_of(points, row, "shards", STE_MODEL_SHARDS_MAX, &ret->shards))
        wrong = "shards";
    else if (!isfinite(ret->msg_per_s) || ret->msg_per_s <= 0)
        wrong = "msg_per_s";
    else if (!share_of(points, row, "node_cpu", &ret->node_cpu))
        wrong = "node_cpu";
    else if (!share_of(points, row, "shard_cpu", &ret->shard_cpu))
        wrong = "shard_cpu";
    if (wrong == NULL)
        return STE_OK;
    char place[STE_ERROR_PLACE_BYTES];
    (void)snprintf(place, sizeof place, "%s, row %zu", points->path, row + 1);
    return ste_error_at(err, STE_E_PARSE, place, "column %s wants a number in its range", wrong);
}

enum ste_code ste_model_points_of(const struct ste_points *points, struct ste_arena *arena,
                                  struct ste_model_point **ret, size_t *ret_count,
                                  struct ste_error *err)
{
    const size_t rows = points->row_count;
    struct ste_model_point *const items = STE_ARENA_ARRAY(arena, struct ste_model_point, rows);
    double *const rates = STE_ARENA_ARRAY(arena, double, rows);
    if (items == NULL || rates == NULL)
        return ste_error_set(err, STE_E_NOMEM, "no memory for %s", points->path);
    for (size_t row = 0; row < rows; row++) {
        const enum ste_code rc = read_row(points, row, &items[row], err);
        if (rc != STE_OK)
            return rc;
    }
    qsort(items, rows, sizeof *items, by_kind);
    size_t found = 0;
    for (size_t i = 0, same; i < rows; i += same) {
        for (same = 0; i + same < rows && by_kind(&items[i], &items[i + same]) == 0; same++)
            rates[same] = items[i + same].msg_per_s;
        items[found] = items[i];
        items[found++].msg_per_s = ste_median(rates, same);
    }
    *ret = items;
    *ret_count = found;
    return STE_OK;
}
