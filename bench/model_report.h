/* SPDX-License-Identifier: Apache-2.0
 * The points of a prediction as one table, for people, as CSV and as JSON, with the error where a
 * point was measured. */
#ifndef STE_BENCH_MODEL_REPORT_H
#define STE_BENCH_MODEL_REPORT_H

#include "bench/model.h"

struct ste_model_simulation {
    bool wanted;
    double seconds;
    uint64_t seed;
};
struct ste_model_report;
/* `model` and `simulation` outlive the report. *ret is the caller's. Errors: STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_model_report_new(const struct ste_model *model,
                                                  const struct ste_model_simulation *simulation,
                                                  struct ste_model_report **ret,
                                                  struct ste_error *err);
void ste_model_report_free(struct ste_model_report *report); /* NULL: nothing */
/* Predicts one point; one whose share idle work uses up is a row of 0. measured: its messages a
 * second, or NAN. Errors: STE_E_ARGUMENT, STE_E_NOMEM; STE_E_LIMIT above 4096 points. */
STE_MUST_CHECK enum ste_code ste_model_report_add(struct ste_model_report *report,
                                                  const struct ste_model_case *asked,
                                                  double measured, struct ste_error *err);
/* What the model learnt, the table and the errors: for people on standard output, unless one of the
 * files (NULL: none) is "-". Errors: STE_E_FILE, STE_E_NOMEM. */
STE_MUST_CHECK enum ste_code ste_model_report_write(const struct ste_model_report *report,
                                                    const char *json, const char *csv,
                                                    struct ste_error *err);

#endif
