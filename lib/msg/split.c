/* SPDX-License-Identifier: Apache-2.0 */
#include "msg/split.h"

#include <expat.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 64 << 10, PIECE_BYTES_MAX = STE_DELIVERY_BYTES_MAX };

struct range {
    uint64_t from, to; /* offsets in the file */
};

struct ste_split {
    FILE *file;
    XML_Parser parser;
    struct ste_buf window; /* the file from `base` on, as far as it was read */
    uint64_t base, parsed;
    struct range *ready; /* closed pieces that were not handed out */
    size_t ready_first, ready_count, ready_capacity;
    char *open_tag, *close_tag; /* of TradeMessages, as written; "" when the root is a message */
    bool has_root, root_is_list, failed, broken, ended, rest_given;
    unsigned depth;
    uint64_t piece_from, piece_to; /* of the open piece; end of the last closed one */
    size_t head_left;              /* bytes of the window that were not parsed yet at the start */
};

static struct ste_bytes local_name(const char *name)
{
    const char *const colon = strrchr(name, ':');
    return ste_bytes_of(colon != NULL ? colon + 1 : name);
}

static uint64_t here(const struct ste_split *split)
{
    return (uint64_t)XML_GetCurrentByteIndex(split->parser);
}

static void keep_root(struct ste_split *split, const char *name)
{
    split->has_root = true;
    split->root_is_list = ste_bytes_equal(local_name(name), STE_BYTES("TradeMessages"));
    const size_t length = (size_t)XML_GetCurrentByteCount(split->parser);
    split->open_tag = split->root_is_list
                          ? strndup(split->window.at + (here(split) - split->base), length)
                          : strdup("");
    if (!split->root_is_list)
        split->close_tag = strdup("");
    else if (asprintf(&split->close_tag, "</%s>", name) < 0)
        split->close_tag = NULL;
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
    if (split->ready_first + split->ready_count == split->ready_capacity) {
        memmove(split->ready, split->ready + split->ready_first,
                split->ready_count * sizeof(*split->ready));
        split->ready_first = 0;
    }
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
    split->ready[split->ready_first + split->ready_count++] = range;
}

static void on_end(void *context, const XML_Char *name)
{
    struct ste_split *const split = context;
    (void)name;
    split->depth--;
    if (split->depth != (split->root_is_list ? 1u : 0u))
        return;
    split->piece_to = here(split) + (uint64_t)XML_GetCurrentByteCount(split->parser);
    add_ready(split, (struct range){split->piece_from, split->piece_to});
}

struct ste_split *ste_split_new(FILE *file, struct ste_bytes head)
{
    struct ste_split *const split = calloc(1, sizeof(*split));
    if (split == NULL)
        return NULL;
    split->file = file;
    split->parser = XML_ParserCreate("UTF-8");
    ste_buf_append_bytes(&split->window, head);
    split->head_left = head.len;
    if (split->parser == NULL || split->window.failed) {
        ste_split_free(split);
        return NULL;
    }
    XML_SetUserData(split->parser, split);
    XML_SetElementHandler(split->parser, on_start, on_end);
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

/* Forgets what no open or ready piece needs any more. */
static void slide(struct ste_split *split)
{
    const bool in_piece = split->depth > (split->root_is_list ? 1u : 0u);
    const uint64_t needed = in_piece ? split->piece_from : split->piece_to;
    const size_t drop = (size_t)(needed - split->base);
    if (drop < CHUNK_BYTES)
        return;
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
    }
    const char *const at = split->window.at + (split->parsed - split->base);
    const bool last = bytes == 0;
    split->parsed += bytes;
    if (XML_Parse(split->parser, at, (int)bytes, last) == XML_STATUS_ERROR)
        split->broken = true;
    if (last)
        split->ended = true;
    const bool in_piece = split->depth > (split->root_is_list ? 1u : 0u);
    if (in_piece && split->parsed - split->piece_from > PIECE_BYTES_MAX)
        split->broken = true; /* too large to be anything but refused */
    return split->failed ? ste_error_set(err, STE_E_NOMEM, "could not split the file") : STE_OK;
}

/* From the start of the piece that broke, or after the last one that closed. */
static enum ste_code give_rest(struct ste_split *split, struct ste_piece *ret, bool *ret_done,
                               struct ste_error *err)
{
    const bool in_piece = split->depth > (split->root_is_list ? 1u : 0u);
    const uint64_t from = in_piece ? split->piece_from : split->piece_to;
    size_t bytes = 1;
    while (bytes > 0 && split->window.len - (from - split->base) < PIECE_BYTES_MAX) {
        const enum ste_code rc = read_chunk(split, &bytes, err);
        if (rc != STE_OK)
            return rc;
    }
    ret->bytes = (struct ste_bytes){split->window.at + (from - split->base),
                                    split->window.len - (size_t)(from - split->base)};
    if (ret->bytes.len > PIECE_BYTES_MAX)
        ret->bytes.len = PIECE_BYTES_MAX;
    ret->rest = true;
    split->rest_given = true;
    *ret_done = ret->bytes.len == 0;
    return STE_OK;
}

enum ste_code ste_split_next(struct ste_split *split, struct ste_piece *ret, bool *ret_done,
                             struct ste_error *err)
{
    while (split->ready_count == 0 && !split->broken && !split->ended) {
        const enum ste_code rc = parse_on(split, err);
        if (rc != STE_OK)
            return rc;
    }
    *ret_done = false;
    if (split->ready_count > 0) {
        const struct range range = split->ready[split->ready_first++];
        if (--split->ready_count == 0)
            split->ready_first = 0;
        ret->bytes = (struct ste_bytes){split->window.at + (range.from - split->base),
                                        (size_t)(range.to - range.from)};
        ret->rest = false;
        return STE_OK;
    }
    if (split->broken && !split->rest_given)
        return give_rest(split, ret, ret_done, err);
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
