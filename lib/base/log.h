/* SPDX-License-Identifier: Apache-2.0
 * One line, key=value, to stderr. Only programs log; libraries return errors. Thread-safe. */
#ifndef STE_BASE_LOG_H
#define STE_BASE_LOG_H

#include <stdbool.h>

#include "base/error.h"

enum ste_log_level { STE_LOG_DEBUG, STE_LOG_INFO, STE_LOG_WARN, STE_LOG_ERROR };

struct ste_log {
    const char *proc;         /* "router", "node" … */
    enum ste_log_level level; /* lines below it are dropped */
};

/* "debug", "info", "warn" or "error"; false, nothing written: none of them. */
bool ste_log_level_of(const char *name, enum ste_log_level *ret);
/* `event` is a fixed noun.verb; `fields` is a printf text of key=value pairs whose values the
 * caller has quoted with ste_log_quote where they may hold blanks. "" for none. */
void ste_log_line(const struct ste_log *log, enum ste_log_level level, const char *event,
                  const char *fields, ...) STE_PRINTF(4, 5);
/* event + class, code, place and text of err. */
void ste_log_error(const struct ste_log *log, enum ste_log_level level, const char *event,
                   const struct ste_error *err);
/* "…" with escapes, cut to fit; returns out. */
const char *ste_log_quote(const char *text, char *out, unsigned out_bytes);

#endif
