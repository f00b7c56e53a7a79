/* SPDX-License-Identifier: Apache-2.0 */
#include "msg/testing.h"

#include <malloc.h>
#include <stdio.h>

#include "msg/split.h"
#include "msg/xml_place.h"

enum { PIECES_MAX = 64 };

struct piece {
    char *bytes;
    struct ste_piece piece; /* its bytes: of the copy */
};
struct pieces {
    struct piece list[PIECES_MAX];
    size_t count;
    char open[256], close[256];
};

static void free_pieces(struct pieces *pieces)
{
    for (size_t i = 0; i < pieces->count; i++)
        free(pieces->list[i].bytes);
    pieces->count = 0;
}

static void take_all(struct ste_split *split, struct pieces *ret)
{
    struct ste_error err = {0};
    memset(ret, 0, sizeof(*ret));
    for (;;) {
        struct ste_piece piece;
        bool done = false;
        if (ste_split_next(split, &piece, &done, &err) != STE_OK)
            fail_msg("%s", err.text);
        if (done)
            break;
        assert_true(ret->count < PIECES_MAX);
        struct piece *const kept = &ret->list[ret->count++];
        kept->bytes = malloc(piece.bytes.len + 1);
        assert_non_null(kept->bytes);
        if (piece.bytes.len)
            memcpy(kept->bytes, piece.bytes.at, piece.bytes.len);
        kept->piece = piece;
        kept->piece.bytes.at = kept->bytes;
    }
    const struct ste_bytes open = ste_split_open_tag(split), close = ste_split_close_tag(split);
    snprintf(ret->open, sizeof(ret->open), "%.*s", (int)open.len, open.at ? open.at : "");
    snprintf(ret->close, sizeof(ret->close), "%.*s", (int)close.len, close.at ? close.at : "");
}

/* The first head_bytes are read before the split begins, as ste-submit does. */
static void split_bytes(struct ste_bytes text, size_t head_bytes, struct pieces *ret)
{
    FILE *const file = fmemopen((void *)(uintptr_t)text.at, text.len, "r");
    char *const head = malloc(head_bytes + 1);
    assert_true(file != NULL && head != NULL);
    const size_t got = fread(head, 1, head_bytes, file);
    struct ste_split *const split = ste_split_new(file, (struct ste_bytes){head, got});
    assert_non_null(split);
    free(head); /* the split has its own */
    take_all(split, ret);
    ste_split_free(split);
    fclose(file);
}

/* Splits with heads of several lengths, which must make no difference; the last is returned. */
static void split(const char *text, struct pieces *ret)
{
    const size_t len = strlen(text), heads[] = {0, 1, len / 2, len, len + 10};
    for (size_t i = 0; i < COUNT_OF(heads); i++) {
        struct pieces pieces;
        split_bytes((struct ste_bytes){text, len}, heads[i], &pieces);
        if (i > 0) {
            assert_int_equal(pieces.count, ret->count);
            free_pieces(ret);
        }
        *ret = pieces;
    }
}

static void assert_piece(const struct pieces *pieces, size_t i, enum ste_piece_kind kind,
                         const char *text)
{
    assert_true(i < pieces->count);
    assert_int_equal(pieces->list[i].piece.kind, kind);
    assert_text(pieces->list[i].piece.bytes, text);
}

/* Offsets, lines and columns are those of the whole file. */
static void assert_places(const struct pieces *pieces, struct ste_bytes text)
{
    struct ste_xml_place place = ste_xml_place_start(text, ste_xml_scan_of(text));
    for (size_t i = 0; i < pieces->count; i++) {
        const struct ste_piece *const piece = &pieces->list[i].piece;
        ste_xml_place_move(&place, (size_t)piece->offset);
        assert_int_equal(piece->line, place.line);
        assert_int_equal(piece->column, place.column);
        if (piece->bytes.len)
            assert_memory_equal(piece->bytes.at, text.at + piece->offset, piece->bytes.len);
    }
}

