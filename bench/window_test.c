/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bench/random.h"
#include "bench/window.h"

static void test_full_and_free_again(void **state)
{
    (void)state;
    struct ste_window window;
    assert_true(ste_window_init(&window, 3));
    uint32_t first = ste_window_take(&window);
    assert_int_not_equal(ste_window_take(&window), first);
    assert_int_not_equal(ste_window_take(&window), STE_WINDOW_NONE);
    assert_int_equal(ste_window_take(&window), STE_WINDOW_NONE);
    ste_window_confirmed(&window, first);
    assert_int_equal(ste_window_take(&window), first);
    assert_int_equal(window.sent_count, 3);
    ste_window_deinit(&window);
}

static void test_refused_goes_again_in_order(void **state)
{
    (void)state;
    struct ste_window window;
    assert_true(ste_window_init(&window, 4));
    uint32_t a = ste_window_take(&window), b = ste_window_take(&window);
    window.places[a].delivery.number = 11;
    window.places[b].delivery.number = 12;
    ste_window_refused(&window, b);
    ste_window_refused(&window, a);
    assert_int_equal(window.sent_count, 0);
    assert_int_equal(ste_window_take_again(&window), b);
    assert_int_equal(window.places[b].delivery.number, 12);
    assert_int_equal(ste_window_take_again(&window), a);
    assert_int_equal(ste_window_take_again(&window), STE_WINDOW_NONE);
    ste_window_deinit(&window);
}

/* However deliveries are confirmed, refused and lost, each of them is confirmed in the end, once.
 */
static void test_every_delivery_is_confirmed_once(void **state)
{
    (void)state;
    enum { DELIVERIES = 5000, PLACES = 17 };
    static unsigned confirmed[DELIVERIES];
    struct ste_window window;
    struct ste_random random = ste_random_of(5, 0, 0);
    uint64_t next = 0, done = 0;
    assert_true(ste_window_init(&window, PLACES));
    while (done < DELIVERIES) {
        uint32_t place = ste_window_take_again(&window);
        if (place == STE_WINDOW_NONE && next < DELIVERIES) {
            place = ste_window_take(&window);
            if (place != STE_WINDOW_NONE)
                window.places[place].delivery.number = next++;
        }
        uint32_t victim = (uint32_t)ste_random_below(&random, PLACES);
        uint64_t chance = ste_random_below(&random, 100);
        if (chance == 0)
            ste_window_connection_lost(&window);
        if (window.places[victim].state != STE_PLACE_SENT)
            continue;
        if (chance < 20) {
            ste_window_refused(&window, victim);
        } else {
            confirmed[window.places[victim].delivery.number]++;
            ste_window_confirmed(&window, victim);
            done++;
        }
    }
    for (size_t i = 0; i < DELIVERIES; i++)
        assert_int_equal(confirmed[i], 1);
    assert_int_equal(window.free_count, PLACES);
    assert_int_equal(window.sent_count, 0);
    assert_int_equal(window.again_count, 0);
    ste_window_deinit(&window);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_and_free_again),
        cmocka_unit_test(test_refused_goes_again_in_order),
        cmocka_unit_test(test_every_delivery_is_confirmed_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
