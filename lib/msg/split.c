/* SPDX-License-Identifier: Apache-2.0
 * expat says where elements begin and end; their bytes are taken from a window of the file. The
 * window holds what an open piece, or a rest, would need, and slides on. */
#include "msg/split.h"

#include <expat.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    CHUNK_BYTES = 64 << 10,
    /* expat keeps a tag or comment until it is complete; a longer one cannot be passed over. */
    TOKEN_BYTES_MAX = 4 * STE_DELIVERY_BYTES_MAX,
};

struct range {
    uint64_t from, to; /* offsets in the file */
};

/* A place that only moves forward. */
struct place {
    uint64_t offset;
    uint32_t line, column;
    bool after_cr; /* the LF that follows belongs to the same line end */
};

struct ste_split {
    FILE *file;
    XML_Parser parser;
    struct ste_buf window; /* the file from `base` on, as far as it was read */
    uint64_t base, parsed;
    size_t head_left;    /* bytes of the window that were not parsed yet at the start */
    uint64_t token_from; /* what stands before it, expat has done with */
    struct place place;

    char *open_tag, *close_tag; /* of TradeMessages, as written; "" when the root is a message */
    bool has_root, root_is_list;
    unsigned depth;

    struct range *ready; /* closed pieces that were not handed out */
    size_t ready_first, ready_count, ready_capacity;
    uint64_t piece_from; /* of the open piece */
    uint64_t done_to;    /* end of the last closed piece, or of the root's tag */
    bool huge_due;       /* the open piece passed the limit: its start is handed out next */
    bool skipping;       /* … was handed out: it is read on without being kept */

    bool failed;                    /* out of memory in a handler */
    bool broken, ended, rest_given; /* the XML; the file; the rest */
    bool token_too_long;
};

static bool in_piece(const struct ste_split *split)
{
    return split->depth > (split->root_is_list ? 1u : 0u);
}

/* ---- what expat calls ---- */

static struct ste_bytes local_name(const char *name)
{
    const char *const colon = strrchr(name, ':');
    return ste_bytes_of(colon != NULL ? colon + 1 : name);
}

static uint64_t here(const struct ste_split *split)
{
    return (uint64_t)XML_GetCurrentByteIndex(split->parser);
}

static uint64_t here_end(const struct ste_split *split)
{
    return here(split) + (uint64_t)XML_GetCurrentByteCount(split->parser);
}

static void keep_root(struct ste_split *split, const char *name)
{
    split->has_root = true;
    split->root_is_list = ste_bytes_equal(local_name(name), STE_BYTES("TradeMessages"));
    if (!split->root_is_list) {
        split->open_tag = strdup("");
        split->close_tag = strdup("");
    } else {
        split->done_to = here_end(split);
        split->open_tag = strndup(split->window.at + (here(split) - split->base),
                                  (size_t)(here_end(split) - here(split)));
        if (asprintf(&split->close_tag, "</%s>", name) < 0)
            split->close_tag = NULL;
    }
    split->failed |= split->open_tag == NULL || split->close_tag == NULL;
}

static void on_start(void *context, const XML_Char *name, const XML_Char **attributes)
{
    struct ste_split *const split = context;
    (void)attributes;
    if (!split->has_root)
        keep_root(split, name);
    if (split->depth == (split->root_is_list ? 1u : 0u))
        split->piece_from = here(split);
    split->depth++;
}

static void add_ready(struct ste_split *split, struct range range)
{
    if (split->ready_count == split->ready_capacity) {
        const size_t capacity = split->ready_capacity == 0 ? 256 : split->ready_capacity * 2;
        void *const ready = realloc(split->ready, capacity * sizeof(*split->ready));
        if (ready == NULL) {
            split->failed = true;
            return;
        }
        split->ready = ready;
        split->ready_capacity = capacity;
    }
    split->ready[split->ready_count++] = range;
}

static void on_end(void *context, const XML_Char *name)
{
    struct ste_split *const split = context;
    (void)name;
    const bool in_message = in_piece(split);
    split->depth--;
    if (!in_message || in_piece(split))
        return;
    split->done_to = here_end(split);
    if (!split->skipping)
        add_ready(split, (struct range){split->piece_from, split->done_to});
    split->skipping = false;
}

/* Neither is taken by the engine; the whole file is the rest then, as a delivery would be refused.
 */