static void test_a_batch(void **state)
{
    (void)state;
    static const char text[] = "<TradeMessages><TradeMessage a='1'>x</TradeMessage>\n"
                               "  <TradeMessage/><TradeMessage><a><b/></a></TradeMessage>"
                               "</TradeMessages>\n";
    struct pieces pieces;
    split(text, &pieces);
    assert_int_equal(pieces.count, 3);
    assert_piece(&pieces, 0, STE_PIECE_WHOLE, "<TradeMessage a='1'>x</TradeMessage>");
    assert_piece(&pieces, 1, STE_PIECE_WHOLE, "<TradeMessage/>");
    assert_piece(&pieces, 2, STE_PIECE_WHOLE, "<TradeMessage><a><b/></a></TradeMessage>");
    assert_string_equal(pieces.open, "<TradeMessages>");
    assert_string_equal(pieces.close, "</TradeMessages>");
    assert_places(&pieces, ste_bytes_of(text));
    free_pieces(&pieces);
}

static void test_prefix_and_attributes_of_the_root(void **state)
{
    (void)state;
    static const char text[] = "<?xml version=\"1.0\" encoding=\"utf-8\"?><!-- head -->\n"
                               "<t:TradeMessages\n  xmlns:t = 'urn:ste:trade:1'  x=\"a>b\" >"
                               "<t:TradeMessage/></t:TradeMessages >";
    struct pieces pieces;
    split(text, &pieces);
    assert_int_equal(pieces.count, 1);
    assert_piece(&pieces, 0, STE_PIECE_WHOLE, "<t:TradeMessage/>");
    assert_string_equal(pieces.open,
                        "<t:TradeMessages\n  xmlns:t = 'urn:ste:trade:1'  x=\"a>b\" >");
    assert_string_equal(pieces.close, "</t:TradeMessages>");
    assert_places(&pieces, ste_bytes_of(text));
    free_pieces(&pieces);
}

static void test_bom_crlf_and_wide_characters(void **state)
{
    (void)state;
    static const char text[] = "\xEF\xBB\xBF<?xml version=\"1.0\"?>\r\n<TradeMessages>\r\n"
                               "\r\n  <TradeMessage>\r\n\xE4\xB8\xAD\xE6\x96\x87</TradeMessage>"
                               "<!-- \xE4\xB8\xAD\xE6\x96\x87 --><TradeMessage/>\r\r\n"
                               "<TradeMessage>3</TradeMessage>\r\n</TradeMessages>";
    struct pieces pieces;
    split(text, &pieces);
    assert_int_equal(pieces.count, 3);
    assert_int_equal(pieces.list[0].piece.line, 4);
    assert_int_equal(pieces.list[0].piece.column, 3);
    assert_int_equal(pieces.list[1].piece.line, 5);
    assert_int_equal(pieces.list[1].piece.column, 29);
    assert_int_equal(pieces.list[2].piece.line, 7);
    assert_int_equal(pieces.list[2].piece.column, 1);
    assert_places(&pieces, ste_bytes_of(text));
    free_pieces(&pieces);
    static const char first[] = "\xEF\xBB\xBF<TradeMessage/>";
    split(first, &pieces);
    assert_piece(&pieces, 0, STE_PIECE_WHOLE, "<TradeMessage/>");
    assert_int_equal(pieces.list[0].piece.column, 1); /* a byte order mark is no character */
    assert_int_equal(pieces.list[0].piece.offset, 3);
    free_pieces(&pieces);
}

static void test_what_stands_between_is_left_out(void **state)
{
    (void)state;
    struct pieces pieces;
    split(
        "<TradeMessages><!-- <TradeMessage/> -->\n<TradeMessage>1</TradeMessage><?pi?> text "
        "<![CDATA[<TradeMessage/>]]><TradeMessage><!--2--></TradeMessage></TradeMessages><!-- -->",
        &pieces);
    assert_int_equal(pieces.count, 2);
    assert_piece(&pieces, 0, STE_PIECE_WHOLE, "<TradeMessage>1</TradeMessage>");
    assert_piece(&pieces, 1, STE_PIECE_WHOLE, "<TradeMessage><!--2--></TradeMessage>");
    free_pieces(&pieces);
}

static void test_a_message_as_root(void **state)
{
    (void)state;
    struct pieces pieces;
    split("<!-- one -->\n<TradeMessage><TradeMessages/></TradeMessage>\n", &pieces);
    assert_int_equal(pieces.count, 1);
    assert_piece(&pieces, 0, STE_PIECE_WHOLE, "<TradeMessage><TradeMessages/></TradeMessage>");
    assert_string_equal(pieces.open, "");
    assert_string_equal(pieces.close, "");
    free_pieces(&pieces);
}

