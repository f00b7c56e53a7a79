/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/embedded.h"
#include "bench/report_table.h"

static const struct {
    unsigned rgb;
    const char *name;
} palette[] = {
    {0x1f2933, "ink"},  {0x66727f, "muted"}, {0xdde3ea, "faint"},  {0x8a56d0, "violet"},
    {0x2f6fde, "blue"}, {0x178f5f, "green"}, {0xd9730d, "orange"}, {0xcf3347, "red"},
    {0x0f8ea8, "teal"}, {0x86861a, "olive"}, {0xc2479b, "pink"},
};

/* "rgb( 31,  41,  51)" at `at`: writes the colour's variable and returns what stands behind; else
 * NULL. */
static const char *take_colour(const char *at, struct ste_buf *out)
{
    unsigned red = 0, green = 0, blue = 0;
    int len = 0;
    if (sscanf(at, "rgb(%u ,%u ,%u )%n", &red, &green, &blue, &len) != 3 || len == 0)
        return NULL;
    unsigned rgb = red << 16 | green << 8 | blue;
    for (size_t i = 0; i < sizeof palette / sizeof palette[0]; i++) {
        if (palette[i].rgb != rgb)
            continue;
        ste_buf_printf(out, "var(--%s)", palette[i].name);
        return at + len;
    }
    return NULL;
}

static bool begins(const char *at, const char *word)
{
    return strncmp(at, word, strlen(word)) == 0;
}

/* Titles would show gnuplot's names as tool tips. */
static const char *skip_title(const char *at)
{
    const char *end = begins(at, "<title>") ? strstr(at, "</title>") : NULL;
    return end ? end + strlen("</title>") : NULL;
}

void ste_page_svg(const struct ste_figure *figure, struct ste_buf *out)
{
    static const char *const ids[] = {"gnuplot_", "gpPt", "gpDot", "textbox", "greybox"};
    ste_buf_append_cstr(out, "<svg role=\"img\" aria-label=\"");
    ste_html_text(out, figure->title);
    ste_buf_append_cstr(out, "\"");
    const char *at = figure->svg.at + strlen("<svg"), *end = figure->svg.at + figure->svg.len;
    while (at < end) {
        const char *behind = begins(at, "rgb(") ? take_colour(at, out) : skip_title(at);
        for (size_t i = 0; !behind && i < sizeof ids / sizeof ids[0]; i++) {
            if (!begins(at, ids[i]))
                continue;
            ste_buf_printf(out, "%s-%s", figure->id, ids[i]);
            behind = at + strlen(ids[i]);
        }
        if (!behind && begins(at, "fill=\"#ffffff\"")) {
            ste_buf_append_cstr(out, "fill=\"none\"");
            behind = at + strlen("fill=\"#ffffff\"");
        }
        if (!behind)
            ste_buf_append(out, at, 1);
        at = behind ? behind : at + 1;
    }
}

static void put_figure(const struct ste_figure *figure, struct ste_buf *out)
{
    ste_buf_printf(out, "<figure id=\"%s\">\n<h3>", figure->id);
    ste_html_text(out, figure->title);
    ste_buf_append_cstr(out, "</h3>\n");
    ste_page_svg(figure, out);
    ste_buf_append_cstr(out, "<figcaption><p>");
    ste_html_text(out, figure->sentence);
    ste_buf_append_cstr(out, "</p><p class=\"how\">");
    ste_html_text(out, figure->reading);
    ste_buf_append_cstr(out, "</p></figcaption>\n</figure>\n");
}

static void put_figures(const struct ste_page *page, struct ste_buf *out)
{
    size_t there = 0;
    for (size_t i = 0; i < page->figures->count; i++) {
        if (page->figures->items[i].missing)
            continue;
        put_figure(&page->figures->items[i], out);
        there++;
    }
    if (there == 0)
        ste_buf_append_cstr(out,
                            "<p class=\"none\">No picture could be drawn from this data.</p>\n");
}

