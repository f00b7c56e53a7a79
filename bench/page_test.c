/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/page.h"

#include "base/testing.h"

static void colours_become_variables(void **state)
{
    (void)state;
    static const char svg[] =
        "<svg width=\"9\"><title>lag</title><rect fill=\"#ffffff\"/><g id=\"gnuplot_plot_1\" "
        "stroke='rgb( 31,  41,  51)' fill=\"rgb(47,111,222)\"/><use xlink:href='#gpPt6' "
        "color='rgb(1,2,3)'/></svg>";
    struct ste_figure figure = {.id = "lag", .title = "A & B", .svg = {svg, sizeof svg - 1}};
    struct ste_buf out = {0};
    ste_page_svg(&figure, &out);
    assert_text(ste_buf_bytes(&out),
                "<svg role=\"img\" aria-label=\"A &amp; B\" width=\"9\"><rect fill=\"none\"/>"
                "<g id=\"lag-gnuplot_plot_1\" stroke='var(--ink)' fill=\"var(--blue)\"/>"
                "<use xlink:href='#lag-gpPt6' color='rgb(1,2,3)'/></svg>");
    ste_buf_deinit(&out);
}

/* Every place of the template is filled, also when there is next to nothing to say. */
static void page_of_nothing(void **state)
{
    (void)state;
    struct ste_arena *arena = ste_arena_new(0);
    struct ste_error figure_err = {0};
    struct ste_figures figures = {.dir = "", .arena = arena, .err = &figure_err};
    ste_figure_add(&figures, "run", "One <run>", "")->missing = "no samples were given";
    struct ste_page page = {.figures = &figures};
    struct ste_buf out = {0};
    assert_ok(ste_page_write(&page, &out, &err));
    ste_buf_append(&out, "", 1);
    assert_null(strstr(out.at, "{{"));
    assert_non_null(strstr(out.at, "One &lt;run&gt;: no samples were given"));
    assert_null(strstr(out.at, "http"));
    assert_null(strstr(out.at, "<script"));
    assert_non_null(strstr(out.at, "</html>"));
    assert_non_null(strstr(out.at, "<em>interval</em>: the time"));
    /* Nothing of a run, not even empty sections. */
    assert_null(strstr(out.at, "#table"));
    assert_null(strstr(out.at, "id=\"table\""));
    assert_null(strstr(out.at, "id=\"limits\""));
    assert_null(strstr(out.at, "id=\"run\""));
    assert_non_null(strstr(out.at, "id=\"symbols\""));
    ste_buf_deinit(&out);
    ste_arena_free(arena);
}

static void numbers_as_people_write_them(void **state)
{
    (void)state;
    struct ste_arena *arena = ste_arena_new(0);
    struct ste_error err = {0};
    struct ste_figures f = {.dir = "", .arena = arena, .err = &err};
    assert_string_equal(ste_say_number(&f, 1234567.4), "1,234,567");
    assert_string_equal(ste_say_number(&f, 999.6), "1,000");
    assert_string_equal(ste_say_number(&f, 123), "123");
    assert_string_equal(ste_say_number(&f, -1234), "-1,234");
    assert_string_equal(ste_say_number(&f, .9312), "0.931");
    assert_string_equal(ste_say_seconds(&f, 14.97), "15 s");
    assert_string_equal(ste_say_seconds(&f, .0008), "800 µs");
    assert_string_equal(ste_say_percent(&f, .93), "93 %");
    assert_string_equal(ste_say_percent(&f, .0213), "2.1 %");
    assert_string_equal(ste_say_number(&f, 0.0 / 0.0), "unknown");
    ste_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_become_variables),
        cmocka_unit_test(page_of_nothing),
        cmocka_unit_test(numbers_as_people_write_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
