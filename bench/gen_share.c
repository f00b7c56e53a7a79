/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/gen_share.h"

#include <string.h>

#include "bench/random.h"
#include "ref/conditions.h"

/* Parts of a trade's random sequences (random.h); the messages' narratives have 1 on. */
#define PART_TRADE (UINT64_MAX - 1)
#define PART_MESSAGE (UINT64_C(1) << 32)

const char *ste_gen_refusal_code(enum ste_gen_refusal refusal)
{
    static const char *const codes[STE_GEN_REFUSAL_COUNT] = {
        [STE_GEN_GOOD] = "",
        [STE_GEN_BAD_CURRENCY] = "NCRR",
        [STE_GEN_BAD_SENDER] = "XROL",
        [STE_GEN_BAD_DATE] = "DDAT",
        [STE_GEN_BAD_QUANTITY] = "DQUA",
        [STE_GEN_BAD_ISIN] = "DSEC",
        [STE_GEN_MISSING_ELEMENT] = "XMIS",
        [STE_GEN_REPEATED_ELEMENT] = "XREP",
        [STE_GEN_BROKEN_XML] = "XWEL",
    };
    return codes[refusal];
}

static bool is_drawn(struct ste_random *random, unsigned share)
{
    return ste_random_below(random, STE_GEN_SHARE_ALL) < share;
}

const char *ste_gen_other_isin(const struct ste_gen_data *data, const char *isin)
{
    for (size_t i = 0; i < data->shares.count; i++) {
        if (strcmp(data->shares.list[i], isin) != 0)
            return data->shares.list[i];
    }
    for (size_t i = 0; i < data->bonds.count; i++) {
        if (strcmp(data->bonds.list[i], isin) != 0)
            return data->bonds.list[i];
    }
    return NULL;
}

/* With as many minor units, so that every amount stays well-formed. */
const struct ste_currency *ste_gen_other_currency(const struct ste_gen_data *data,
                                                  const struct ste_currency *currency)
{
    for (size_t i = 0; i < data->currency_count; i++) {
        const struct ste_currency *other = &data->currencies[i];
        if (other->minor_units == currency->minor_units && strcmp(other->code, currency->code) != 0)
            return other;
    }
    return NULL;
}

/* With the same settlement date, which is a business day there then. */
const struct ste_gen_place *ste_gen_other_place(const struct ste_gen_data *data,
                                                const struct ste_gen_place *place)
{
    for (size_t i = 0; i < data->place_count; i++) {
        const struct ste_gen_place *other = &data->places[i];
        if (other != place && other->settlement_date == place->settlement_date)
            return other;
    }
    return NULL;
}

/* Which of a trade's messages may differ in a condition, so that a stage which is compared sees it:
 * a larger NOE would only wait for more allocations. */
enum { NOE = 1, ALB = 2, NPR = 4, SET = 8, LEG = ALB | NPR | SET, ALL = NOE | LEG };
static const unsigned differing_types[STE_CONDITION_COUNT] = {
    [STE_COND_DIRECTION] = ALL,           [STE_COND_PAYMENT] = ALL,
    [STE_COND_INSTRUMENT] = ALL,          [STE_COND_SETTLEMENT_DATE] = ALL,
    [STE_COND_QUANTITY] = NPR | SET,      [STE_COND_PRICE] = NOE | ALB | NPR,
    [STE_COND_SETTLEMENT_CURRENCY] = LEG, [STE_COND_SETTLEMENT_AMOUNT] = LEG,
    [STE_COND_COMMISSION] = LEG,          [STE_COND_ACCRUED_INTEREST] = LEG,
    [STE_COND_DELIVERING_AGENT] = LEG,    [STE_COND_RECEIVING_AGENT] = LEG,
    [STE_COND_PLACE_OF_SETTLEMENT] = ALL,
};

