/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/gen_xml.h"

#include <stdio.h>
#include <string.h>

#include "bench/gen_share.h"
#include "bench/random.h"
#include "ref/conditions.h"

/* One message being written. */
struct writing {
    const struct ste_gen *gen;
    const struct ste_gen_trade *trade;
    const struct ste_gen_account *account; /* NULL: NOE */
    enum ste_type type;
    unsigned index;
    unsigned differs; /* enum ste_condition_id; 0: as its trade */
    enum ste_gen_refusal refused;
    struct ste_buf *buf;
};
#define UNKNOWN_SENDER "NOPESG2L"

static void element(const struct writing *w, enum ste_field_id id, const char *value)
{
    if (!ste_type_carries(w->type, id))
        return;
    const char *name = ste_field_element(id);
    ste_buf_append_cstr(w->buf, "  <");
    ste_buf_append_cstr(w->buf, name);
    ste_buf_append_cstr(w->buf, ">");
    ste_buf_append_cstr(w->buf, value);
    ste_buf_append_cstr(w->buf, "</");
    ste_buf_append_cstr(w->buf, name);
    ste_buf_append_cstr(w->buf, ">\n");
}

static const char *currency_code(const struct writing *w)
{
    const struct ste_currency *currency = w->trade->currency;
    if (w->differs == STE_COND_SETTLEMENT_CURRENCY)
        currency = ste_gen_other_currency(w->gen->data, currency);
    return currency->code;
}

static void money(const struct writing *w, enum ste_field_id id, int64_t minor_units)
{
    if (!ste_type_carries(w->type, id))
        return;
    uint8_t decimals = w->trade->currency->minor_units;
    char value[STE_DECIMAL_TEXT_BYTES];
    ste_decimal_format((struct ste_decimal){minor_units, decimals}, decimals, value);
    const char *name = ste_field_element(id);
    ste_buf_append_cstr(w->buf, "  <");
    ste_buf_append_cstr(w->buf, name);
    ste_buf_append_cstr(w->buf, " currency=\"");
    ste_buf_append_cstr(w->buf, currency_code(w));
    ste_buf_append_cstr(w->buf, "\">");
    ste_buf_append_cstr(w->buf, value);
    ste_buf_append_cstr(w->buf, "</");
    ste_buf_append_cstr(w->buf, name);
    ste_buf_append_cstr(w->buf, ">\n");
}

static const char *custodian(const struct writing *w, unsigned number)
{
    return w->gen->data->custodians.list[number].bic8;
}

static const char *sender_of(const struct writing *w)
{
    if (w->refused == STE_GEN_BAD_SENDER)
        return UNKNOWN_SENDER;
    if (w->type == STE_TYPE_NOE || w->type == STE_TYPE_NPR)
        return w->trade->broker;
    if (w->type == STE_TYPE_SET && w->account->custodian_settles)
        return custodian(w, w->account->custodian);
    return w->trade->manager;
}

static const char *receiver_of(const struct writing *w)
{
    if (w->type == STE_TYPE_NOE || w->type == STE_TYPE_NPR)
        return w->trade->manager;
    return w->type == STE_TYPE_ALB ? w->trade->broker : w->trade->place->bic8;
}

/* "BRK-N-000000123-1": who sends, what, which trade, which account (0 for the NOE). */
static void reference_of(const struct writing *w, char out[static STE_SET_REFERENCE_BYTES + 1])
{
    static const char *const kinds[STE_TYPE_COUNT] = {[STE_TYPE_NOE] = "BRK-N",
                                                      [STE_TYPE_ALB] = "INV-A",
                                                      [STE_TYPE_NPR] = "BRK-P",
                                                      [STE_TYPE_SET] = "INV-S"};
    const char *kind = kinds[w->type];
    if (w->type == STE_TYPE_SET && w->account->custodian_settles)
        kind = "CUS-S";
    unsigned place = w->account ? (w->index - 1) / 3 + 1 : 0;
    (void)snprintf(out, STE_SET_REFERENCE_BYTES + 1, "%s-%09llu-%u", kind,
                   (unsigned long long)w->trade->number, place);
}

/* The order in which a market would write: 09:00 on, a few thousand a second, within the day. */
static void created_at(const struct writing *w, const char *date)
{
    uint64_t us = (w->trade->number * 1250 + w->index * 97) % (UINT64_C(8) * 3600 * 1000000);
    unsigned s = (unsigned)(us / 1000000);
    char text[64];
    (void)snprintf(text, sizeof text, "%sT%02u:%02u:%02u.%06uZ", date, 9 + s / 3600, s / 60 % 60,
                   s % 60, (unsigned)(us % 1000000));
    element(w, STE_F_CREATED_AT, text);
}

