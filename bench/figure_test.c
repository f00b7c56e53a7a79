/* SPDX-License-Identifier: Apache-2.0
 * Drawing: with gnuplot where it is installed, and what is told where it is not. */
#include "bench/figure.h"

#include <dirent.h>
#include <math.h>
#include <unistd.h>

#include "base/testing.h"

struct desk {
    char dir[32];
    struct ste_arena *arena;
    struct ste_error err;
    struct ste_figures figures;
};

static int open_desk(void **state)
{
    struct desk *desk = test_calloc(1, sizeof *desk);
    strcpy(desk->dir, "/tmp/ste-figures-XXXXXX");
    assert_non_null(mkdtemp(desk->dir));
    desk->arena = ste_arena_new(0);
    assert_int_equal(ste_figures_begin(&desk->figures, desk->dir, desk->arena, &desk->err), STE_OK);
    *state = desk;
    return 0;
}

static int close_desk(void **state)
{
    struct desk *desk = *state;
    DIR *dir = opendir(desk->dir);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;)
        if (entry->d_name[0] != '.')
            assert_int_equal(unlinkat(dirfd(dir), entry->d_name, 0), 0);
    assert_int_equal(closedir(dir), 0);
    assert_int_equal(rmdir(desk->dir), 0);
    ste_arena_free(desk->arena);
    test_free(desk);
    return 0;
}

static bool gnuplot_is_there(void)
{
    return system("gnuplot --version >/dev/null 2>&1") == 0;
}

static struct ste_points points_of(struct desk *desk, const char *name, const char *text)
{
    struct ste_points points = {0};
    const char *path = ste_arena_printf(desk->arena, "%s/%s", desk->dir, name);
    assert_non_null(path);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(ste_points_read(path, desk->arena, &points, &desk->err), STE_OK);
    return points;
}

static const struct ste_figure *figure_of(const struct desk *desk, const char *id)
{
    for (size_t i = 0; i < desk->figures.count; i++)
        if (strcmp(desk->figures.items[i].id, id) == 0)
            return &desk->figures.items[i];
    fail_msg("no figure %s", id);
    return NULL;
}

static void draws_points(void **state)
{
    struct desk *desk = *state;
    if (!gnuplot_is_there()) {
        print_message("skipped: gnuplot is not installed\n");
        skip();
    }
    struct ste_points volume = points_of(desk, "points-volume",
                                         "stored_messages,msg_per_s,bytes_per_message,run\n"
                                         "1000000,10000,800,1\n7000000,9000,820,1\n");
    struct ste_points scale = points_of(desk, "points-scale",
                                        "nodes,shards,run,msg_per_s,predicted\n"
                                        "1,1,1,100,110\n1,4,1,100,100\n2,4,1,200,190\n"
                                        "4,4,1,300,330\n4,4,2,340,330\n");
    /* The sizes come first, the receivers are varied at another of them. */
    struct ste_points qos = points_of(desk, "points-qos",
                                      "kind,size_bytes,demand_per_s,receivers,received_per_s,run\n"
                                      "durable,512,full,1,900,1\nvolatile,512,full,1,1000,1\n"
                                      "durable,4096,full,1,300,1\nvolatile,4096,full,1,400,1\n"
                                      "durable,4096,full,9,350,1\nvolatile,4096,full,9,500,1\n");
    struct ste_experiments experiments = {.scale = &scale, .volume = &volume, .qos = &qos};
    ste_figures_experiments(&desk->figures, &experiments);
    if (desk->figures.rc != STE_OK)
        fail_msg("%s", desk->err.text);
    const struct ste_figure *figure = figure_of(desk, "volume");
    assert_null(figure->missing);
    assert_true(figure->svg.len > 1000 && strncmp(figure->svg.at, "<svg", 4) == 0);
    assert_string_equal(figure->sentence,
                        "With 7,000,000 messages stored the rate is 90 % of that with 1,000,000. "
                        "A message takes 810 bytes on disk (median).");
    figure = figure_of(desk, "scalability");
    assert_non_null(strstr(figure->sentence, "320 messages a second, at 4 nodes and 4 databases"));
    assert_non_null(strstr(figure->sentence, "10 % at worst, over 4 points"));
    assert_string_equal(figure_of(desk, "scale_linear")->sentence,
                        "At 4 nodes the rate is 80 % of the straight line through the point at 1.");
    assert_non_null(figure_of(desk, "scale_one")->missing);
    assert_non_null(strstr(figure_of(desk, "qos")->sentence, "75 % of the rate"));
    assert_string_equal(figure_of(desk, "latency")->missing, "no points were given (--latency)");
    char path[64];
    (void)snprintf(path, sizeof path, "%s/volume.png", desk->dir);
    assert_int_equal(access(path, R_OK), 0);
}

/* 1,000 messages a second in, as many out a second later, all by node-1; every node uses as much
 * CPU. */
