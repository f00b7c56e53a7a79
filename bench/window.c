/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/window.h"

#include <stdlib.h>

bool ste_window_init(struct ste_window *window, uint32_t capacity)
{
    *window = (struct ste_window){.capacity = capacity,
                                  .places = calloc(capacity, sizeof *window->places),
                                  .free_list = calloc(capacity, sizeof *window->free_list),
                                  .again = calloc(capacity, sizeof *window->again)};
    if (!window->places || !window->free_list || !window->again) {
        ste_window_deinit(window);
        return false;
    }
    for (uint32_t i = 0; i < capacity; i++)
        window->free_list[window->free_count++] = capacity - 1 - i;
    return true;
}

void ste_window_deinit(struct ste_window *window)
{
    free(window->places);
    free(window->free_list);
    free(window->again);
    *window = (struct ste_window){0};
}

uint32_t ste_window_take(struct ste_window *window)
{
    if (window->free_count == 0)
        return STE_WINDOW_NONE;
    uint32_t place = window->free_list[--window->free_count];
    window->places[place].state = STE_PLACE_SENT;
    window->sent_count++;
    return place;
}

uint32_t ste_window_take_again(struct ste_window *window)
{
    if (window->again_count == 0)
        return STE_WINDOW_NONE;
    uint32_t place = window->again[window->again_head];
    window->again_head = (window->again_head + 1) % window->capacity;
    window->again_count--;
    window->places[place].state = STE_PLACE_SENT;
    window->sent_count++;
    return place;
}

void ste_window_confirmed(struct ste_window *window, uint32_t place)
{
    window->places[place].state = STE_PLACE_FREE;
    window->free_list[window->free_count++] = place;
    window->sent_count--;
}

void ste_window_refused(struct ste_window *window, uint32_t place)
{
    uint32_t tail = (window->again_head + window->again_count) % window->capacity;
    window->again[tail] = place;
    window->again_count++;
    window->places[place].state = STE_PLACE_AGAIN;
    window->sent_count--;
}

void ste_window_connection_lost(struct ste_window *window)
{
    for (uint32_t i = 0; i < window->capacity; i++) {
        if (window->places[i].state == STE_PLACE_SENT)
            ste_window_refused(window, i);
    }
}
