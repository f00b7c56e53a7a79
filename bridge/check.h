/* SPDX-License-Identifier: Apache-2.0
 * What can be said about a message without reference data: presence, shapes, check digits, dates,
 * numbers, roles that the message itself tells. Pure. */
#ifndef STE_BRIDGE_CHECK_H
#define STE_BRIDGE_CHECK_H

#include "node/rules/rules.h"

/* Like ste_check_message, with the codes and texts it has. False: out of memory. */
bool ste_check_plain(const struct ste_message *message, struct ste_arena *arena,
                     struct ste_checked *ret);

/* A place of the form "line:column". */
bool ste_place_parse(struct ste_bytes place, uint32_t *ret_line, uint32_t *ret_column);

#endif
