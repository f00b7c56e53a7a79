/* SPDX-License-Identifier: Apache-2.0
 * ste-submit: sends files of messages and, with --wait, prints what comes back. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/signals.h"
#include "bridge/submit.h"

enum { LINGER_MS = 200, STATUS_TIMEOUT = 3 };

static void print_help(void)
{
    printf(
        "Usage: ste-submit --config FILE [OPTION]… FILE…\n"
        "       ste-submit --check [--config FILE] FILE…\n"
        "Sends files of TradeMessage or TradeMessages (- is standard input) to the engine.\n"
        "  --config FILE  the cluster map\n"
        "  --hub KEY      sign everything with this key, <participant>/<key id>\n"
        "  --keys DIR     sign with each Sender's own key, DIR/<participant>/<key id>\n"
        "                 (neither: the hub key that the map names in submit.hub)\n"
        "  --batch K      messages a delivery (default: a file within the limits as it is)\n"
        "  --wait S       print the answers that come within S seconds\n"
        "  --json         one JSON object a line\n"
        "  --check        explain the files without a broker: findings with line and column\n"
        "  --help         this text\n"
        "  --version      the version\n"
        "Exit status: 0 sent, and with --wait every message has its answer; 1 failed, or --check\n"
        "found what would be refused; 2 wrong usage; 3 answers are missing after S seconds\n");
}

/* Returns -1 to go on, else the exit status. */
static int read_options(struct ste_submit_options *options, int argc, char **argv)
{
    static const struct option known[] = {
        {"config", required_argument, NULL, 'c'}, {"keys", required_argument, NULL, 'k'},
        {"hub", required_argument, NULL, 'u'},    {"batch", required_argument, NULL, 'b'},
        {"wait", required_argument, NULL, 'w'},   {"json", no_argument, NULL, 'j'},
        {"check", no_argument, NULL, 'x'},        {"help", no_argument, NULL, 'h'},
        {"version", no_argument, NULL, 'v'},      {NULL, 0, NULL, 0}};
    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        char *end = NULL;
        switch (c) {
        case 'c':
            options->config = optarg;
            break;
        case 'k':
            options->keys_dir = optarg;
            break;
        case 'u':
            options->hub = optarg;
            break;
        case 'b':
        case 'w': {
            const unsigned long value = strtoul(optarg, &end, 10);
            if (*end != '\0' || end == optarg || value > 1000000 || (c == 'b' && value == 0)) {
                fprintf(stderr, "ste-submit: not a usable number: %s\n", optarg);
                return 2;
            }
            if (c == 'b')
                options->batch = (unsigned)value;
            else
                options->wait_s = (unsigned)value;
            options->wait |= c == 'w';
            break;
        }
        case 'j':
            options->json = true;
            break;
        case 'x':
            options->check = true;
            break;
        case 'h':
            print_help();
            return 0;
        case 'v':
            printf("ste-submit %s\n", STE_VERSION);
            return 0;
        default:
            return 2;
        }
    }
    options->files = argv + optind;
    options->file_count = argc - optind;
    if (options->file_count == 0 || (options->config == NULL && !options->check) ||
        (options->keys_dir != NULL && options->hub != NULL)) {
        fprintf(stderr, "ste-submit: --config, one of --keys and --hub at most, and files, see "
                        "--help\n");
        return 2;
    }
    return -1;
}

/* Confirms of everything sent; answers are taken meanwhile. */
static enum ste_code wait_for_confirms(struct ste_submission *submission, struct ste_error *err)
{
    enum ste_code rc = STE_OK;
    while (rc == STE_OK && submission->publisher->unconfirmed_count > 0) {
        rc = ste_publisher_pump(submission->publisher, 20, err);
        if (rc == STE_OK && submission->answers != NULL)
            rc = ste_answers_take(submission->answers, 0, err);
    }
    return rc;
}

/* Answers in; the publishing connection, idle by now, still has to be heard. */
static enum ste_code take_answers(struct ste_submission *submission, int timeout_ms,
                                  struct ste_error *err)
{
    const enum ste_code rc = ste_answers_take(submission->answers, timeout_ms, err);
    return rc == STE_OK ? ste_publisher_pump(submission->publisher, 0, err) : rc;
}

