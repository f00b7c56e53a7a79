/* SPDX-License-Identifier: Apache-2.0
 * Words of ste-bench model's command line, and its file of measured points. Pure but for reading
 * that file. */
#ifndef STE_BENCH_MODEL_WORDS_H
#define STE_BENCH_MODEL_WORDS_H

#include "bench/model.h"

/* "1-8" or "1,2,4,8" or both mixed: whole numbers from 1 to max, in the order given. False: no such
 * text, or more than `room`. */
bool ste_model_list(const char *text, unsigned max, unsigned *ret, size_t room, size_t *ret_count);
/* A decimal number from min to max, without exponent. */
bool ste_model_number(const char *text, double min, double max, double *ret);
/* "node=0.8,shard=1" over the names of parts. False: ret is half written. */
bool ste_model_scales(const char *text, double ret[static STE_PART_COUNT]);

struct ste_model_point {
    unsigned nodes, shards;
    double throughput;
};
/* A CSV with a heading that names at least nodes, shards and msg_per_s; points that are measured
 * more than once become their median. *ret is the caller's, free(). Errors: STE_E_FILE, STE_E_PARSE
 * with the line as place, STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_model_read_points(const char *path, struct ste_model_point **ret,
                                                   size_t *ret_count, struct ste_error *err);
/* Median and largest of values, which it sorts. NAN of none. */
double ste_model_median(double *values, size_t count);

#endif