static void on_declaration(void *context, const XML_Char *version, const XML_Char *encoding,
                           int standalone)
{
    struct ste_split *const split = context;
    (void)version;
    (void)standalone;
    if (encoding != NULL && strcasecmp(encoding, "UTF-8") != 0)
        XML_StopParser(split->parser, XML_FALSE);
}

static void on_doctype(void *context, const XML_Char *name, const XML_Char *system_id,
                       const XML_Char *public_id, int has_internal_subset)
{
    struct ste_split *const split = context;
    (void)name;
    (void)system_id;
    (void)public_id;
    (void)has_internal_subset;
    XML_StopParser(split->parser, XML_FALSE);
}

/* ---- life ---- */

struct ste_split *ste_split_new(FILE *file, struct ste_bytes head)
{
    struct ste_split *const split = calloc(1, sizeof(*split));
    if (split == NULL)
        return NULL;
    split->file = file;
    split->place = (struct place){.line = 1, .column = 1};
    split->parser = XML_ParserCreate("UTF-8");
    ste_buf_append_bytes(&split->window, head);
    split->head_left = head.len;
    if (split->parser == NULL || split->window.failed) {
        ste_split_free(split);
        return NULL;
    }
    XML_SetUserData(split->parser, split);
    XML_SetElementHandler(split->parser, on_start, on_end);
    XML_SetXmlDeclHandler(split->parser, on_declaration);
    XML_SetStartDoctypeDeclHandler(split->parser, on_doctype);
    return split;
}

void ste_split_free(struct ste_split *split)
{
    if (split == NULL)
        return;
    if (split->parser != NULL)
        XML_ParserFree(split->parser);
    ste_buf_deinit(&split->window);
    free(split->ready);
    free(split->open_tag);
    free(split->close_tag);
    free(split);
}

/* ---- the window ---- */

static const char *window_at(const struct ste_split *split, uint64_t offset)
{
    return split->window.at + (offset - split->base);
}

static void move_place(struct ste_split *split, uint64_t offset)
{
    struct place *const place = &split->place;
    static const char bom[] = "\xEF\xBB\xBF";
    const uint64_t window_end = split->base + split->window.len;
    if (place->offset == 0 && window_end >= 3 && memcmp(window_at(split, 0), bom, 3) == 0)
        place->offset = 3; /* a byte order mark is no character */
    for (; place->offset < offset; place->offset++) {
        const char c = *window_at(split, place->offset);
        if (c == '\r' || (c == '\n' && !place->after_cr)) {
            place->line++;
            place->column = 1;
        } else if (c != '\n') {
            place->column += ((unsigned char)c & 0xC0) != 0x80;
        }
        place->after_cr = c == '\r';
    }
}

/* Where a rest would begin. Comments and white space between pieces are given up when they are more
 * than any delivery could hold. */
static uint64_t rest_from(struct ste_split *split)
{
    if (in_piece(split))
        return split->piece_from;
    if (split->token_from > split->done_to + STE_DELIVERY_BYTES_MAX)
        split->done_to = split->token_from;
    return split->done_to;
}

/* Forgets what no open piece and no rest needs any more. */
static void slide(struct ste_split *split)
{
    const uint64_t needed = split->skipping ? split->token_from : rest_from(split);
    if (needed < split->base + CHUNK_BYTES)
        return;
    move_place(split, needed);
    const size_t drop = (size_t)(needed - split->base);
    memmove(split->window.at, split->window.at + drop, split->window.len - drop);
    split->window.len -= drop;
    split->base = needed;
}

static enum ste_code read_chunk(struct ste_split *split, size_t *ret_bytes, struct ste_error *err)
{
    if (!ste_buf_reserve(&split->window, CHUNK_BYTES))
        return ste_error_set(err, STE_E_NOMEM, "could not read on");
    *ret_bytes = fread(split->window.at + split->window.len, 1, CHUNK_BYTES, split->file);
    if (ferror(split->file))
        return ste_error_set(err, STE_E_FILE, "could not read the file");
    split->window.len += *ret_bytes;
    return STE_OK;
}