/* *ret_complete: all answers came in time. */
static enum ste_code wait_for_answers(struct ste_submission *submission, bool *ret_complete,
                                      struct ste_error *err)
{
    const struct ste_expect *const expect = ste_answers_expect(submission->answers);
    const uint64_t limit_ns = ste_clock_mono_ns() + submission->options->wait_s * STE_NS_PER_S;
    while (!ste_expect_complete(expect) && ste_clock_mono_ns() < limit_ns) {
        const enum ste_code rc = take_answers(submission, 50, err);
        if (rc != STE_OK)
            return rc;
    }
    *ret_complete = ste_expect_complete(expect);
    /* Others' replies to the last transaction may still be on their way. */
    const uint64_t linger_ns = ste_clock_mono_ns() + LINGER_MS * STE_NS_PER_MS;
    while (*ret_complete && ste_clock_mono_ns() < linger_ns) {
        const enum ste_code rc = take_answers(submission, LINGER_MS / 4, err);
        if (rc != STE_OK)
            return rc;
    }
    return STE_OK;
}

static enum ste_code submit_all(struct ste_submission *submission,
                                const struct ste_cluster *cluster, bool *ret_complete,
                                struct ste_error *err)
{
    const struct ste_submit_options *const options = submission->options;
    enum ste_code rc = ste_publisher_open(submission->publisher, cluster, err);
    if (rc == STE_OK && options->wait)
        rc = ste_answers_open(cluster, options->json, &submission->answers, err);
    for (int i = 0; rc == STE_OK && i < options->file_count; i++)
        rc = ste_submit_file(submission, options->files[i], err);
    /* A file that ends in something unreadable was sent up to there: that has its answers. */
    const enum ste_code sent = rc;
    struct ste_error trouble = sent == STE_E_LIMIT ? *err : (struct ste_error){0};
    if (sent == STE_E_LIMIT)
        rc = STE_OK;
    if (rc == STE_OK)
        rc = wait_for_confirms(submission, err);
    *ret_complete = true;
    if (rc == STE_OK && options->wait)
        rc = wait_for_answers(submission, ret_complete, err);
    if (rc == STE_OK) {
        struct ste_summary *const summary =
            options->wait ? ste_expect_summary(ste_answers_expect(submission->answers))
                          : &submission->summary;
        summary->submitted = submission->summary.submitted;
        rc = ste_print_summary(summary, options->json, options->wait, stdout, err);
    }
    if (rc == STE_OK && sent == STE_E_LIMIT) {
        *err = trouble;
        rc = sent;
    }
    return rc;
}

static int run(const struct ste_submit_options *options, const struct ste_log *log)
{
    struct ste_error err = {0};
    struct ste_faults faults = {0};
    struct ste_cluster *cluster = NULL;
    struct ste_ref *ref = NULL;
    struct ste_keyring ring = {0};
    struct ste_publisher publisher = {0};
    struct ste_submission submission = {.options = options, .ring = &ring, .publisher = &publisher};
    bool complete = false;
    enum ste_code rc = ste_cluster_load(options->config, &faults, &cluster, &err);
    if (rc == STE_OK)
        rc = ste_ref_load(cluster, &faults, &ref, &err);
    ste_faults_print(&faults, stderr);
    if (rc == STE_OK)
        rc = ste_keyring_open(&ring, cluster, ref, options, &err);
    if (rc == STE_OK) {
        snprintf(submission.id_prefix, sizeof(submission.id_prefix), "sub.%llx.%x",
                 (unsigned long long)ste_clock_wall_us(), (unsigned)getpid());
        submission.xml = ste_xml_new();
        submission.arena = ste_arena_new(0);
        rc = submission.xml != NULL && submission.arena != NULL
                 ? submit_all(&submission, cluster, &complete, &err)
                 : ste_error_set(&err, STE_E_NOMEM, "could not start");
    }
    if (rc != STE_OK)
        ste_log_error(log, STE_LOG_ERROR, "submit.failed", &err);
    ste_answers_close(submission.answers);
    ste_publisher_close(&publisher);
    ste_keyring_close(&ring);
    ste_xml_free(submission.xml);
    ste_arena_free(submission.arena);
    ste_ref_free(ref);
    ste_cluster_free(cluster);
    ste_faults_deinit(&faults);
    return rc != STE_OK ? 1 : complete ? 0 : STATUS_TIMEOUT;
}

int main(int argc, char **argv)
{
    struct ste_submit_options options = {0};
    const struct ste_log log = {.proc = "submit", .level = STE_LOG_INFO};
    const int status = read_options(&options, argc, argv);
    if (status >= 0)
        return status;
    return options.check ? ste_submit_check(&options, stdout) : run(&options, &log);
}