static void test_a_foreign_child_is_a_piece(void **state)
{
    (void)state;
    struct pieces pieces;
    split("<TradeMessages><TradeMessage/><x:y xmlns:x='u'><TradeMessage/></x:y><TradeMessage/>"
          "</TradeMessages>",
          &pieces);
    assert_int_equal(pieces.count, 3);
    assert_piece(&pieces, 1, STE_PIECE_WHOLE, "<x:y xmlns:x='u'><TradeMessage/></x:y>");
    free_pieces(&pieces);
}

/* ---- breaks ---- */

static void test_a_break_inside_a_message(void **state)
{
    (void)state;
    static const char text[] = "<TradeMessages>\n<TradeMessage>1</TradeMessage>\n"
                               "<TradeMessage><a></b>2</TradeMessage>\n"
                               "<TradeMessage>3</TradeMessage></TradeMessages>";
    struct pieces pieces;
    split(text, &pieces);
    assert_int_equal(pieces.count, 2);
    assert_piece(&pieces, 0, STE_PIECE_WHOLE, "<TradeMessage>1</TradeMessage>");
    assert_piece(&pieces, 1, STE_PIECE_REST,
                 "<TradeMessage><a></b>2</TradeMessage>\n"
                 "<TradeMessage>3</TradeMessage></TradeMessages>");
    assert_int_equal(pieces.list[1].piece.line, 3);
    assert_int_equal(pieces.list[1].piece.column, 1);
    assert_places(&pieces, ste_bytes_of(text));
    free_pieces(&pieces);
}

static void test_breaks_elsewhere(void **state)
{
    static const struct {
        const char *text, *rest, *open;
        size_t count;
    } breaks[] = {
        /* between messages */
        {"<TradeMessages><TradeMessage/> & <TradeMessage/></TradeMessages>",
         " & <TradeMessage/></TradeMessages>", "<TradeMessages>", 2},
        /* before the first: the root's tag is not told twice */
        {"<TradeMessages> & <TradeMessage/></TradeMessages>", " & <TradeMessage/></TradeMessages>",
         "<TradeMessages>", 1},
        /* the file ends too early */
        {"<TradeMessages><TradeMessage/>", "", "<TradeMessages>", 2},
        {"<TradeMessages><TradeMessage/><TradeMess", "<TradeMess", "<TradeMessages>", 2},
        /* behind the root */
        {"<TradeMessages><TradeMessage/></TradeMessages>x", "</TradeMessages>x", "<TradeMessages>",
         2},
        {"<TradeMessage/>\n<TradeMessage/>", "\n<TradeMessage/>", "", 2},
        /* no root at all */
        {"no XML", "no XML", "", 1},
        {"<!-- only -->", "<!-- only -->", "", 1},
        {"<TradeMessages", "<TradeMessages", "", 1},
        /* what the engine refuses whole */
        {"<?xml version='1.0'?><!DOCTYPE a><TradeMessages><TradeMessage/></TradeMessages>",
         "<?xml version='1.0'?><!DOCTYPE a><TradeMessages><TradeMessage/></TradeMessages>", "", 1},
        {"<?xml version='1.0' encoding='latin1'?><TradeMessages><TradeMessage/></TradeMessages>",
         "<?xml version='1.0' encoding='latin1'?><TradeMessages><TradeMessage/></TradeMessages>",
         "", 1},
        {"<TradeMessages><TradeMessage>\xFF</TradeMessage></TradeMessages>",
         "<TradeMessage>\xFF</TradeMessage></TradeMessages>", "<TradeMessages>", 1},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(breaks); i++) {
        struct pieces pieces;
        split(breaks[i].text, &pieces);
        assert_int_equal(pieces.count, breaks[i].count);
        assert_piece(&pieces, pieces.count - 1, STE_PIECE_REST, breaks[i].rest);
        assert_string_equal(pieces.open, breaks[i].open);
        assert_places(&pieces, ste_bytes_of(breaks[i].text));
        free_pieces(&pieces);
    }
}

static void test_nul_bytes(void **state)
{
    (void)state;
    static const char text[] = "<TradeMessages><TradeMessage/><TradeMessage>\0</TradeMessage>";
    struct pieces pieces;
    split_bytes((struct ste_bytes){text, sizeof(text) - 1}, 5, &pieces);
    assert_int_equal(pieces.count, 2);
    assert_int_equal(pieces.list[1].piece.kind, STE_PIECE_REST);
    assert_int_equal(pieces.list[1].piece.bytes.len, sizeof(text) - 1 - 30);
    free_pieces(&pieces);
}