static void put_missing(const struct ste_page *page, struct ste_buf *out)
{
    bool any = false;
    for (size_t i = 0; i < page->figures->count; i++) {
        const struct ste_figure *figure = &page->figures->items[i];
        if (!figure->missing)
            continue;
        ste_buf_append_cstr(out, any ? "<li>"
                                     : "<h3 style=\"margin-top:1.5rem\">Left out</h3>\n<ul><li>");
        ste_html_text(out, figure->title);
        ste_buf_append_cstr(out, ": ");
        ste_html_text(out, figure->missing);
        ste_buf_append_cstr(out, "</li>\n");
        any = true;
    }
    ste_buf_append_cstr(out, any ? "</ul>\n" : "");
}

static void tile(struct ste_buf *out, const char *value, const char *unit, const char *what)
{
    ste_buf_append_cstr(out, "<div class=\"tile\"><b>");
    ste_html_text(out, value);
    ste_buf_append_cstr(out, " <small>");
    ste_html_text(out, unit);
    ste_buf_append_cstr(out, "</small></b><span>");
    ste_html_text(out, what);
    ste_buf_append_cstr(out, "</span></div>\n");
}

/* Saying numbers takes an arena and an error; the page's figures have both. */
static void put_tiles(const struct ste_page *page, struct ste_buf *out)
{
    struct ste_figures says = *page->figures;
    const struct ste_analysis *a = page->analysis;
    if (!a)
        return;
    const struct ste_stage *system = &a->stages[0];
    ste_buf_append_cstr(out, "<div class=\"tiles\">\n");
    tile(out, ste_say_number(&says, system->laws.throughput), "messages/s", "throughput X");
    tile(out, ste_say_number(&says, system->laws.present), "messages",
         "in the system on average, N");
    tile(out, ste_say_seconds(&says, system->laws.response), "",
         "response time R = N/X, waiting included");
    if (a->busiest)
        tile(out, ste_say_percent(&says, ste_stage_use(a->busiest)),
             a->busiest->kind == STE_STAGE_SYSTEM ? "machine" : a->busiest->name,
             "in use: the bottleneck");
    if (a->costliest)
        tile(out, ste_say_seconds(&says, a->costliest->demand), a->costliest->name,
             "a message: the highest demand D");
    if (isfinite(a->little_apart))
        tile(out, ste_say_percent(&says, fabs(a->little_apart)), "apart",
             "N counted against X × measured residence");
    ste_buf_append_cstr(out, "</div>\n");
}

static void put_lead(const struct ste_page *page, struct ste_buf *out)
{
    struct ste_figures says = *page->figures;
    const struct ste_analysis *a = page->analysis;
    if (!a) {
        ste_buf_append_cstr(out, "Points of experiments; no run's samples were given.");
        return;
    }
    const struct ste_oa_counts *counts = &a->stages[0].counts;
    ste_html_text(out, ste_figure_say(&says,
                                      "%s messages came in and %s were completed within %s, "
                                      "sampled every %s. The flow is %s out of balance.",
                                      ste_say_number(&says, counts->arrivals),
                                      ste_say_number(&says, counts->completions),
                                      ste_say_seconds(&says, counts->seconds),
                                      ste_say_seconds(&says, a->interval_s),
                                      ste_say_percent(&says, a->stages[0].laws.imbalance)));
    if (fabs(a->stages[0].laws.imbalance) > STE_IMBALANCE_MAX)
        ste_buf_append_cstr(out, " Messages that will never clear, or a window that begins or ends "
                                 "amid the run, count as present.");
    if (a->foreign > STE_FOREIGN_MAX)
        ste_html_text(out,
                      ste_figure_say(&says,
                                     " The machine was not idle otherwise: %s of its busy time "
                                     "went to others, so these are no figures to keep.",
                                     ste_say_percent(&says, a->foreign)));
}

static void put_symbols(struct ste_buf *out)
{
    for (size_t i = 0; i < STE_SYMBOL_COUNT; i++) {
        ste_buf_append_cstr(out, "<dt>");
        ste_html_text(out, ste_symbols[i].symbol);
        ste_buf_append_cstr(out, "</dt><dd><em>");
        ste_html_text(out, ste_symbols[i].name);
        ste_buf_append_cstr(out, "</em>: ");
        ste_html_text(out, ste_symbols[i].how);
        ste_buf_append_cstr(out, "</dd>\n");
    }
}