static void put_second(struct ste_samples_writer *writer, double t, unsigned nodes)
{
    double in = 1000 * fmin(t, 8), out = 1000 * fmin(fmax(t - 1, 0), 8);
    ste_samples_at(writer, (uint64_t)(t * 1e6));
    ste_samples_put(writer, STE_Q_MACHINE_CORES, "machine", "", 2);
    ste_samples_put(writer, STE_Q_MACHINE_BUSY, "machine", "", 1.5 * t);
    ste_samples_put(writer, STE_Q_DRIVER_CONFIRMED, "driver", "", in);
    ste_samples_put(writer, STE_Q_DRIVER_CPU, "driver", "", .1 * t);
    ste_samples_put(writer, STE_Q_POOL_CLS, "pool", "", floor(out / 7));
    ste_samples_put(writer, STE_Q_POOL_CLEARED, "pool", "", out);
    ste_samples_put(writer, STE_Q_WORKER_COMPLETIONS, "router-1/0", "", (in + out) / 2);
    ste_samples_put(writer, STE_Q_WORKER_BUSY, "router-1/0", "", .2 * t);
    ste_samples_put(writer, STE_Q_STAGE_COMPLETIONS, "router-1", "NOE", (in + out) / 2);
    ste_samples_put(writer, STE_Q_WORKER_BUSY, "node-1/0", "", .3 * t);
    ste_samples_put(writer, STE_Q_WORKER_DATABASE, "node-1/0", "", .4 * t);
    ste_samples_put(writer, STE_Q_STAGE_COMPLETIONS, "node-1", "NOE", out);
    for (unsigned node = 1; node <= nodes; node++) {
        char process[16], worker[16];
        (void)snprintf(process, sizeof process, "node-%u", node);
        (void)snprintf(worker, sizeof worker, "node-%u/0", node);
        ste_samples_put(writer, STE_Q_WORKER_COMPLETIONS, worker, "", node == 1 ? out : 0);
        ste_samples_put(writer, STE_Q_PROCESS_CPU, process, "", .3 * t);
    }
    ste_samples_put(writer, STE_Q_PROCESS_CPU, "broker", "", .4 * t);
    ste_samples_put(writer, STE_Q_PROCESS_CPU, "shard-0", "", .3 * t);
    ste_samples_put(writer, STE_Q_SHARD_MESSAGES, "shard-0", "", out);
}

/* `samples` are the caller's. */
static void analyse_a_run(struct desk *desk, unsigned nodes, struct ste_samples *samples,
                          struct ste_analysis *analysis)
{
    const char *path = ste_arena_printf(desk->arena, "%s/samples", desk->dir);
    struct ste_samples_writer *writer = NULL;
    assert_ok(ste_samples_create(path, &writer, &err));
    for (double t = 0; t < 12; t++)
        put_second(writer, t, nodes);
    assert_ok(ste_samples_finish(writer, &err));
    assert_ok(ste_samples_read(path, samples, &err));
    assert_ok(ste_analyse(samples, NAN, NAN, desk->arena, analysis, &err));
}

static void tells_that_not_all_nodes_are_drawn(void **state)
{
    struct desk *desk = *state;
    struct ste_samples samples;
    struct ste_analysis analysis;
    if (!gnuplot_is_there()) {
        print_message("skipped: gnuplot is not installed\n");
        skip();
    }
    analyse_a_run(desk, STE_FIGURE_SERIES_MAX + 2, &samples, &analysis);
    ste_figures_run(&desk->figures, &analysis, &samples);
    assert_int_equal(desk->figures.rc, STE_OK);
    const char *sentence = figure_of(desk, "node_cpu")->sentence;
    assert_ptr_equal(strstr(sentence, "A node used 30 % of one processor on average."), sentence);
    assert_non_null(strstr(sentence, " The first 24 of 26 are drawn."));
    ste_samples_deinit(&samples);
}

static void draws_a_run(void **state)
{
    struct desk *desk = *state;
    if (!gnuplot_is_there()) {
        print_message("skipped: gnuplot is not installed\n");
        skip();
    }
    struct ste_samples samples;
    struct ste_analysis analysis;
    analyse_a_run(desk, 1, &samples, &analysis);
    const struct ste_analysis *runs[] = {&analysis};
    ste_figures_network(&desk->figures, &analysis);
    ste_figures_run(&desk->figures, &analysis, &samples);
    ste_figures_laws(&desk->figures, runs, 1);
    if (desk->figures.rc != STE_OK)
        fail_msg("%s", desk->err.text);
    assert_int_equal(desk->figures.count, 10);
    for (size_t i = 0; i < desk->figures.count; i++) {
        const struct ste_figure *figure = &desk->figures.items[i];
        if (figure->missing || figure->svg.len == 0 || !figure->sentence[0])
            fail_msg("figure %s: %s", figure->id, figure->missing ? figure->missing : "empty");
    }
    assert_non_null(strstr(figure_of(desk, "execution")->sentence,
                           "At most 1,000 messages were in the system"));
    ste_samples_deinit(&samples);
}

static void tells_that_gnuplot_is_missing(void **state)
{
    struct desk *desk = *state;
    struct ste_buf csv = {0}, values = {0};
    char *path = strdup(getenv("PATH") ? getenv("PATH") : "");
    assert_non_null(path);
    assert_int_equal(setenv("PATH", "/nowhere", 1), 0);
    ste_buf_append_cstr(&csv, "x,y\n1,2\n");
    ste_figure_draw(&desk->figures, ste_figure_add(&desk->figures, "rate", "Rate", ""), &csv,
                    &values);
    struct ste_error before = {0};
    assert_int_equal(ste_figures_check(&before), STE_E_FILE);
    assert_string_equal(before.text, "gnuplot is not installed: apt-get install gnuplot-nox");
    assert_int_equal(setenv("PATH", path, 1), 0);
    free(path);
    assert_int_equal(desk->figures.rc, STE_E_FILE);
    assert_string_equal(desk->err.text, "gnuplot is not installed: apt-get install gnuplot-nox");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(draws_points, open_desk, close_desk),
        cmocka_unit_test_setup_teardown(draws_a_run, open_desk, close_desk),
        cmocka_unit_test_setup_teardown(tells_that_not_all_nodes_are_drawn, open_desk, close_desk),
        cmocka_unit_test_setup_teardown(tells_that_gnuplot_is_missing, open_desk, close_desk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
