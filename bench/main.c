/* SPDX-License-Identifier: Apache-2.0
 * ste-bench: generated trades, the driver, the pool, and what the machine can do without the
 * engine. */
#include <stdio.h>
#include <string.h>

#include "bench/command.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *help;
} commands[] = {
    {"gen", ste_bench_gen, "make a set of trades, or a file for ste-submit"},
    {"run", ste_bench_run, "drive and pool in one process: rate and latency"},
    {"drive", ste_bench_drive, "sign a set and send it to ste.in"},
    {"pool", ste_bench_pool, "take the clearing messages from ste.cls"},
    {"ceiling", ste_bench_ceiling, "measure the broker alone and a shard alone"},
    {"model", ste_bench_model, "predict other numbers of nodes and shards from one run"},
    {"monitor", ste_bench_monitor, "sample queues, routers, nodes, shards and the machine"},
    {"qos", ste_bench_qos, "measure the broker by size, demand, senders and receivers"},
    {"compare", ste_bench_compare, "tell whether result files B fell behind A"},
    {"codec", ste_bench_codec, "measure encoding and decoding of a message on one core"},
    {"report", ste_bench_report, "the Buzen-Denning table, figures and a page from samples"},
};

static void print_usage(FILE *out)
{
    fputs("Usage: ste-bench [--config FILE] COMMAND [OPTION]…\n"
          "       ste-bench --help | --version\n"
          "Commands (each has its own --help, with its exit status):\n",
          out);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++)
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].help);
}

int main(int argc, char **argv)
{
    if (argc >= 2 && strcmp(argv[1], "--help") == 0) {
        print_usage(stdout);
        return STE_BENCH_OK;
    }
    if (argc >= 2 && strcmp(argv[1], "--version") == 0) {
        puts("ste-bench " STE_VERSION);
        return STE_BENCH_OK;
    }
    /* `ste-bench --config FILE COMMAND …` reads as `ste-bench COMMAND --config FILE …`. */
    if (argc >= 4 && strcmp(argv[1], "--config") == 0) {
        char *option = argv[1], *file = argv[2];
        argv[1] = argv[3];
        argv[2] = option;
        argv[3] = file;
    } else if (argc >= 2 && strcmp(argv[1], "--config") == 0) {
        fputs("ste-bench: --config wants a file, and a command after it\n", stderr);
        return STE_BENCH_USAGE;
    }
    for (size_t i = 0; argc >= 2 && i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    }
    if (argc >= 2)
        fprintf(stderr, "ste-bench: unknown command %s\n", argv[1]);
    print_usage(stderr);
    return STE_BENCH_USAGE;
}
