/* SPDX-License-Identifier: Apache-2.0
 * Names and tables of the message model, printed from the .def lists. */
#include "msg/message.h"

#include <string.h>

static const char *const type_names[STE_TYPE_COUNT] = {
    [STE_TYPE_NONE] = "",
#define X(id, value, name, queue) [id] = name,
#include "msg/types.def"
#undef X
};

static const uint8_t type_queues[STE_TYPE_COUNT] = {
    [STE_TYPE_NONE] = 4,
#define X(id, value, name, queue) [id] = queue,
#include "msg/types.def"
#undef X
};

static const char *const function_names[] = {
    [STE_FUNCTION_NONE] = "",     [STE_FUNCTION_NEWM] = "NEWM", [STE_FUNCTION_AMND] = "AMND",
    [STE_FUNCTION_CANC] = "CANC", [STE_FUNCTION_TRIA] = "TRIA",
};

static const struct {
    const char *name, *text;
} codes[STE_MSG_CODE_COUNT] = {
    [STE_C_NONE] = {"", ""},
#define X(name, text) [STE_C_##name] = {#name, text},
#include "msg/codes.def"
#undef X
};

static const struct {
    const char *element, *attribute;
    uint8_t element_len;
} fields[STE_FIELD_COUNT] = {
#define X(id, value, element, attribute, kind) [id] = {element, attribute, sizeof(element) - 1},
#include "msg/fields.def"
#undef X
};

const char *ste_type_name(enum ste_type type)
{
    return (unsigned)type < STE_TYPE_COUNT ? type_names[type] : "";
}

unsigned ste_type_queue(enum ste_type type)
{
    return (unsigned)type < STE_TYPE_COUNT ? type_queues[type] : type_queues[STE_TYPE_NONE];
}

const char *ste_function_name(enum ste_function function)
{
    return (unsigned)function <= STE_FUNCTION_TRIA ? function_names[function] : "";
}

const char *ste_msg_code_name(enum ste_msg_code code)
{
    return (unsigned)code < STE_MSG_CODE_COUNT ? codes[code].name : "";
}

const char *ste_msg_code_text(enum ste_msg_code code)
{
    return (unsigned)code < STE_MSG_CODE_COUNT ? codes[code].text : "";
}

enum ste_msg_code ste_msg_code_of(struct ste_bytes name)
{
    for (int code = STE_C_NONE + 1; code < STE_MSG_CODE_COUNT; code++) {
        if (ste_bytes_equal(name, ste_bytes_of(codes[code].name)))
            return (enum ste_msg_code)code;
    }
    return STE_C_NONE;
}

const char *ste_field_element(enum ste_field_id id)
{
    return (unsigned)id < STE_FIELD_COUNT && fields[id].element ? fields[id].element : "";
}

const char *ste_field_attribute(enum ste_field_id id)
{
    return (unsigned)id < STE_FIELD_COUNT ? fields[id].attribute : NULL;
}

enum ste_field_id ste_field_of(struct ste_bytes element)
{
    for (int id = STE_F_NONE + 1; id < STE_FIELD_COUNT; id++) {
        if (fields[id].element_len == element.len && !fields[id].attribute &&
            memcmp(fields[id].element, element.at, element.len) == 0)
            return (enum ste_field_id)id;
    }
    return STE_F_NONE;
}

/* Which types carry a field: MESSAGES section 1 (what each needs) and section 3 (what it may have).
 * An element that is no condition and about which neither says anything is carried by all four
 * trade types. */
enum {
    NOE = 1 << STE_TYPE_NOE,
    ALB = 1 << STE_TYPE_ALB,
    NPR = 1 << STE_TYPE_NPR,
    SET = 1 << STE_TYPE_SET,
    AFF = 1 << STE_TYPE_AFF,
    NAF = 1 << STE_TYPE_NAF,
    STQ = 1 << STE_TYPE_STQ,
    LEG = ALB | NPR | SET,
    FOUR = NOE | LEG,
    EVERY = FOUR | AFF | NAF | STQ,
};

static unsigned carriers(enum ste_field_id id)
{
    switch (id) {
    case STE_F_REFERENCE:
    case STE_F_SENDER:
    case STE_F_RECEIVER:
    case STE_F_CREATED_AT:
    case STE_F_TRADE_REFERENCE:
    case STE_F_TRADE_DATE:
    case STE_F_BROKER:
    case STE_F_MANAGER:
    case STE_F_NARRATIVE:
        return EVERY;
    case STE_F_PREVIOUS_REFERENCE: /* NEWM and TRIA do not: the decoder knows the function */
        return EVERY & ~(unsigned)STQ;
    case STE_F_ACCOUNT:
        return LEG | AFF | NAF;
    case STE_F_SETTLEMENT_AMOUNT:
    case STE_F_SETTLEMENT_AMOUNT_CURRENCY:
    case STE_F_COMMISSION:
    case STE_F_COMMISSION_CURRENCY:
    case STE_F_ACCRUED_INTEREST:
    case STE_F_ACCRUED_INTEREST_CURRENCY:
    case STE_F_DELIVERING_AGENT:
    case STE_F_RECEIVING_AGENT:
        return LEG;
    default:
        return FOUR;
    }
}

bool ste_type_carries(enum ste_type type, enum ste_field_id id)
{
    if (id <= STE_F_NONE || (unsigned)id >= STE_FIELD_COUNT || (unsigned)type >= STE_TYPE_COUNT)
        return false;
    return (carriers(id) >> type & 1) != 0;
}

enum ste_msg_code ste_field_code(enum ste_field_id id)
{
    switch (id) {
    case STE_F_DIRECTION:
        return STE_C_DELN;
    case STE_F_PAYMENT:
        return STE_C_FRAP;
    case STE_F_INSTRUMENT:
        return STE_C_DSEC;
    case STE_F_TRADE_DATE:
        return STE_C_DTRD;
    case STE_F_SETTLEMENT_DATE:
        return STE_C_DDAT;
    case STE_F_QUANTITY:
    case STE_F_QUANTITY_UNIT:
        return STE_C_DQUA;
    case STE_F_PRICE:
    case STE_F_PRICE_TYPE:
    case STE_F_PRICE_CURRENCY:
        return STE_C_DDEA;
    case STE_F_SETTLEMENT_CURRENCY:
        return STE_C_NCRR;
    case STE_F_SETTLEMENT_AMOUNT:
    case STE_F_SETTLEMENT_AMOUNT_CURRENCY:
        return STE_C_DMON;
    case STE_F_COMMISSION:
    case STE_F_COMMISSION_CURRENCY:
        return STE_C_EXEC;
    case STE_F_ACCRUED_INTEREST:
    case STE_F_ACCRUED_INTEREST_CURRENCY:
        return STE_C_ACRU;
    case STE_F_BROKER:
        return STE_C_IEXE;
    case STE_F_MANAGER:
        return STE_C_INVE;
    case STE_F_ACCOUNT:
        return STE_C_SAFE;
    case STE_F_DELIVERING_AGENT:
        return STE_C_DEAG;
    case STE_F_RECEIVING_AGENT:
        return STE_C_REAG;
    case STE_F_PLACE_OF_SETTLEMENT:
        return STE_C_DEPT;
    default:
        return STE_C_XFMT;
    }
}