/* When, which way, for what, of what: with the flaws that a message may have there. */
static void terms(const struct writing *w)
{
    const struct ste_gen_trade *trade = w->trade;
    char date[STE_DATE_TEXT_BYTES] = "2026-02-30", isin[STE_GEN_ISIN_BYTES + 1];
    if (w->refused != STE_GEN_BAD_DATE)
        ste_date_format(w->differs == STE_COND_SETTLEMENT_DATE ? trade->place->later_date
                                                               : trade->place->settlement_date,
                        date);
    element(w, STE_F_SETTLEMENT_DATE, date);
    if (w->refused == STE_GEN_BROKEN_XML)
        ste_buf_append_cstr(w->buf, "  <Direction>BUYI</Payment>\n");
    bool sell = trade->sell != (w->differs == STE_COND_DIRECTION);
    element(w, STE_F_DIRECTION, sell ? "SELL" : "BUYI");
    for (int times = w->refused == STE_GEN_REPEATED_ELEMENT ? 2 : 1; times > 0; times--)
        element(w, STE_F_PAYMENT, trade->free || w->differs == STE_COND_PAYMENT ? "FREE" : "APMT");
    memcpy(isin,
           w->differs == STE_COND_INSTRUMENT ? ste_gen_other_isin(w->gen->data, trade->isin)
                                             : trade->isin,
           sizeof isin);
    if (w->refused == STE_GEN_BAD_ISIN) /* another check digit */
        isin[STE_GEN_ISIN_BYTES - 1] = isin[STE_GEN_ISIN_BYTES - 1] == '0' ? '1' : '0';
    if (w->refused != STE_GEN_MISSING_ELEMENT)
        element(w, STE_F_INSTRUMENT, isin);
}

static void header(const struct writing *w)
{
    char text[STE_REFERENCE_CHARS_MAX + 1], date[STE_DATE_TEXT_BYTES];
    ste_buf_append_cstr(w->buf, "<TradeMessage xmlns=\"urn:ste:trade:1\" type=\"");
    ste_buf_append_cstr(w->buf, ste_type_name(w->type));
    ste_buf_append_cstr(w->buf, "\" function=\"NEWM\">\n");
    reference_of(w, text);
    element(w, STE_F_REFERENCE, text);
    element(w, STE_F_SENDER, sender_of(w));
    element(w, STE_F_RECEIVER, receiver_of(w));
    ste_date_format(w->gen->data->trade_date, date);
    created_at(w, date);
    ste_gen_trade_reference(w->gen, w->trade->number, text);
    element(w, STE_F_TRADE_REFERENCE, text);
    element(w, STE_F_TRADE_DATE, date);
    terms(w);
}

static void quantity_and_price(const struct writing *w)
{
    const struct ste_gen_trade *trade = w->trade;
    char price[STE_DECIMAL_TEXT_BYTES];
    long long quantity = w->account ? w->account->quantity : trade->quantity;
    quantity += w->differs == STE_COND_QUANTITY;
    if (w->refused == STE_GEN_BAD_QUANTITY)
        quantity = 0;
    ste_buf_printf(w->buf, "  <Quantity unit=\"%s\">%lld</Quantity>\n",
                   trade->bond ? "FAMT" : "UNIT", quantity);
    if (!ste_type_carries(w->type, STE_F_PRICE))
        return;
    struct ste_decimal value = trade->price;
    value.coefficient += w->differs == STE_COND_PRICE;
    ste_decimal_format(value, 0, price);
    if (trade->bond)
        ste_buf_printf(w->buf, "  <Price type=\"PRCT\">%s</Price>\n", price);
    else
        ste_buf_printf(w->buf, "  <Price type=\"ACTU\" currency=\"%s\">%s</Price>\n",
                       trade->currency->code, price);
}

/* More than any tolerance of MESSAGES section 3: EUR 25 are 4,000 JPY. */
static int64_t beyond_tolerance(const struct writing *w)
{
    int64_t amount = 10000;
    for (unsigned i = 0; i < w->trade->currency->minor_units; i++)
        amount *= 10;
    return amount + w->account->net / 2;
}

/* Every amount that the type carries, so that all conditions are compared wherever they can be.
 * Free of payment has none. */
static void amounts(const struct writing *w)
{
    const struct ste_gen_account *account = w->account;
    bool bad = w->refused == STE_GEN_BAD_CURRENCY;
    if (bad || !w->trade->free)
        element(w, STE_F_SETTLEMENT_CURRENCY, bad ? "QQQ" : currency_code(w));
    if (w->trade->free)
        return;
    if (!account)
        return;
    money(w, STE_F_GROSS_AMOUNT, account->gross);
    if (w->trade->bond)
        money(w, STE_F_ACCRUED_INTEREST,
              account->accrued + (w->differs == STE_COND_ACCRUED_INTEREST));
    money(w, STE_F_COMMISSION, account->commission + (w->differs == STE_COND_COMMISSION));
    if (account->other > 0)
        money(w, STE_F_OTHER_CHARGES, account->other);
    money(w, STE_F_SETTLEMENT_AMOUNT,
          account->net + (w->differs == STE_COND_SETTLEMENT_AMOUNT ? beyond_tolerance(w) : 0));
}

static void agent(const struct writing *w, enum ste_field_id id, unsigned number,
                  enum ste_condition_id condition)
{
    if (w->differs == condition)
        number = (number + 1) % (unsigned)w->gen->data->custodians.count;
    element(w, id, custodian(w, number));
}

