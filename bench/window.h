/* SPDX-License-Identifier: Apache-2.0
 * The driver's deliveries that are not confirmed: a fixed number of places, and the order in which
 * those that must go out again will. */
#ifndef STE_BENCH_WINDOW_H
#define STE_BENCH_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/source.h"

enum { STE_WINDOW_NONE = UINT32_MAX };
enum ste_window_state {
    STE_PLACE_FREE,
    STE_PLACE_AGAIN, /* refused, or its connection went: waits to be sent again */
    STE_PLACE_SENT,
};
struct ste_window_place {
    enum ste_window_state state;
    struct ste_delivery delivery;
    uint64_t due_ns; /* by the set rate; 0: none is set */
};
struct ste_window {
    struct ste_window_place *places;
    uint32_t *free_list;
    uint32_t *again; /* ring */
    uint32_t capacity, free_count, again_count, again_head, sent_count;
};

bool ste_window_init(struct ste_window *window, uint32_t capacity); /* false: out of memory */
void ste_window_deinit(struct ste_window *window);
/* A free place, given to a new delivery (state SENT); STE_WINDOW_NONE: full. */
uint32_t ste_window_take(struct ste_window *window);
/* The oldest place that waits to be sent again (state SENT now), or STE_WINDOW_NONE. */
uint32_t ste_window_take_again(struct ste_window *window);
void ste_window_confirmed(struct ste_window *window, uint32_t place);
void ste_window_refused(struct ste_window *window, uint32_t place); /* SENT to AGAIN */
void ste_window_connection_lost(struct ste_window *window);         /* every SENT to AGAIN */

#endif
