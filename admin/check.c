/* SPDX-License-Identifier: Apache-2.0
 * ste-admin check: the independent checker's command line. Waits until the queues and outboxes are
 * empty, reads ledgers and shards, compares, and while CLS or messages are missing reads again
 * until its time is over: ledgers of a running pool grow. */
#include "admin/check.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "admin/admin.h"
#include "base/clock.h"

enum { SENT_FILES_MAX = 64, POLL_MS = 500, EXIT_TIMED_OUT = 3 };

struct check_options {
    const char *config, *json;
    const char *sent[SENT_FILES_MAX], *cls[SENT_FILES_MAX];
    uint32_t sent_count, cls_count;
    unsigned wait_s;
    bool no_queues, help;
};

static void usage(FILE *to)
{
    fprintf(
        to,
        "Usage: ste-admin --config FILE check --sent LEDGER… --cls LEDGER… [--wait S] "
        "[--json FILE]\n"
        "Compares what was confirmed and what arrived with every row of every shard.\n"
        "  --sent LEDGER  of ste-bench drive; may be repeated, further files may follow\n"
        "  --cls LEDGER   of ste-bench pool; likewise\n"
        "  --wait S       first wait up to S seconds (default 30) until queues and outboxes\n"
        "                 are empty and nothing is missing\n"
        "  --no-queues    do not ask the broker\n"
        "  --json FILE    the result as one JSON object\n"
        "Exit status: 0 clean; 1 lost, duplicates, phantoms, missing or misplaced is not 0, or\n"
        "something failed; 2 wrong usage; 3 not at rest in time (what is found is printed all\n"
        "the same)\n");
}

static enum ste_code read_everything(struct ste_check *check, const struct ste_cluster *cluster,
                                     const struct check_options *options, struct ste_error *err)
{
    enum ste_code rc = STE_OK;
    for (uint32_t i = 0; rc == STE_OK && i < options->sent_count; i++)
        rc = ste_check_read_sent(check, options->sent[i], i, err);
    for (uint32_t i = 0; rc == STE_OK && i < options->cls_count; i++)
        rc = ste_check_read_cls(check, options->cls[i], err);
    for (unsigned i = 0; rc == STE_OK && i < cluster->shard_count; i++)
        rc = ste_check_read_shard(check, cluster, i, err);
    return rc;
}

static enum ste_code read_waiting(struct ste_check *check, const struct ste_cluster *cluster,
                                  const struct check_options *options, struct ste_error *err)
{
    enum ste_code rc = STE_OK;
    if (!options->no_queues)
        rc = ste_check_read_queues(cluster, &check->queued, err);
    if (rc == STE_OK)
        rc = ste_check_read_outbox(cluster, &check->outbox, err);
    return rc;
}

/* A broker or shard that is restarting is waited for like a queue that is not empty. */
static enum ste_code wait_for_rest(struct ste_check *check, const struct ste_cluster *cluster,
                                   const struct check_options *options, uint64_t deadline_ns,
                                   bool *ret_at_rest, struct ste_error *err)
{
    for (;;) {
        enum ste_code rc = read_waiting(check, cluster, options, err);
        *ret_at_rest = rc == STE_OK && check->queued == 0 && check->outbox == 0;
        bool over = ste_clock_mono_ns() >= deadline_ns;
        if (*ret_at_rest || (rc == STE_OK && over))
            return STE_OK;
        if (rc != STE_OK && (over || ste_code_class(rc) != STE_CLASS_RETRY))
            return rc;
        ste_clock_sleep_ms(POLL_MS);
    }
}

