/* SPDX-License-Identifier: Apache-2.0
 * The generator against a small world of its own: sizes, arithmetic, coverage, order, determinism.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "bench/gen.h"
#include "msg/signature.h"

static struct ste_gen_party brokers[] = {{"LBAASG2L"}, {"LBABGB2L"}, {"LBACUS2L"}};
static struct ste_gen_party managers[] = {{"LMAASG2L"}, {"LMABGB2L"}};
static struct ste_gen_party custodians[] = {{"LCAASG2L"}, {"LCABGB2L"}, {"LCACUS2L"}, {"LCADJP2L"}};
static char isins[][STE_GEN_ISIN_BYTES + 1] = {"US0378331005", "GB0002634946", "SG1L01001701"};
static char bonds[][STE_GEN_ISIN_BYTES + 1] = {"GB00B16NNR78"};

static struct ste_gen_data world(void)
{
    struct ste_gen_data data = {
        .currencies =
            {{"SGD", 2}, {"JPY", 0}, {"BHD", 3}, {"CLF", 4}, {"EUR", 2}, {"GBP", 2}, {"KRW", 0}},
        .currency_count = 7,
        .countries = {"SG", "GB", "US", "JP", "FR"},
        .country_count = 5,
        .shares = {isins, 3},
        .bonds = {bonds, 1},
        .brokers = {brokers, 3},
        .managers = {managers, 2},
        .custodians = {custodians, 4},
        .place_count = 2,
    };
    assert_true(ste_date_parse(STE_BYTES("2026-11-30"), &data.trade_date));
    data.places[0] = (struct ste_gen_place){"CDPLSGSG", data.trade_date + 2, data.trade_date + 3};
    data.places[1] = (struct ste_gen_place){"CRSTGB22", data.trade_date + 2, data.trade_date + 3};
    return data;
}

static struct ste_gen gen_of(const struct ste_gen_data *data, uint64_t seed, unsigned accounts_min,
                             unsigned accounts_max)
{
    return (struct ste_gen){
        .data = data, .seed = seed, .accounts_min = accounts_min, .accounts_max = accounts_max};
}

static struct ste_gen_plan plan_of(const struct ste_gen_data *data, uint64_t trades,
                                   uint64_t window)
{
    return (struct ste_gen_plan){
        .gen = gen_of(data, 7, 2, 2), .trades = trades, .shuffle_window = window};
}

/* What passes through ste_gen_run. */
struct seen {
    struct ste_buf all;
    uint64_t count, smallest, largest;
    uint64_t order[4096]; /* trade × 1000 + index */
};

static enum ste_code see(void *context, const struct ste_gen_item *item, struct ste_error *err)
{
    (void)err;
    struct seen *seen = context;
    struct ste_bytes message = item->message;
    if (seen->count < sizeof seen->order / sizeof seen->order[0])
        seen->order[seen->count] = item->trade->number * 1000 + item->index;
    seen->count++;
    if (seen->smallest == 0 || message.len < seen->smallest)
        seen->smallest = message.len;
    if (message.len > seen->largest)
        seen->largest = message.len;
    ste_buf_append_bytes(&seen->all, message);
    return STE_OK;
}

static void run_plan(const struct ste_gen_plan *plan, struct seen *seen)
{
    struct ste_error err = {0};
    *seen = (struct seen){0};
    assert_int_equal(ste_gen_run(plan, see, seen, NULL, &err), STE_OK);
}

static void test_every_message_has_1500_bytes_give_or_take_10(void **state)
{
    (void)state;
    struct ste_gen_data data = world();
    struct ste_gen_plan plan = plan_of(&data, 3000, 512);
    static struct seen seen;
    run_plan(&plan, &seen);
    assert_int_equal(seen.count, 21000);
    assert_true(seen.smallest >= 1490);
    assert_true(seen.largest <= 1510);
    assert_true(seen.smallest < 1495 && seen.largest > 1505);
    ste_buf_deinit(&seen.all);
}

