/* SPDX-License-Identifier: Apache-2.0
 * What the rules see of a trade: its places, legs and what was said about them. Everything lives in
 * the arena that the trade was made in; one owner thread.
 *
 * Values are kept once: `values[n]` is a text, messages refer to it by n. Entry 0 is "absent". */
#ifndef STE_NODE_RULES_TRADE_STATE_H
#define STE_NODE_RULES_TRADE_STATE_H

#include "base/decimal.h"
#include "node/rules/trade.h"

enum {
    STE_NO_LEG = UINT16_MAX,
    STE_TRADE_VALUES_MAX = UINT16_MAX - 1,
    STE_PLACE_COUNT = 3, /* of a leg: ALB, NPR, SET */
};

/* Stored, never renumber. */
enum ste_stage_result {
    STE_STAGE_INCOMPLETE = 0,
    STE_STAGE_PASSED = 1,
    STE_STAGE_FAILED = 2,
};

/* A message that holds a place. */
struct ste_held {
    uint8_t type;  /* enum ste_type */
    uint8_t flags; /* 0; room for what AFF, NAF and open requests will note */
    uint16_t leg;  /* index in legs; STE_NO_LEG for the NOE */
    uint16_t values[STE_FIELD_COUNT];
};

struct ste_leg {
    uint16_t account;                 /* value */
    uint8_t result;                   /* enum ste_stage_result of stage LEG */
    uint16_t places[STE_PLACE_COUNT]; /* index in held, plus 1; 0: free */
};

/* One accepted message, whether it still holds a place or not. */
struct ste_seen {
    uint64_t identity64, content64, delivery64;
    uint64_t row_id; /* of its row in `message`; 0: not known */
    uint8_t flags;   /* 0 */
};

/* The last NMA of a stage: what it said, as a hash. */
struct ste_told {
    uint8_t stage; /* enum ste_stage_bit */
    uint8_t type;  /* ACCOUNT: of the message without allocation */
    uint16_t leg;
    uint64_t content64;
};

enum ste_clearing_action { STE_CLEARING_NEWM = 1, STE_CLEARING_CANC = 2 }; /* stored */
struct ste_clearing {
    uint32_t version;
    uint8_t action;
};

struct ste_trade {
    struct ste_arena *arena;
    struct ste_bytes identity;                                            /* as stored */
    struct ste_bytes trade_reference, broker8, manager8, trade_date_text; /* its four parts */
    struct ste_hash trade_key;
    ste_date trade_date;
    bool changed;
    uint8_t block; /* enum ste_stage_result of stage BLOCK */
    uint64_t version;
    size_t limit_bytes, size_bytes; /* of the encoding; size_bytes never below it */

    struct ste_bytes *values;
    size_t value_count, value_capacity;
    uint16_t *value_slots; /* open addressing over values; made when first needed */
    size_t value_slot_count;

    struct ste_held *held;
    size_t held_count, held_capacity;
    uint16_t noe; /* index in held, plus 1; 0: free */
    struct ste_leg *legs;
    size_t leg_count, leg_capacity;
    struct ste_wide allocated; /* sum of the ALBs' quantities, whatever their units */
    struct ste_seen *seen;
    size_t seen_count, seen_capacity, seen_unstored; /* the first whose row id may still come */
    struct ste_told *told;
    size_t told_count, told_capacity;
    struct ste_clearing *clearings;
    size_t clearing_count, clearing_capacity;
    /* Of the message that created the trade, for stage KEY. */
    uint16_t creator_sender, creator_reference, creator_broker, creator_manager;
};

/* Makes room for one more item; false: out of memory. Items move. */
bool ste_grow(struct ste_arena *arena, void **items, size_t *capacity, size_t count,
              size_t item_bytes);
#define STE_GROW(arena, items, count, capacity)                                                    \
    ste_grow((arena), (void **)&(items), &(capacity), (count), sizeof(*(items)))

/* Splits identity into its four parts. False: it is none. */
bool ste_trade_split(struct ste_trade *trade);

/* The field as sent; absent when the message has none. */
static inline struct ste_bytes ste_held_value(const struct ste_trade *trade,
                                              const struct ste_held *held, enum ste_field_id id)
{
    return trade->values[held->values[id]];
}
static inline struct ste_bytes ste_held_sender8(const struct ste_trade *trade,
                                                const struct ste_held *held)
{
    return ste_bic8(ste_held_value(trade, held, STE_F_SENDER));
}
static inline const struct ste_held *ste_trade_noe(const struct ste_trade *trade)
{
    return trade->noe ? &trade->held[trade->noe - 1] : NULL;
}
/* 0 ALB, 1 NPR, 2 SET; other types have no place in a leg. */
static inline unsigned ste_place_of(enum ste_type type)
{
    return (unsigned)type - STE_TYPE_ALB;
}
static inline const struct ste_held *ste_leg_held(const struct ste_trade *trade,
                                                  const struct ste_leg *leg, enum ste_type type)
{
    uint16_t place = leg->places[ste_place_of(type)];
    return place ? &trade->held[place - 1] : NULL;
}
/* Index in legs, STE_NO_LEG when nothing was said about the account yet. */
uint16_t ste_trade_leg_of(const struct ste_trade *trade, struct ste_bytes account);
/* The message that holds the place which `message` wants; NULL: free. */
const struct ste_held *ste_trade_holder(const struct ste_trade *trade,
                                        const struct ste_message *message);
/* NULL: this sender and reference were not accepted in this trade. */
const struct ste_seen *ste_trade_find_seen(const struct ste_trade *trade, uint64_t identity64);

/* An upper bound for what `message` adds to the encoding. */
size_t ste_trade_cost_bytes(const struct ste_message *message);
/* Takes an accepted message in: its place must be free. NULL: out of memory. */
const struct ste_held *ste_trade_add(struct ste_trade *trade, const struct ste_message *message,
                                     uint64_t delivery64);
/* The NOE is there and the allocations reach its quantity. */
bool ste_trade_is_allocated(const struct ste_trade *trade);
bool ste_trade_is_live(const struct ste_trade *trade); /* has a live CLS */
/* Numbers of accepted messages pass ste_decimal_parse; anything else counts as 0 here. */
struct ste_wide ste_number_of(struct ste_bytes text);
/* After the places are filled by decoding: legs and the sum of allocations. False: they clash. */
bool ste_trade_index(struct ste_trade *trade);

#endif
