/* SPDX-License-Identifier: Apache-2.0
 * --check: what the engine would say about a file that it can say without a trade. With --config
 * the map's reference data is used; without, only what needs none is checked. A file that would be
 * cut into deliveries is cut here too, and places are still those of the file. */
#include "bridge/submit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "msg/split.h"
#include "msg/xml_place.h"
#include "node/rules/rules.h"

struct checker {
    const struct ste_submit_options *options;
    FILE *out;
    struct ste_cluster *cluster;
    struct ste_ref *ref;
    struct ste_xml *xml;
    struct ste_arena *arena;
    const char *path; /* of the file in hand */
    uint32_t index;   /* of the next message in it */
    size_t messages, refused, warned;
};

/* What was decoded, a part of the file: what stands at `line`, `column` of the body stands at
 * file_line, file_column of the file, and so on from there. */
struct part {
    struct ste_bytes body;
    uint32_t line, column, file_line, file_column;
    size_t offset;
    uint64_t file_offset;
};

/* ---- places ---- */

struct spot {
    uint32_t line, column;
};

static struct spot in_file(const struct part *part, struct spot spot)
{
    if (spot.line == part->line)
        spot.column = spot.column - part->column + part->file_column;
    spot.line = spot.line - part->line + part->file_line;
    return spot;
}

static struct spot spot_of_offset(struct ste_bytes body, size_t offset)
{
    struct ste_xml_place place = ste_xml_place_start(body, ste_xml_scan_of(body));
    ste_xml_place_move(&place, offset);
    return (struct spot){place.line, place.column};
}

/* A finding's place as it is in the file, and in any case a line and column: those of the message
 * where the place is an element's name. At NULL: out of memory. */
static struct ste_bytes place_in_file(struct checker *checker, const struct part *part,
                                      const struct ste_message *message,
                                      const struct ste_finding *finding, struct spot *ret)
{
    struct spot spot = {message->line, message->column};
    const char *place = NULL;
    uint64_t offset = 0;
    if (ste_place_parse(finding->place, &spot.line, &spot.column)) {
        *ret = in_file(part, spot);
        place = ste_arena_printf(checker->arena, "%u:%u", ret->line, ret->column);
        return ste_bytes_of(place);
    }
    if (ste_bytes_u64(finding->place, &offset)) {
        *ret = in_file(part, spot_of_offset(part->body, (size_t)offset));
        place = ste_arena_printf(checker->arena, "%llu",
                                 (unsigned long long)(offset - part->offset + part->file_offset));
        return ste_bytes_of(place);
    }
    *ret = in_file(part, spot);
    return ste_arena_dup(checker->arena, finding->place);
}

/* ---- lines ---- */

static void write_json(struct ste_buf *line, const struct checker *checker,
                       const struct ste_message *message, const struct ste_finding *finding,
                       const char *kind, struct ste_bytes place, struct spot spot)
{
    struct ste_json_writer json;
    ste_json_begin(&json, line);
    ste_json_put_object(&json, NULL);
    ste_json_put_cstr(&json, "file", checker->path);
    ste_json_put_uint(&json, "line", spot.line);
    ste_json_put_uint(&json, "column", spot.column);
    ste_json_put_uint(&json, "index", checker->index);
    ste_json_put_text(&json, "reference", ste_value(message, STE_F_REFERENCE));
    ste_json_put_cstr(&json, "kind", kind);
    ste_json_put_cstr(&json, "code", ste_msg_code_name(finding->code));
    ste_json_put_text(&json, "element", finding->element);
    ste_json_put_text(&json, "place", place);
    ste_json_put_cstr(&json, "level", finding->level == STE_LEVEL_WARN ? "warn" : "reject");
    ste_json_put_text(&json, "text", finding->text);
    ste_json_put_end(&json);
    ste_buf_u8(line, '\n');
}

/* file:line:column: REJ DDAT SettlementDate: not a date that exists, as YYYY-MM-DD */
static void write_words(struct ste_buf *line, const struct checker *checker,
                        const struct ste_finding *finding, const char *kind, struct ste_bytes place,
                        struct spot spot)
{
    ste_buf_printf(line, "%s:%u:%u: %s %s", checker->path, spot.line, spot.column, kind,
                   ste_msg_code_name(finding->code));
    if (finding->element.len > 0)
        ste_buf_printf(line, " %.*s", (int)finding->element.len, finding->element.at);
    ste_buf_printf(line, ": %.*s", (int)finding->text.len, finding->text.at);
    uint64_t offset;
    if (ste_bytes_u64(place, &offset))
        ste_buf_printf(line, " at byte %llu", (unsigned long long)offset);
    ste_buf_append_cstr(line, "\n");
}

