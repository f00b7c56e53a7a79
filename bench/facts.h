/* SPDX-License-Identifier: Apache-2.0
 * A run's figures, each told once: as members of one JSON object, and as one CSV line under its
 * heading (members of an object inside are named outer_inner there). */
#ifndef STE_BENCH_FACTS_H
#define STE_BENCH_FACTS_H

#include "json/json.h"

struct ste_facts {
    struct ste_buf json, heading, values;
    struct ste_json_writer writer;
    const char *group; /* the object inside; NULL: none */
};
void ste_facts_init(struct ste_facts *facts);
void ste_facts_deinit(struct ste_facts *facts);
void ste_facts_group(struct ste_facts *facts, const char *name); /* one level only */
void ste_facts_end_group(struct ste_facts *facts);
void ste_facts_uint(struct ste_facts *facts, const char *name, uint64_t value);
void ste_facts_double(struct ste_facts *facts, const char *name, double value, unsigned decimals);
void ste_facts_text(struct ste_facts *facts, const char *name, const char *text);
void ste_facts_bool(struct ste_facts *facts, const char *name, bool value);
/* Ends and writes them, each file whole; "-" is standard output, NULL nothing. Once. */
STE_MUST_CHECK enum ste_code ste_facts_write(struct ste_facts *facts, const char *json_path,
                                             const char *csv_path, struct ste_error *err);

#endif