/* A rest is as long as a delivery can be, and no longer. */
static void test_a_long_rest_is_cut(void **state)
{
    (void)state;
    struct ste_buf text = {0};
    struct pieces pieces;
    ste_buf_append_cstr(&text, "<TradeMessages><TradeMessage/><TradeMessage></x>");
    const size_t before = 30;
    while (text.len < 6 << 20)
        ste_buf_append_cstr(&text, "0123456789abcdef");
    split_bytes(ste_buf_bytes(&text), 100, &pieces);
    assert_int_equal(pieces.count, 2);
    assert_int_equal(pieces.list[1].piece.kind, STE_PIECE_REST);
    assert_int_equal(pieces.list[1].piece.bytes.len, STE_SPLIT_REST_BYTES_MAX);
    assert_memory_equal(pieces.list[1].piece.bytes.at, text.at + before, STE_SPLIT_REST_BYTES_MAX);
    free_pieces(&pieces);
    ste_buf_deinit(&text);
}

/* ---- sizes ---- */

static void append_message(struct ste_buf *text, size_t bytes, char fill)
{
    static const char open[] = "<TradeMessage>", close[] = "</TradeMessage>";
    assert_true(bytes >= 29 && ste_buf_reserve(text, bytes));
    ste_buf_append_cstr(text, open);
    memset(text->at + text->len, fill, bytes - 29);
    text->len += bytes - 29;
    ste_buf_append_cstr(text, close);
}

static void test_messages_larger_than_chunks(void **state)
{
    static const size_t sizes[] = {
        29, 65535, 65536, 65537, 200000, 1 << 20, STE_DELIVERY_BYTES_MAX};
    (void)state;
    struct ste_buf text = {0};
    struct pieces pieces;
    ste_buf_append_cstr(&text, "<TradeMessages>\n");
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        append_message(&text, sizes[i], (char)('a' + i));
    ste_buf_append_cstr(&text, "</TradeMessages>");
    split_bytes(ste_buf_bytes(&text), 70000, &pieces);
    assert_int_equal(pieces.count, COUNT_OF(sizes));
    for (size_t i = 0; i < pieces.count; i++) {
        assert_int_equal(pieces.list[i].piece.kind, STE_PIECE_WHOLE);
        assert_int_equal(pieces.list[i].piece.bytes.len, sizes[i]);
    }
    assert_places(&pieces, ste_buf_bytes(&text));
    free_pieces(&pieces);
    ste_buf_deinit(&text);
}

/* Its start is given, to be refused for its size; its neighbours stand. */
static void test_a_message_that_no_delivery_holds(void **state)
{
    static const size_t sizes[] = {STE_DELIVERY_BYTES_MAX + 1, 5 << 20, 20 << 20};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        struct ste_buf text = {0};
        struct pieces pieces;
        ste_buf_append_cstr(&text, "<TradeMessages>\n<TradeMessage>1</TradeMessage>\n");
        append_message(&text, sizes[i], '\n');
        ste_buf_append_cstr(&text, " <TradeMessage>3</TradeMessage></TradeMessages>");
        split_bytes(ste_buf_bytes(&text), 1000, &pieces);
        assert_int_equal(pieces.count, 3);
        assert_piece(&pieces, 0, STE_PIECE_WHOLE, "<TradeMessage>1</TradeMessage>");
        assert_int_equal(pieces.list[1].piece.kind, STE_PIECE_HUGE);
        assert_int_equal(pieces.list[1].piece.bytes.len, STE_DELIVERY_BYTES_MAX + 1);
        assert_piece(&pieces, 2, STE_PIECE_WHOLE, "<TradeMessage>3</TradeMessage>");
        assert_int_equal(pieces.list[2].piece.line, 3 + sizes[i] - 29);
        assert_places(&pieces, ste_buf_bytes(&text));
        free_pieces(&pieces);
        ste_buf_deinit(&text);
    }
}

static void test_a_huge_message_that_breaks(void **state)
{
    (void)state;
    struct ste_buf text = {0};
    struct pieces pieces;
    ste_buf_append_cstr(&text, "<TradeMessages>");
    append_message(&text, 6 << 20, ' ');
    text.len -= 10; /* its end tag is cut */
    ste_buf_append_cstr(&text, "<<TradeMessage>3</TradeMessage></TradeMessages>");
    split_bytes(ste_buf_bytes(&text), 1000, &pieces);
    assert_int_equal(pieces.count, 1); /* it stands for its rest */
    assert_int_equal(pieces.list[0].piece.kind, STE_PIECE_HUGE);
    free_pieces(&pieces);
    ste_buf_deinit(&text);
}