static enum ste_code print_finding(struct checker *checker, const struct part *part,
                                   const struct ste_message *message,
                                   const struct ste_finding *finding, const char *kind,
                                   struct ste_error *err)
{
    struct ste_buf line = {0};
    struct spot spot;
    const struct ste_bytes place = place_in_file(checker, part, message, finding, &spot);
    if (checker->options->json)
        write_json(&line, checker, message, finding, kind, place, spot);
    else
        write_words(&line, checker, finding, kind, place, spot);
    enum ste_code rc = STE_OK;
    if (line.failed || (place.at == NULL && finding->place.len > 0))
        rc = ste_error_set(err, STE_E_NOMEM, "could not write a line");
    else if (fwrite(line.at, 1, line.len, checker->out) != line.len)
        rc = ste_error_set(err, STE_E_FILE, "could not write to standard output");
    ste_buf_deinit(&line);
    return rc;
}

/* ---- messages ---- */

/* Without a map what needs one is not looked at. */
static bool check_message(struct checker *checker, const struct ste_message *message,
                          struct ste_checked *ret)
{
    const struct ste_cluster *const cluster = checker->cluster;
    const struct ste_rules rules = {.ref = checker->ref,
                                    .business_date =
                                        cluster != NULL ? cluster->business_date : STE_DATE_NONE};
    return ste_check_message(&rules, message, checker->arena, ret);
}

static enum ste_code explain(struct checker *checker, const struct part *part,
                             const struct ste_message *message, struct ste_error *err)
{
    struct ste_checked checked = {0};
    bool refused = false, warned = false;
    enum ste_code rc = STE_OK;
    if (message->exc.code != STE_C_NONE) {
        refused = true;
        rc = print_finding(checker, part, message, &message->exc, "EXC", err);
    } else if (!check_message(checker, message, &checked)) {
        rc = ste_error_set(err, STE_E_NOMEM, "could not check %s", checker->path);
    }
    for (size_t i = 0; rc == STE_OK && i < checked.finding_count; i++) {
        const bool reject = checked.findings[i].level == STE_LEVEL_REJECT;
        rc = print_finding(checker, part, message, &checked.findings[i], reject ? "REJ" : "warning",
                           err);
        refused |= reject;
        warned |= !reject;
    }
    checker->messages++;
    checker->refused += refused;
    checker->warned += warned;
    checker->index++;
    return rc;
}

static enum ste_code explain_all(struct checker *checker, const struct part *part,
                                 const struct ste_message *messages, size_t count,
                                 struct ste_error *err)
{
    enum ste_code rc = STE_OK;
    for (size_t i = 0; rc == STE_OK && i < count; i++)
        rc = explain(checker, part, &messages[i], err);
    return rc;
}

static enum ste_code decode(struct checker *checker, struct ste_bytes body,
                            struct ste_message **ret, size_t *ret_count, struct ste_error *err)
{
    ste_arena_reset(checker->arena);
    return ste_xml_decode(checker->xml, body, checker->arena, ret, ret_count, err);
}

/* ---- files ---- */

static enum ste_code check_part(struct checker *checker, const struct part *part,
                                struct ste_error *err)
{
    struct ste_message *messages = NULL;
    size_t count = 0;
    const enum ste_code rc = decode(checker, part->body, &messages, &count, err);
    return rc == STE_OK ? explain_all(checker, part, messages, count, err) : rc;
}

/* Between the root's tags, so that prefixes are known; a huge piece alone, as it would be sent. */
static enum ste_code check_piece(struct checker *checker, const struct ste_split *split,
                                 const struct ste_piece *piece, struct ste_error *err)
{
    struct ste_buf body = {0};
    if (piece->kind != STE_PIECE_HUGE)
        ste_buf_append_bytes(&body, ste_split_open_tag(split));
    const struct spot start = spot_of_offset(ste_buf_bytes(&body), body.len);
    struct part part = {.line = start.line,
                        .column = start.column,
                        .file_line = piece->line,
                        .file_column = piece->column,
                        .offset = body.len,
                        .file_offset = piece->offset};
    ste_buf_append_bytes(&body, piece->bytes);
    if (piece->kind == STE_PIECE_WHOLE)
        ste_buf_append_bytes(&body, ste_split_close_tag(split));
    part.body = ste_buf_bytes(&body);
    const enum ste_code rc =
        body.failed ? ste_error_set(err, STE_E_NOMEM, "could not check %s", checker->path)
                    : check_part(checker, &part, err);
    ste_buf_deinit(&body);
    return rc;
}