static void put_meta(const struct ste_page *page, struct ste_buf *out)
{
    if (!page->samples || page->samples->meta_count == 0) {
        ste_buf_append_cstr(out, "<p class=\"none\">The samples say nothing about the run.</p>\n");
        return;
    }
    ste_buf_append_cstr(out, "<dl>\n");
    for (size_t i = 0; i < page->samples->meta_count; i++) {
        ste_buf_append_cstr(out, "<dt>");
        ste_html_text(out, page->samples->meta[i].name);
        ste_buf_append_cstr(out, "</dt><dd>");
        ste_html_text(out, page->samples->meta[i].value);
        ste_buf_append_cstr(out, "</dd>\n");
    }
    ste_buf_append_cstr(out, "</dl>\n");
}

/* With one run the column that numbers them says nothing. */
static void put_table(const struct ste_page *page, const struct ste_table *table,
                      const char *classes, struct ste_buf *out)
{
    if (!table || ste_table_rows(table) == 0) {
        ste_buf_append_cstr(out, "<p class=\"none\">The samples tell none of it.</p>\n");
        return;
    }
    bool one = page->analysis && ste_table_rows(page->stages) == page->analysis->stage_count;
    ste_buf_printf(out, "<div class=\"scroll%s%s\">\n", classes, one ? " one" : "");
    ste_table_html(table, out);
    ste_buf_append_cstr(out, "</div>\n");
}

static void put_title(const struct ste_page *page, struct ste_buf *out)
{
    const char *cluster = page->samples ? ste_samples_meta_value(page->samples, "cluster") : NULL;
    const char *started =
        page->samples ? ste_samples_meta_value(page->samples, "started_at") : NULL;
    ste_html_text(out, cluster ? cluster : "STE");
    char day[sizeof "2026-11-30"] = "";
    if (started)
        memcpy(day, started, strnlen(started, sizeof day - 1));
    ste_buf_append_cstr(out, day[0] ? " measured, " : " measured");
    ste_html_text(out, day);
}

static void fill(const struct ste_page *page, const char *place, struct ste_buf *out)
{
    if (begins(place, "{{title}}"))
        put_title(page, out);
    else if (begins(place, "{{lead}}"))
        put_lead(page, out);
    else if (begins(place, "{{tiles}}"))
        put_tiles(page, out);
    else if (begins(place, "{{figures}}"))
        put_figures(page, out);
    else if (begins(place, "{{missing}}"))
        put_missing(page, out);
    else if (begins(place, "{{stages}}"))
        put_table(page, page->stages, " wide", out);
    else if (begins(place, "{{bounds}}"))
        put_table(page, page->bounds, "", out);
    else if (begins(place, "{{symbols}}"))
        put_symbols(out);
    else if (begins(place, "{{meta}}"))
        put_meta(page, out);
    else if (begins(place, "{{version}}"))
        ste_buf_append_cstr(out, STE_VERSION);
}

enum ste_code ste_page_write(const struct ste_page *page, struct ste_buf *out,
                             struct ste_error *err)
{
    const struct ste_embedded *file = ste_embedded_files;
    while (file->name && strcmp(file->name, "page.html") != 0)
        file++;
    const char *at = file->name ? file->text : "";
    for (const char *place; (place = strstr(at, "{{")) != NULL;) {
        ste_buf_append(out, at, (size_t)(place - at));
        if (!page->analysis && begins(place, "{{run}}"))
            place = strstr(place, "{{end}}"); /* what stands between is of a run */
        if (!place)
            break;
        fill(page, place, out);
        const char *end = strstr(place, "}}");
        at = end ? end + 2 : place + 2;
    }
    ste_buf_append_cstr(out, at);
    return out->failed ? ste_error_set(err, STE_E_NOMEM, "no memory for the page") : STE_OK;
}