static bool can_differ(const struct ste_gen_data *data, const struct ste_gen_trade *trade,
                       unsigned condition)
{
    switch (condition) {
    case STE_COND_PAYMENT: /* a payment needs amounts that a free trade does not have */
    case STE_COND_SETTLEMENT_AMOUNT:
    case STE_COND_COMMISSION:
        return !trade->free;
    case STE_COND_ACCRUED_INTEREST:
        return !trade->free && trade->bond;
    case STE_COND_SETTLEMENT_CURRENCY:
        return !trade->free && ste_gen_other_currency(data, trade->currency);
    case STE_COND_INSTRUMENT:
        return ste_gen_other_isin(data, trade->isin) != NULL;
    case STE_COND_SETTLEMENT_DATE:
        return trade->place->later_date != STE_DATE_NONE;
    case STE_COND_DELIVERING_AGENT:
    case STE_COND_RECEIVING_AGENT:
        return data->custodians.count > 1;
    case STE_COND_PLACE_OF_SETTLEMENT:
        return ste_gen_other_place(data, trade->place) != NULL;
    default:
        return differing_types[condition] != 0;
    }
}

static void draw_difference(const struct ste_gen_data *data, struct ste_random *random,
                            struct ste_gen_trade *trade)
{
    unsigned possible[STE_CONDITION_COUNT], count = 0;
    for (unsigned id = 1; id < STE_CONDITION_COUNT; id++) {
        if (can_differ(data, trade, id))
            possible[count++] = id;
    }
    unsigned condition = possible[ste_random_below(random, count)];
    unsigned account = (unsigned)ste_random_below(random, trade->account_count);
    unsigned places[4], place_count = 0;
    for (unsigned place = 0; place < 4; place++) { /* the NOE, then the account's three */
        if (differing_types[condition] >> place & 1)
            places[place_count++] = place ? 3 * account + place : 0;
    }
    trade->flaw.condition = (uint8_t)condition;
    trade->flaw.differs_at = (uint16_t)places[ste_random_below(random, place_count)];
}

void ste_gen_flaw_draw(const struct ste_gen *gen, struct ste_gen_trade *trade)
{
    trade->flaw = (struct ste_gen_flaw){.late_at = STE_GEN_NO_MESSAGE};
    const struct ste_gen_shares *shares = &gen->shares;
    if (!shares->mismatch && !shares->late && !shares->invalid)
        return;
    struct ste_random random = ste_random_of(gen->seed, trade->number, PART_TRADE);
    unsigned count = ste_gen_message_count(trade);
    if (is_drawn(&random, shares->late))
        trade->flaw.late_at = (uint16_t)ste_random_below(&random, count);
    if (is_drawn(&random, shares->mismatch))
        draw_difference(gen->data, &random, trade);
    for (unsigned index = 0; shares->invalid && index < count; index++) {
        if (ste_gen_refusal_of(gen, trade, index) != STE_GEN_GOOD)
            trade->flaw.refused_count++;
    }
}

bool ste_gen_clears(const struct ste_gen_trade *trade)
{
    return trade->flaw.condition == 0 && trade->flaw.refused_count == 0;
}

enum ste_gen_refusal ste_gen_refusal_of(const struct ste_gen *gen,
                                        const struct ste_gen_trade *trade, unsigned index)
{
    if (gen->shares.invalid == 0 || trade->flaw.condition != 0)
        return STE_GEN_GOOD;
    struct ste_random random = ste_random_of(gen->seed, trade->number, PART_MESSAGE + 2 * index);
    if (!is_drawn(&random, gen->shares.invalid))
        return STE_GEN_GOOD;
    return 1 + (enum ste_gen_refusal)ste_random_below(&random, STE_GEN_REFUSAL_COUNT - 1);
}

bool ste_gen_is_repeated(const struct ste_gen *gen, const struct ste_gen_trade *trade,
                         unsigned index)
{
    if (gen->shares.duplicate == 0 || trade->flaw.late_at == index ||
        ste_gen_refusal_of(gen, trade, index) != STE_GEN_GOOD)
        return false;
    struct ste_random random =
        ste_random_of(gen->seed, trade->number, PART_MESSAGE + 2 * index + 1);
    return is_drawn(&random, gen->shares.duplicate);
}

unsigned ste_gen_differs(const struct ste_gen_trade *trade, unsigned index)
{
    return trade->flaw.differs_at == index ? trade->flaw.condition : 0;
}