static void test_a_huge_comment_between(void **state)
{
    (void)state;
    struct ste_buf text = {0};
    struct pieces pieces;
    ste_buf_append_cstr(&text, "<TradeMessages><TradeMessage>1</TradeMessage>");
    for (int i = 0; i < 2000; i++) /* 14 MB of small ones: given up as they pass */
        ste_buf_printf(&text, "<!-- %07000d -->\n", i);
    ste_buf_append_cstr(&text, "<TradeMessage>2</TradeMessage>&</TradeMessages>");
    split_bytes(ste_buf_bytes(&text), 0, &pieces);
    assert_int_equal(pieces.count, 3);
    assert_piece(&pieces, 1, STE_PIECE_WHOLE, "<TradeMessage>2</TradeMessage>");
    assert_piece(&pieces, 2, STE_PIECE_REST, "&</TradeMessages>");
    assert_places(&pieces, ste_buf_bytes(&text));
    free_pieces(&pieces);
    ste_buf_deinit(&text);
}

/* ---- constant memory ---- */

/* A file that is made while it is read: `open`, many lines, `close`. */
struct stream {
    const char *open, *line, *close;
    uint64_t left; /* lines */
    size_t at;     /* of the text in hand */
    char text[1600];
    bool opened, closed;
};

static void next_text(struct stream *stream)
{
    stream->at = 0;
    if (!stream->opened)
        snprintf(stream->text, sizeof(stream->text), "%s", stream->open);
    else if (stream->left > 0)
        snprintf(stream->text, sizeof(stream->text), "%s%01500llu%s\n", stream->line,
                 (unsigned long long)stream->left, stream->line[0] ? "</TradeMessage>" : "");
    else
        snprintf(stream->text, sizeof(stream->text), "%s", stream->closed ? "" : stream->close);
    if (stream->opened && stream->left == 0)
        stream->closed = true;
    stream->left -= stream->opened && stream->left > 0;
    stream->opened = true;
}

static ssize_t read_stream(void *cookie, char *out, size_t bytes)
{
    struct stream *const stream = cookie;
    if (stream->text[stream->at] == '\0')
        next_text(stream);
    const size_t left = strlen(stream->text + stream->at), given = left < bytes ? left : bytes;
    memcpy(out, stream->text + stream->at, given);
    stream->at += given;
    return (ssize_t)given;
}

enum { HEAP_BYTES_MAX = 1 << 20 };

static size_t heap_bytes(void)
{
    const struct mallinfo2 now = mallinfo2();
    return now.uordblks + now.hblkhd;
}

static struct ste_split *open_stream(struct stream *stream, FILE **ret_file)
{
    *ret_file = fopencookie(stream, "r", (cookie_io_functions_t){.read = read_stream});
    assert_non_null(*ret_file);
    struct ste_split *const split = ste_split_new(*ret_file, (struct ste_bytes){NULL, 0});
    assert_non_null(split);
    return split;
}

static void test_constant_memory(void **state)
{
    (void)state;
    enum { MESSAGES = 60000 }; /* 90 MB */
    struct stream stream = {.open = "<TradeMessages>",
                            .line = "<TradeMessage>",
                            .close = "</TradeMessages>",
                            .left = MESSAGES};
    struct ste_error err = {0};
    FILE *file = NULL;
    const size_t before = heap_bytes();
    struct ste_split *const split = open_stream(&stream, &file);
    size_t count = 0;
    for (bool done = false; !done;) {
        struct ste_piece piece;
        if (ste_split_next(split, &piece, &done, &err) != STE_OK)
            fail_msg("%s", err.text);
        if (done)
            break;
        count++;
        assert_int_equal(piece.kind, STE_PIECE_WHOLE);
        assert_int_equal(piece.bytes.len, 29 + 1500);
        assert_int_equal(piece.line, count);
        if (count % 1000 == 0)
            assert_in_range(heap_bytes(), 0, before + HEAP_BYTES_MAX);
    }
    assert_int_equal(count, MESSAGES);
    ste_split_free(split);
    fclose(file);
}