static enum ste_code run(const struct ste_cluster *cluster, const struct check_options *options,
                         struct ste_check_result *ret, bool *ret_at_rest, struct ste_error *err)
{
    const uint64_t deadline_ns = ste_clock_mono_ns() + options->wait_s * STE_NS_PER_S;
    for (;;) {
        struct ste_check check = {.sent_files = options->sent};
        enum ste_code rc = wait_for_rest(&check, cluster, options, deadline_ns, ret_at_rest, err);
        if (rc == STE_OK)
            rc = read_everything(&check, cluster, options, err);
        if (rc == STE_OK)
            ste_check_compare(&check, ret);
        ste_check_deinit(&check);
        bool over = ste_clock_mono_ns() >= deadline_ns;
        if (rc != STE_OK && (over || ste_code_class(rc) != STE_CLASS_RETRY))
            return rc;
        if (rc == STE_OK && (over || ste_check_clean(ret)))
            return STE_OK;
        ste_clock_sleep_ms(POLL_MS);
    }
}

/* LEDGER… after an option: getopt gives the first, the following words that are no options are of
 * the same kind. */
static bool take_files(int argc, char **argv, const char **files, uint32_t *count)
{
    const char *file = optarg;
    do {
        if (*count == SENT_FILES_MAX)
            return false;
        files[(*count)++] = file;
        file = optind < argc && argv[optind][0] != '-' ? argv[optind++] : NULL;
    } while (file);
    return true;
}

static bool parse(int argc, char **argv, struct check_options *ret)
{
    static const struct option longs[] = {
        {"config", required_argument, NULL, 'c'}, {"sent", required_argument, NULL, 's'},
        {"cls", required_argument, NULL, 'l'},    {"wait", required_argument, NULL, 'w'},
        {"json", required_argument, NULL, 'j'},   {"no-queues", no_argument, NULL, 'q'},
        {"help", no_argument, NULL, 'h'},         {NULL, 0, NULL, 0}};
    bool good = true;
    int c;
    while (good && (c = getopt_long(argc, argv, "+", longs, NULL)) != -1) {
        char *end = NULL;
        switch (c) {
        case 'c':
            ret->config = optarg;
            break;
        case 's':
            good = take_files(argc, argv, ret->sent, &ret->sent_count);
            break;
        case 'l':
            good = take_files(argc, argv, ret->cls, &ret->cls_count);
            break;
        case 'w':
            ret->wait_s = (unsigned)strtoul(optarg, &end, 10);
            good = end != optarg && *end == '\0' && ret->wait_s <= 86400;
            break;
        case 'j':
            ret->json = optarg;
            break;
        case 'q':
            ret->no_queues = true;
            break;
        case 'h':
            ret->help = true;
            return true;
        default:
            good = false;
        }
    }
    return good && optind == argc && ret->config && ret->sent_count > 0 && ret->cls_count > 0;
}

static int answer(const struct ste_check_result *result, const struct check_options *options,
                  bool at_rest)
{
    struct ste_error err = {0};
    ste_check_print(result, stdout);
    if (!at_rest)
        fprintf(stderr,
                "ste-admin: not at rest: %" PRIu64 " deliveries in queues, %" PRIu64
                " outbox rows: what is lost cannot be told from what still waits\n",
                result->queued, result->outbox);
    if (options->json && ste_check_write_json(result, at_rest, options->json, &err) != STE_OK) {
        ste_admin_complain("could not write the result", &err);
        return STE_ADMIN_FAILURE;
    }
    if (!at_rest)
        return EXIT_TIMED_OUT;
    return ste_check_clean(result) ? STE_ADMIN_OK : STE_ADMIN_FAILURE;
}

int ste_admin_check(int argc, char **argv)
{
    struct check_options options = {.wait_s = 30};
    struct ste_error err = {0};
    bool at_rest = false;
    if (!parse(argc, argv, &options)) {
        usage(stderr);
        return STE_ADMIN_USAGE;
    }
    if (options.help) {
        usage(stdout);
        return STE_ADMIN_OK;
    }
    struct ste_cluster *cluster = ste_admin_load(options.config);
    struct ste_check_result *result = calloc(1, sizeof(*result));
    int code = STE_ADMIN_FAILURE;
    if (!cluster || !result)
        goto out;
    if (run(cluster, &options, result, &at_rest, &err) != STE_OK)
        ste_admin_complain("could not check", &err);
    else
        code = answer(result, &options, at_rest);
out:
    free(result);
    ste_cluster_free(cluster);
    return code;
}
