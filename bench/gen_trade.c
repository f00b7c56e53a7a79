/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/gen_trade.h"

#include <stdio.h>
#include <string.h>

#include "bench/gen_share.h"
#include "bench/random.h"

/* Of 32 trades: 4 bonds, 2 free of payment, half of all sold. */
enum { GEN_BONDS_OF_32 = 4, GEN_FREE_OF_32 = 2, GEN_ACCOUNT_NUMBERS = 9000 };

/* A quantity is a multiple of 10^lot_digits, and the price has that many decimals more than money,
 * so that quantity × price has no digit below the minor unit. */
static unsigned draw_price(struct ste_random *random, struct ste_gen_trade *trade)
{
    unsigned minor = trade->currency->minor_units;
    uint64_t scale = 1;
    unsigned lot_digits = 0;
    if (trade->bond) { /* × price ÷ 100: two decimals fewer */
        lot_digits = 3 + (unsigned)ste_random_below(random, 3);
        trade->price.decimals = (uint8_t)(minor + lot_digits - 2);
        for (unsigned i = 0; i < trade->price.decimals; i++)
            scale *= 10;
        trade->price.coefficient = (int64_t)(90 * scale + ste_random_below(random, 20 * scale));
    } else {
        lot_digits = (unsigned)ste_random_below(random, 3);
        trade->price.decimals = (uint8_t)(minor + lot_digits);
        for (unsigned i = 0; i < trade->price.decimals; i++)
            scale *= 10;
        trade->price.coefficient = (int64_t)(scale + ste_random_below(random, 499 * scale));
    }
    return lot_digits;
}

static int64_t power_of_ten(unsigned digits)
{
    int64_t power = 1;
    while (digits-- > 0)
        power *= 10;
    return power;
}

static void draw_account(struct ste_random *random, const struct ste_gen_data *data,
                         struct ste_gen_trade *trade, struct ste_gen_account *account,
                         unsigned lot_digits)
{
    int64_t lots = 1 + (int64_t)ste_random_below(random, trade->bond ? 40 : 900);
    account->quantity = lots * power_of_ten(lot_digits);
    account->gross = lots * trade->price.coefficient;
    account->custodian = (unsigned)ste_random_below(random, data->custodians.count);
    account->custodian_settles = ste_random_below(random, 4) < 3;
    int64_t basis_points = 1 + (int64_t)ste_random_below(random, 25);
    int64_t accrued_points = (int64_t)ste_random_below(random, 250);
    bool charged = ste_random_below(random, 4) == 0;
    account->commission = account->gross / 10000 * basis_points;
    account->other = charged ? account->gross / 10000 : 0;
    account->accrued = trade->bond ? account->gross / 10000 * accrued_points : 0;
    int64_t charges = account->commission + account->other;
    account->net = account->gross + account->accrued + (trade->sell ? -charges : charges);
}

static const char *draw_isin(struct ste_random *random, const struct ste_gen_data *data, bool bond)
{
    const struct ste_gen_isins *isins = bond ? &data->bonds : &data->shares;
    if (isins->count == 0)
        isins = bond ? &data->shares : &data->bonds;
    return isins->list[ste_random_below(random, isins->count)];
}

/* Currencies and countries go round, so that a set of a few hundred trades has met them all; the
 * step of the country changes with every round of the currencies, so that all pairs come in time.
 */
static void pick_turns(const struct ste_gen_data *data, struct ste_gen_trade *trade)
{
    uint64_t round = trade->number / data->currency_count;
    trade->currency = &data->currencies[trade->number % data->currency_count];
    trade->country = data->countries[(trade->number + round) % data->country_count];
}

void ste_gen_trade_draw(const struct ste_gen *gen, uint64_t number, struct ste_gen_trade *ret)
{
    const struct ste_gen_data *data = gen->data;
    struct ste_random random = ste_random_of(gen->seed, number, 0);
    ret->number = number;
    pick_turns(data, ret);
    ret->broker = data->brokers.list[ste_random_below(&random, data->brokers.count)].bic8;
    ret->manager = data->managers.list[ste_random_below(&random, data->managers.count)].bic8;
    ret->place = &data->places[ste_random_below(&random, data->place_count)];
    ret->street_custodian = (unsigned)ste_random_below(&random, data->custodians.count);
    ret->bond = ste_random_below(&random, 32) < GEN_BONDS_OF_32;
    ret->isin = draw_isin(&random, data, ret->bond);
    ret->free = ste_random_below(&random, 32) < GEN_FREE_OF_32;
    ret->sell = ste_random_below(&random, 2) == 1;
    unsigned lot_digits = draw_price(&random, ret);
    unsigned spread = gen->accounts_max - gen->accounts_min + 1;
    ret->account_count = gen->accounts_min + (unsigned)ste_random_below(&random, spread);
    unsigned first_account = (unsigned)ste_random_below(&random, GEN_ACCOUNT_NUMBERS);
    ret->quantity = 0;
    for (unsigned i = 0; i < ret->account_count; i++) {
        ret->accounts[i].number = first_account + i;
        draw_account(&random, data, ret, &ret->accounts[i], lot_digits);
        ret->quantity += ret->accounts[i].quantity;
    }
    ste_gen_flaw_draw(gen, ret);
}

unsigned ste_gen_message_count(const struct ste_gen_trade *trade)
{
    return 1 + 3 * trade->account_count;
}

enum ste_type ste_gen_message_type(const struct ste_gen_trade *trade, unsigned index,
                                   const struct ste_gen_account **ret_account)
{
    static const enum ste_type types[] = {STE_TYPE_ALB, STE_TYPE_NPR, STE_TYPE_SET};
    if (index == 0) {
        *ret_account = NULL;
        return STE_TYPE_NOE;
    }
    *ret_account = &trade->accounts[(index - 1) / 3];
    return types[(index - 1) % 3];
}

void ste_gen_trade_reference(const struct ste_gen *gen, uint64_t number, char *out)
{
    static const char digits[] = "0123456789ABCDEFGHJKLMNPQRSTUVWX";
    /* Small seeds show as they are; large ones are mixed down to the same twenty bits. */
    uint64_t seed = gen->seed;
    if (seed >> 20)
        seed = ste_random_next(&(struct ste_random){seed}) & ((1 << 20) - 1);
    char date[STE_DATE_TEXT_BYTES];
    ste_date_format(gen->data->trade_date, date);
    (void)snprintf(out, STE_REFERENCE_CHARS_MAX + 1, "SGX%.4s%.2s%.2s-%c%c%c%c-%09llu", date,
                   date + 5, date + 8, digits[seed >> 15 & 31], digits[seed >> 10 & 31],
                   digits[seed >> 5 & 31], digits[seed & 31], (unsigned long long)number);
}

struct ste_hash ste_gen_trade_key(const struct ste_gen *gen, const struct ste_gen_trade *trade)
{
    char reference[STE_REFERENCE_CHARS_MAX + 1], date[STE_DATE_TEXT_BYTES];
    char identity[sizeof reference + sizeof date + 2 * STE_BIC8_BYTES + 3];
    ste_gen_trade_reference(gen, trade->number, reference);
    ste_date_format(gen->data->trade_date, date);
    int len = snprintf(identity, sizeof identity, "%s|%s|%s|%s", reference, trade->broker,
                       trade->manager, date);
    return ste_hash_of((struct ste_bytes){identity, (size_t)len});
}