/* Reads `stream` to its end; the most heap that was in use when a piece was handed out. */
static size_t count_pieces(struct stream *stream, size_t *ret_heap)
{
    struct ste_error err = {0};
    FILE *file = NULL;
    struct ste_split *const split = open_stream(stream, &file);
    const size_t before = heap_bytes();
    size_t count = 0;
    *ret_heap = 0;
    for (bool done = false; !done; count += !done) {
        struct ste_piece piece;
        if (ste_split_next(split, &piece, &done, &err) != STE_OK)
            fail_msg("%s", err.text);
        const size_t heap = heap_bytes();
        if (heap > before && heap - before > *ret_heap)
            *ret_heap = heap - before;
    }
    ste_split_free(split);
    fclose(file);
    return count;
}

/* One message of 60 MB, and one that is never closed: no more than a delivery is kept of it. */
static void test_a_huge_message_is_not_kept(void **state)
{
    (void)state;
    size_t heap = 0;
    struct stream closed = {.open = "<TradeMessages><TradeMessage>",
                            .line = "",
                            .close = "</TradeMessage><TradeMessage/></TradeMessages>",
                            .left = 16000};
    struct stream cut = {.open = "<TradeMessage>", .line = "", .close = "", .left = 16000};
    assert_int_equal(count_pieces(&closed, &heap), 2);
    assert_in_range(heap, 0, 3 * STE_DELIVERY_BYTES_MAX);
    assert_int_equal(count_pieces(&cut, &heap), 1);
    assert_in_range(heap, 0, 3 * STE_DELIVERY_BYTES_MAX);
}

/* expat keeps a comment until it ends: one that does not is told, and what follows is not lost in
 * silence. */
static void test_a_comment_without_end(void **state)
{
    (void)state;
    struct ste_error err = {0};
    struct stream stream = {.open = "<TradeMessages><TradeMessage/><!--",
                            .line = "",
                            .close = "--><TradeMessage/></TradeMessages>",
                            .left = 40000};
    FILE *file = NULL;
    struct ste_split *const split = open_stream(&stream, &file);
    struct ste_piece piece;
    bool done = false;
    assert_int_equal(ste_split_next(split, &piece, &done, &err), STE_OK);
    assert_int_equal(ste_split_next(split, &piece, &done, &err), STE_E_LIMIT);
    assert_false(done);
    ste_split_free(split);
    fclose(file);
}

static ssize_t read_nothing(void *cookie, char *out, size_t bytes)
{
    (void)cookie;
    (void)out;
    (void)bytes;
    return -1;
}

static void test_a_file_that_cannot_be_read(void **state)
{
    (void)state;
    FILE *const file = fopencookie(NULL, "r", (cookie_io_functions_t){.read = read_nothing});
    struct ste_error err = {0};
    struct ste_piece piece;
    bool done = false;
    assert_non_null(file);
    struct ste_split *const split =
        ste_split_new(file, STE_BYTES("<TradeMessages><TradeMessage/>"));
    assert_non_null(split);
    assert_int_equal(ste_split_next(split, &piece, &done, &err), STE_OK);
    assert_text(piece.bytes, "<TradeMessage/>");
    assert_int_equal(ste_split_next(split, &piece, &done, &err), STE_E_FILE);
    ste_split_free(split);
    fclose(file);
    ste_split_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_batch),
        cmocka_unit_test(test_prefix_and_attributes_of_the_root),
        cmocka_unit_test(test_bom_crlf_and_wide_characters),
        cmocka_unit_test(test_what_stands_between_is_left_out),
        cmocka_unit_test(test_a_message_as_root),
        cmocka_unit_test(test_a_foreign_child_is_a_piece),
        cmocka_unit_test(test_a_break_inside_a_message),
        cmocka_unit_test(test_breaks_elsewhere),
        cmocka_unit_test(test_nul_bytes),
        cmocka_unit_test(test_a_long_rest_is_cut),
        cmocka_unit_test(test_messages_larger_than_chunks),
        cmocka_unit_test(test_a_message_that_no_delivery_holds),
        cmocka_unit_test(test_a_huge_message_that_breaks),
        cmocka_unit_test(test_a_huge_comment_between),
        cmocka_unit_test(test_constant_memory),
        cmocka_unit_test(test_a_huge_message_is_not_kept),
        cmocka_unit_test(test_a_comment_without_end),
        cmocka_unit_test(test_a_file_that_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
