/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "mq/names.h"

static void test_every_name_of_the_design(void **state)
{
    (void)state;
    char name[STE_MQ_NAME_BYTES];

    ste_mq_work_key(0, 3, name);
    assert_string_equal(name, "noe.03");
    ste_mq_work_key(4, 15, name);
    assert_string_equal(name, "exc.15");
    ste_mq_work_queue(1, 0, name);
    assert_string_equal(name, "ste.alb.00");
    ste_mq_work_queue(2, 1, name);
    assert_string_equal(name, "ste.npr.01");
    ste_mq_work_queue(3, 15, name);
    assert_string_equal(name, "ste.set.15");
    ste_mq_suspect_key(7, name);
    assert_string_equal(name, "suspect.07");
    ste_mq_suspect_queue(7, name);
    assert_string_equal(name, "ste.suspect.07");
    ste_mq_cls_key(2, name);
    assert_string_equal(name, "cls.02");
    ste_mq_exc_key(2, name);
    assert_string_equal(name, "exc.02");
}

/* A BIC with a branch, or one that is not ended by NUL, gives the name of its first 8. */
static void test_reply_names_take_eight_characters(void **state)
{
    (void)state;
    char name[STE_MQ_NAME_BYTES];

    ste_mq_reply_key("BROKSGSGXXX", name);
    assert_string_equal(name, "reply.BROKSGSG");
    ste_mq_reply_queue("BROKSGSG", name);
    assert_string_equal(name, "ste.reply.BROKSGSG");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_name_of_the_design),
        cmocka_unit_test(test_reply_names_take_eight_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