static void parties(const struct writing *w)
{
    const struct ste_gen_trade *trade = w->trade;
    element(w, STE_F_BROKER, trade->broker);
    element(w, STE_F_MANAGER, trade->manager);
    if (w->account) {
        char text[16];
        (void)snprintf(text, sizeof text, "SAFE-%04u", w->account->number);
        element(w, STE_F_ACCOUNT, text);
        unsigned client = w->account->custodian, street = trade->street_custodian;
        agent(w, STE_F_DELIVERING_AGENT, trade->sell ? client : street, STE_COND_DELIVERING_AGENT);
        agent(w, STE_F_RECEIVING_AGENT, trade->sell ? street : client, STE_COND_RECEIVING_AGENT);
    }
    const struct ste_gen_place *place = trade->place;
    if (w->differs == STE_COND_PLACE_OF_SETTLEMENT)
        place = ste_gen_other_place(w->gen->data, place);
    element(w, STE_F_PLACE_OF_SETTLEMENT, place->bic8);
    element(w, STE_F_COUNTRY, trade->country);
}

/* Words at random up to the length wanted: text that compresses like text. */
static void narrative(const struct writing *w, size_t start, struct ste_random *random)
{
    static const char *const words[] = {
        "account",  "advise",    "agent",    "against",  "allocation",   "as agreed", "balance",
        "block",    "board lot", "book",     "broker",   "by telephone", "client",    "confirm",
        "contract", "counter",   "custody",  "deliver",  "depository",   "desk",      "execution",
        "fee",      "fill",      "free",     "gross",    "holding",      "instruct",  "ledger",
        "limit",    "market",    "net",      "notice",   "on behalf",    "order",     "partial",
        "payment",  "per",       "position", "proceeds", "quote",        "receipt",   "register",
        "remarks",  "safe",      "sale",     "settle",   "share",        "standing",  "stock",
        "street",   "terms",     "ticket",   "trade",    "transfer",     "trust",     "value"};
    static const char open[] = "  <Narrative>", close[] = "</Narrative>\n",
                      end[] = "</TradeMessage>";
    size_t spread = 2 * STE_GEN_MESSAGE_BYTES_SPREAD + 1;
    size_t target = STE_GEN_MESSAGE_BYTES - STE_GEN_MESSAGE_BYTES_SPREAD +
                    (size_t)ste_random_below(random, spread);
    size_t fixed = w->buf->len - start + sizeof open + sizeof close + sizeof end - 3;
    if (fixed < target) {
        ste_buf_append(w->buf, open, sizeof open - 1);
        for (size_t left = target - fixed; left > 0 && !w->buf->failed;) {
            const char *word = words[ste_random_below(random, sizeof words / sizeof words[0])];
            size_t len = strlen(word);
            if (len > left)
                len = left;
            ste_buf_append(w->buf, word, len);
            left -= len;
            if (left > 1) { /* never a blank at the end: it would be trimmed */
                ste_buf_append_cstr(w->buf, " ");
                left--;
            }
        }
        ste_buf_append(w->buf, close, sizeof close - 1);
    }
    ste_buf_append(w->buf, end, sizeof end - 1);
}

static struct writing writing_of(const struct ste_gen *gen, const struct ste_gen_trade *trade,
                                 unsigned index, struct ste_buf *buf)
{
    struct writing w = {.gen = gen, .trade = trade, .index = index, .buf = buf};
    w.type = ste_gen_message_type(trade, index, &w.account);
    w.differs = ste_gen_differs(trade, index);
    w.refused = ste_gen_refusal_of(gen, trade, index);
    return w;
}

void ste_gen_message_write(const struct ste_gen *gen, const struct ste_gen_trade *trade,
                           unsigned index, struct ste_buf *buf)
{
    struct writing w = writing_of(gen, trade, index, buf);
    struct ste_random random = ste_random_of(gen->seed, trade->number, 1 + index);
    size_t start = buf->len;
    header(&w);
    quantity_and_price(&w);
    amounts(&w);
    parties(&w);
    narrative(&w, start, &random);
}

void ste_gen_message_entry(const struct ste_gen *gen, const struct ste_gen_trade *trade,
                           unsigned index, struct ste_set_entry *ret)
{
    struct writing w = writing_of(gen, trade, index, NULL);
    char reference[STE_SET_REFERENCE_BYTES + 1];
    reference_of(&w, reference);
    *ret = (struct ste_set_entry){.trade_key = ste_gen_trade_key(gen, trade),
                                  .reference_len = (uint8_t)strlen(reference),
                                  .type = (uint8_t)w.type};
    if (!ste_gen_clears(trade))
        ret->flags |= STE_SET_NO_CLS;
    if (w.refused != STE_GEN_GOOD)
        ret->flags |= STE_SET_REFUSED;
    if (w.refused == STE_GEN_BROKEN_XML)
        ret->flags |= STE_SET_ALONE;
    memcpy(ret->sender8, sender_of(&w), sizeof ret->sender8);
    memcpy(ret->reference, reference, ret->reference_len);
}