static void test_a_seed_gives_one_set_and_another_seed_another(void **state)
{
    (void)state;
    struct ste_gen_data data = world();
    struct ste_gen_plan plan = plan_of(&data, 100, 64);
    static struct seen first, again, other;
    run_plan(&plan, &first);
    run_plan(&plan, &again);
    plan.gen.seed++;
    run_plan(&plan, &other);
    assert_true(ste_bytes_equal(ste_buf_bytes(&first.all), ste_buf_bytes(&again.all)));
    assert_false(ste_bytes_equal(ste_buf_bytes(&first.all), ste_buf_bytes(&other.all)));
    ste_buf_deinit(&first.all);
    ste_buf_deinit(&again.all);
    ste_buf_deinit(&other.all);
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Every message comes once; with a window none is further than a window from its place, and not all
 * stay where they were. */
static void check_order(uint64_t window)
{
    struct ste_gen_data data = world();
    struct ste_gen_plan plan = plan_of(&data, 500, window);
    static struct seen seen;
    run_plan(&plan, &seen);
    assert_int_equal(seen.count, 3500);
    uint64_t moved = 0;
    for (uint64_t i = 0; i < seen.count; i++) {
        uint64_t place = seen.order[i] / 1000 * 7 + seen.order[i] % 1000;
        uint64_t away = place > i ? place - i : i - place;
        moved += away > 0;
        if (window != STE_GEN_SHUFFLE_ALL)
            assert_true(away <= window);
    }
    assert_true(window == 0 ? moved == 0 : moved > 3000);
    qsort(seen.order, seen.count, sizeof seen.order[0], by_number);
    for (uint64_t i = 0; i < seen.count; i++)
        assert_int_equal(seen.order[i], i / 7 * 1000 + i % 7);
    ste_buf_deinit(&seen.all);
}

static void test_order(void **state)
{
    (void)state;
    check_order(0);
    check_order(100);
    check_order(STE_GEN_SHUFFLE_ALL);
}

static int64_t power_of_ten(unsigned digits)
{
    return digits == 0 ? 1 : 10 * power_of_ten(digits - 1);
}

/* gross = quantity × price, to the minor unit, without remainder; the rest is sums. */
static void check_arithmetic(const struct ste_gen_trade *trade)
{
    int64_t sum = 0;
    for (unsigned i = 0; i < trade->account_count; i++) {
        const struct ste_gen_account *account = &trade->accounts[i];
        __int128 product = (__int128)account->quantity * trade->price.coefficient;
        product *= power_of_ten(trade->currency->minor_units);
        __int128 divisor = power_of_ten(trade->price.decimals) * (trade->bond ? 100 : 1);
        assert_true(product % divisor == 0);
        assert_true(product / divisor == account->gross);
        int64_t charges = account->commission + account->other;
        int64_t net = account->gross + account->accrued + (trade->sell ? -charges : charges);
        assert_int_equal(account->net, net);
        assert_true(account->net > 0 && account->commission >= 0 && account->quantity > 0);
        assert_true(account->accrued == 0 || trade->bond);
        sum += account->quantity;
    }
    assert_int_equal(trade->quantity, sum);
    assert_true(trade->price.decimals <= 10);
}

static void test_arithmetic_holds(void **state)
{
    (void)state;
    struct ste_gen_data data = world();
    struct ste_gen gen = gen_of(&data, 99, 1, 5);
    static struct ste_gen_trade trade;
    unsigned sells = 0, bond_trades = 0, frees = 0;
    for (uint64_t number = 0; number < 5000; number++) {
        ste_gen_trade_draw(&gen, number, &trade);
        check_arithmetic(&trade);
        sells += trade.sell;
        bond_trades += trade.bond;
        frees += trade.free;
    }
    assert_in_range(sells, 2300, 2700);
    assert_in_range(bond_trades, 450, 800);
    assert_in_range(frees, 200, 450);
}

static void test_everything_of_the_reference_data_takes_part(void **state)
{
    (void)state;
    struct ste_gen_data data = world();
    struct ste_gen gen = gen_of(&data, 1, 2, 2);
    static struct ste_gen_trade trade;
    bool pairs[7][5] = {{false}}, seen_isin[3] = {false}, seen_broker[3] = {false};
    for (uint64_t number = 0; number < 7 * 5; number++) {
        ste_gen_trade_draw(&gen, number, &trade);
        pairs[trade.currency - data.currencies][(trade.country - data.countries[0]) / 3] = true;
        if (trade.bond)
            assert_string_equal(trade.isin, bonds[0]);
        else
            seen_isin[(trade.isin - isins[0]) / (STE_GEN_ISIN_BYTES + 1)] = true;
        for (size_t i = 0; i < 3; i++)
            seen_broker[i] |= strcmp(trade.broker, brokers[i].bic8) == 0;
    }
    for (size_t i = 0; i < 7; i++) {
        for (size_t j = 0; j < 5; j++)
            assert_true(pairs[i][j]);
    }
    for (size_t i = 0; i < 3; i++)
        assert_true(seen_isin[i] && seen_broker[i]);
}

/* The value of an element of a message of ours: one a line, no escapes. */
static void value_of(struct ste_bytes message, const char *name, char *out, size_t out_bytes)
{
    char open[64];
    (void)snprintf(open, sizeof open, "  <%s", name);
    const char *at = memmem(message.at, message.len, open, strlen(open));
    out[0] = '\0';
    if (!at)
        return;
    at = strchr(at, '>') + 1;
    (void)snprintf(out, out_bytes, "%.*s", (int)(strchr(at, '<') - at), at);
}

/* The entry beside a message says what the message says. */
static void check_entry(const struct ste_gen *gen, const struct ste_gen_trade *trade,
                        unsigned index)
{
    struct ste_buf buf = {0};
    struct ste_set_entry entry;
    ste_gen_message_write(gen, trade, index, &buf);
    ste_gen_message_entry(gen, trade, index, &entry);
    ste_buf_append(&buf, "", 1);
    struct ste_bytes message = {buf.at, buf.len - 1};
    char reference[64], sender[64], trade_reference[64], broker[64], manager[64], identity[256];
    value_of(message, "Reference", reference, sizeof reference);
    value_of(message, "Sender", sender, sizeof sender);
    value_of(message, "TradeReference", trade_reference, sizeof trade_reference);
    value_of(message, "Broker", broker, sizeof broker);
    value_of(message, "Manager", manager, sizeof manager);
    assert_int_equal(strlen(reference), entry.reference_len);
    assert_memory_equal(reference, entry.reference, entry.reference_len);
    assert_memory_equal(sender, entry.sender8, 8);
    (void)snprintf(identity, sizeof identity, "%s|%s|%s|2026-11-30", trade_reference, broker,
                   manager);
    struct ste_hash key = ste_hash_of(ste_bytes_of(identity));
    assert_true(ste_hash_equal(key, entry.trade_key));
    assert_true(memmem(message.at, message.len, ste_type_name(entry.type), 3) != NULL);
    ste_buf_deinit(&buf);
}

static void test_entries_fit_their_messages(void **state)
{
    (void)state;
    struct ste_gen_data data = world();
    struct ste_gen gen = gen_of(&data, 3, 1, 4);
    static struct ste_gen_trade trade;
    for (uint64_t number = 0; number < 50; number++) {
        ste_gen_trade_draw(&gen, number, &trade);
        for (unsigned index = 0; index < ste_gen_message_count(&trade); index++)
            check_entry(&gen, &trade, index);
    }
}

/* Who sends an instruction is the manager, or the custodian who holds the account. */
static void test_senders_of_instructions(void **state)
{
    (void)state;
    struct ste_gen_data data = world();
    struct ste_gen gen = gen_of(&data, 11, 2, 2);
    static struct ste_gen_trade trade;
    unsigned by_manager = 0, by_custodian = 0;
    for (uint64_t number = 0; number < 200; number++) {
        struct ste_buf buf = {0};
        char sender[64], manager[64], agent[64];
        ste_gen_trade_draw(&gen, number, &trade);
        ste_gen_message_write(&gen, &trade, 3, &buf); /* SET of the first account */
        ste_buf_append(&buf, "", 1);
        struct ste_bytes message = {buf.at, buf.len - 1};
        value_of(message, "Sender", sender, sizeof sender);
        value_of(message, "Manager", manager, sizeof manager);
        value_of(message, trade.sell ? "DeliveringAgent" : "ReceivingAgent", agent, sizeof agent);
        by_manager += strcmp(sender, manager) == 0;
        by_custodian += strcmp(sender, agent) == 0;
        ste_buf_deinit(&buf);
    }
    assert_int_equal(by_manager + by_custodian, 200);
    assert_in_range(by_manager, 20, 90);
}

static void test_largest_block_has_200_accounts_of_one_size(void **state)
{
    (void)state;
    struct ste_gen_data data = world();
    struct ste_gen_plan plan = plan_of(&data, 2, 512);
    plan.gen.accounts_min = plan.gen.accounts_max = STE_ACCOUNTS_MAX;
    static struct seen seen;
    run_plan(&plan, &seen);
    assert_int_equal(seen.count, 2 * 601);
    assert_in_range(seen.smallest, 1490, 1510);
    assert_in_range(seen.largest, 1490, 1510);
    ste_buf_deinit(&seen.all);
}

static void test_set_is_read_back(void **state)
{
    (void)state;
    struct ste_gen_data data = world();
    struct ste_gen_plan plan = plan_of(&data, 200, 512);
    char folder[] = "/tmp/ste-set-XXXXXX";
    struct ste_error err = {0};
    assert_non_null(mkdtemp(folder));
    static struct seen seen;
    run_plan(&plan, &seen);
    assert_false(ste_set_is_there(folder));
    assert_int_equal(ste_gen_set(&plan, folder, NULL, &err), STE_OK);
    assert_true(ste_set_is_there(folder));
    struct ste_set set;
    assert_int_equal(ste_set_open(&set, folder, &err), STE_OK);
    assert_int_equal(set.header->trades, 200);
    assert_int_equal(set.header->messages, 1400);
    size_t offset = 0, at = 0;
    for (uint64_t i = 0; i < 1400; i++) {
        struct ste_bytes message = ste_set_next(&set, &offset);
        uint8_t sha256[32];
        ste_sha256(message, sha256);
        assert_memory_equal(sha256, set.entries[i].sha256_start, 8);
        assert_memory_equal(message.at, seen.all.at + at, message.len);
        assert_int_equal(seen.order[i] / 1000, set.entries[i].trade);
        at += message.len;
    }
    assert_int_equal(ste_set_next(&set, &offset).len, 0);
    ste_set_close(&set);
    ste_buf_deinit(&seen.all);

    char path[64];
    (void)snprintf(path, sizeof path, "%s/set.ste", folder);
    assert_int_equal(truncate(path, 1000), 0);
    assert_true(ste_set_is_there(folder));
    assert_int_equal(ste_set_open(&set, folder, &err), STE_E_PARSE);
    (void)unlink(path);
    (void)snprintf(path, sizeof path, "%s/set.idx", folder);
    (void)unlink(path);
    (void)snprintf(path, sizeof path, "%s/set.json", folder);
    (void)unlink(path);
    (void)rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_message_has_1500_bytes_give_or_take_10),
        cmocka_unit_test(test_a_seed_gives_one_set_and_another_seed_another),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_arithmetic_holds),
        cmocka_unit_test(test_everything_of_the_reference_data_takes_part),
        cmocka_unit_test(test_entries_fit_their_messages),
        cmocka_unit_test(test_senders_of_instructions),
        cmocka_unit_test(test_largest_block_has_200_accounts_of_one_size),
        cmocka_unit_test(test_set_is_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
