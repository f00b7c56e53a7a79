/* SPDX-License-Identifier: Apache-2.0
 * Words of ste-bench model's command line. Pure. */
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

#endif