static enum ste_code check_cut(struct checker *checker, FILE *file, struct ste_bytes head,
                               struct ste_error *err)
{
    struct ste_split *const split = ste_split_new(file, head);
    if (split == NULL)
        return ste_error_set(err, STE_E_NOMEM, "could not read %s", checker->path);
    enum ste_code rc = STE_OK;
    for (bool done = false; rc == STE_OK && !done;) {
        struct ste_piece piece;
        rc = ste_split_next(split, &piece, &done, err);
        if (rc == STE_OK && !done)
            rc = check_piece(checker, split, &piece, err);
    }
    ste_split_free(split);
    return rc;
}

static enum ste_code check_head(struct checker *checker, FILE *file, struct ste_bytes head,
                                struct ste_error *err)
{
    struct ste_message *messages = NULL;
    size_t count = 0;
    const enum ste_code rc = decode(checker, head, &messages, &count, err);
    if (rc != STE_OK)
        return rc;
    if (ste_submit_is_too_large(head, messages, count))
        return check_cut(checker, file, head, err);
    const struct part whole = {head, 1, 1, 1, 1, 0, 0};
    return explain_all(checker, &whole, messages, count, err);
}

static enum ste_code check_file(struct checker *checker, const char *path, struct ste_error *err)
{
    char *const head = malloc(STE_DELIVERY_BYTES_MAX + 1);
    FILE *const file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    enum ste_code rc = STE_OK;
    checker->path = path;
    checker->index = 0;
    if (head == NULL || file == NULL) {
        rc = ste_error_set(err, STE_E_FILE, "could not open %s: %s", path, strerror(errno));
        goto out;
    }
    const size_t bytes = fread(head, 1, STE_DELIVERY_BYTES_MAX + 1, file);
    if (ferror(file))
        rc = ste_error_set(err, STE_E_FILE, "could not read %s: %s", path, strerror(errno));
    else
        rc = check_head(checker, file, (struct ste_bytes){head, bytes}, err);
out:
    if (file != NULL && file != stdin)
        fclose(file);
    free(head);
    return rc;
}

static enum ste_code load(struct checker *checker, struct ste_error *err)
{
    struct ste_faults faults = {0};
    enum ste_code rc = STE_OK;
    if (checker->options->config != NULL) {
        rc = ste_cluster_load(checker->options->config, &faults, &checker->cluster, err);
        if (rc == STE_OK)
            rc = ste_ref_load(checker->cluster, &faults, &checker->ref, err);
        ste_faults_print(&faults, stderr);
    }
    checker->xml = ste_xml_new();
    checker->arena = ste_arena_new(0);
    if (rc == STE_OK && (checker->xml == NULL || checker->arena == NULL))
        rc = ste_error_set(err, STE_E_NOMEM, "could not start");
    ste_faults_deinit(&faults);
    return rc;
}

static void print_result(const struct checker *checker)
{
    fprintf(checker->out,
            checker->options->json
                ? "{\"summary\": {\"messages\": %zu, \"refused\": %zu, \"warned\": %zu}}\n"
                : "%zu messages, %zu refused, %zu with warnings\n",
            checker->messages, checker->refused, checker->warned);
    if (checker->ref == NULL)
        fprintf(stderr, "no --config: values that need reference data were not checked\n");
}

int ste_submit_check(const struct ste_submit_options *options, FILE *out)
{
    struct checker checker = {.options = options, .out = out};
    struct ste_error err = {0};
    enum ste_code rc = load(&checker, &err);
    for (int i = 0; rc == STE_OK && i < options->file_count; i++)
        rc = check_file(&checker, options->files[i], &err);
    if (rc == STE_OK)
        print_result(&checker);
    else
        fprintf(stderr, "ste-submit: %s\n", err.text);
    if (fflush(out) != 0 && rc == STE_OK)
        rc = STE_E_FILE;
    ste_xml_free(checker.xml);
    ste_arena_free(checker.arena);
    ste_ref_free(checker.ref);
    ste_cluster_free(checker.cluster);
    return rc != STE_OK ? 1 : checker.refused > 0 ? 1 : 0;
}