static void parse(struct ste_split *split, size_t bytes)
{
    const char *const at = bytes > 0 ? window_at(split, split->parsed) : "";
    split->parsed += bytes;
    if (XML_Parse(split->parser, at, (int)bytes, bytes == 0) == XML_STATUS_ERROR)
        split->broken = true;
    const XML_Index index = XML_GetCurrentByteIndex(split->parser); /* -1: it does not know now */
    if (index > 0 && (uint64_t)index > split->token_from)
        split->token_from = (uint64_t)index;
    if (split->parsed - split->token_from > TOKEN_BYTES_MAX)
        split->token_too_long = true;
}

static enum ste_code parse_on(struct ste_split *split, struct ste_error *err)
{
    size_t bytes = split->head_left < CHUNK_BYTES ? split->head_left : CHUNK_BYTES;
    if (split->head_left > 0) {
        split->head_left -= bytes;
    } else {
        slide(split);
        const enum ste_code rc = read_chunk(split, &bytes, err);
        if (rc != STE_OK)
            return rc;
        split->ended = bytes == 0;
    }
    parse(split, bytes);
    split->huge_due = in_piece(split) && !split->skipping &&
                      split->parsed - split->piece_from > STE_DELIVERY_BYTES_MAX;
    return split->failed ? ste_error_set(err, STE_E_NOMEM, "could not split the file") : STE_OK;
}

/* ---- pieces ---- */

static void hand_out(struct ste_split *split, enum ste_piece_kind kind, struct range range,
                     struct ste_piece *ret)
{
    move_place(split, range.from);
    *ret =
        (struct ste_piece){.bytes = {window_at(split, range.from), (size_t)(range.to - range.from)},
                           .kind = kind,
                           .offset = range.from,
                           .line = split->place.line,
                           .column = split->place.column};
}

static void hand_out_element(struct ste_split *split, struct range range, struct ste_piece *ret)
{
    const bool huge = range.to - range.from > STE_DELIVERY_BYTES_MAX;
    if (huge)
        range.to = range.from + STE_DELIVERY_BYTES_MAX + 1;
    hand_out(split, huge ? STE_PIECE_HUGE : STE_PIECE_WHOLE, range, ret);
}

/* From the start of the piece that broke, or after the last one that closed. */
static enum ste_code give_rest(struct ste_split *split, struct ste_piece *ret,
                               struct ste_error *err)
{
    const uint64_t from = rest_from(split);
    size_t bytes = 1;
    while (bytes > 0 && split->base + split->window.len - from < STE_SPLIT_REST_BYTES_MAX) {
        const enum ste_code rc = read_chunk(split, &bytes, err);
        if (rc != STE_OK)
            return rc;
    }
    uint64_t to = split->base + split->window.len;
    if (to - from > STE_SPLIT_REST_BYTES_MAX)
        to = from + STE_SPLIT_REST_BYTES_MAX;
    hand_out(split, STE_PIECE_REST, (struct range){from, to}, ret);
    split->rest_given = true;
    return STE_OK;
}

enum ste_code ste_split_next(struct ste_split *split, struct ste_piece *ret, bool *ret_done,
                             struct ste_error *err)
{
    while (split->ready_count == 0 && !split->huge_due && !split->broken && !split->ended) {
        if (split->token_too_long)
            return ste_error_set(err, STE_E_LIMIT,
                                 "a tag or comment of more than %d MiB: what follows was not read",
                                 TOKEN_BYTES_MAX >> 20);
        const enum ste_code rc = parse_on(split, err);
        if (rc != STE_OK)
            return rc;
    }
    *ret_done = false;
    if (split->ready_count > 0) {
        const struct range range = split->ready[split->ready_first++];
        if (split->ready_first == split->ready_count)
            split->ready_first = split->ready_count = 0;
        hand_out_element(split, range, ret);
        return STE_OK;
    }
    if (split->huge_due) {
        split->huge_due = false;
        split->skipping = true;
        hand_out_element(split, (struct range){split->piece_from, split->parsed}, ret);
        return STE_OK;
    }
    /* Of an element that broke while it was skipped, the start was handed out already. */
    if (split->broken && !split->skipping && !split->rest_given)
        return give_rest(split, ret, err);
    *ret_done = true;
    return STE_OK;
}

struct ste_bytes ste_split_open_tag(const struct ste_split *split)
{
    return ste_bytes_of(split->open_tag);
}

struct ste_bytes ste_split_close_tag(const struct ste_split *split)
{
    return ste_bytes_of(split->close_tag);
}
