/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/ceiling.h"
#include "http/http.h"
#include "mq/mq.h"

#define CEILING_QUEUE "ste.ceiling"
enum {
    CEILING_PREFETCH = 512,
    CEILING_ACK_EVERY = 128,
    CEILING_WAIT_MS = 100,
    CEILING_SILENCE_S = 60,
    CEILING_HTTP_TIMEOUT_MS = 10000,
};

static enum ste_code ask(const struct ste_cluster *cluster, enum ste_http_method method,
                         const char *body, struct ste_error *err)
{
    const struct ste_login *login = &cluster->broker.users[STE_ROLE_ADMIN];
    char password[256];
    struct ste_http *http = NULL;
    struct ste_buf path = {0}, answer = {0};
    unsigned status = 0;
    enum ste_code rc = ste_secret_read(login->password_file, password, sizeof password, err);
    if (rc == STE_OK)
        rc = ste_http_open(cluster->broker.management, login->user, password,
                           CEILING_HTTP_TIMEOUT_MS, &http, err);
    explicit_bzero(password, sizeof password);
    if (rc != STE_OK)
        goto out;
    ste_buf_append_cstr(&path, "/api/queues/");
    ste_http_escape(&path, cluster->broker.vhost);
    ste_buf_append_cstr(&path, "/" CEILING_QUEUE);
    ste_buf_append(&path, "", 1);
    if (path.failed)
        rc = ste_error_set(err, STE_E_NOMEM, "out of memory");
    if (rc == STE_OK)
        rc = ste_http_request(http, method, path.at, ste_bytes_of(body), &status, &answer, err);
    if (rc == STE_OK && status / 100 != 2 && !(method == STE_HTTP_DELETE && status == 404))
        rc = ste_error_set(err, STE_E_HTTP, "the broker answered %u for queue %s", status,
                           CEILING_QUEUE);
out:
    ste_http_close(http);
    ste_buf_deinit(&path);
    ste_buf_deinit(&answer);
    return rc;
}

struct consumer {
    const struct ste_cluster *cluster;
    uint64_t expected, got; /* messages */
    uint64_t last_ns;
};

static enum ste_code consume(void *context, struct ste_bench_jobs *jobs, struct ste_error *err)
{
    struct consumer *consumer = context;
    struct ste_mq *mq = NULL;
    uint64_t unacked = 0, tag = 0;
    enum ste_code rc = ste_mq_open(consumer->cluster, STE_ROLE_ADMIN, STE_MQ_CONSUME,
                                   "ste-bench ceiling", &mq, err);
    if (rc == STE_OK)
        rc = ste_mq_consume(mq, CEILING_QUEUE, CEILING_PREFETCH, "ceiling", true, err);
    consumer->last_ns = ste_clock_mono_ns();
    while (rc == STE_OK && consumer->got < consumer->expected && !ste_bench_stopping(jobs)) {
        struct ste_mq_delivery delivery;
        bool got = false;
        rc = ste_mq_receive(mq, CEILING_WAIT_MS, &delivery, &got, err);
        if (rc == STE_OK && got) {
            consumer->got += delivery.record_count;
            consumer->last_ns = ste_clock_mono_ns();
            tag = delivery.tag;
            unacked++;
            ste_mq_delivery_free(&delivery);
        } else if (rc == STE_OK &&
                   ste_clock_mono_ns() - consumer->last_ns > STE_NS_PER_S * CEILING_SILENCE_S) {
            rc = ste_error_set(err, STE_E_TIMEOUT, "nothing arrived for %d s", CEILING_SILENCE_S);
        }
        if (rc == STE_OK && (unacked >= CEILING_ACK_EVERY || (unacked > 0 && !got))) {
            rc = ste_mq_ack(mq, tag, true, err);
            unacked = 0;
        }
    }
    if (rc == STE_OK && unacked > 0)
        rc = ste_mq_ack(mq, tag, true, err);
    ste_mq_close(mq);
    return rc;
}

/* Sends and consumes. The figures of what was sent stay in `drive`. */
static enum ste_code pass_through(struct ste_drive *drive, const struct ste_set *set,
                                  struct ste_ceiling *ret, struct ste_error *err)
{
    struct consumer consumer = {.cluster = drive->cluster, .expected = set->header->messages};
    struct ste_bench_job jobs[] = {
        {.run = consume, .context = &consumer, .what = "ceiling: consumer"},
        {.run = ste_drive_run, .context = drive, .what = "ceiling: producer"},
    };
    bool interrupted = false;
    bool good = ste_bench_jobs_run(jobs, 2, NULL, NULL, &interrupted);
    ret->messages = atomic_load(&drive->confirmed_messages);
    if (drive->first_publish_ns != 0 && consumer.last_ns > drive->first_publish_ns)
        ret->seconds = (double)(consumer.last_ns - drive->first_publish_ns) / 1e9;
    if (!good || interrupted)
        return ste_error_set(err, STE_E_STOPPING,
                             "the broker's ceiling was not measured to its end");
    return STE_OK;
}

static enum ste_code with_ledger(struct ste_drive *drive, const char *folder,
                                 const struct ste_set *set, struct ste_ceiling *ret,
                                 struct ste_error *err)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/ceiling-%ld.ledger", folder, (long)getpid());
    enum ste_code rc = ste_ledger_open(path, &drive->ledger, err);
    if (rc != STE_OK)
        return rc;
    rc = pass_through(drive, set, ret, err);
    enum ste_code closed = ste_ledger_close(drive->ledger, rc == STE_OK ? err : NULL);
    (void)unlink(path);
    return rc == STE_OK ? closed : rc;
}

enum ste_code ste_ceiling_broker(const struct ste_drive_options *o, const struct ste_bench_map *map,
                                 const struct ste_set *set, bool as_driver, struct ste_ceiling *ret,
                                 struct ste_error *err)
{
    struct ste_drive drive;
    struct ste_schedule schedule = {0};
    char key_id[STE_DRIVE_KEY_ID_BYTES], run_id[STE_DRIVE_RUN_ID_BYTES];
    struct ste_drive_options mine = *o;
    mine.batch = ret->batch;
    if (!ste_drive_prepare(&drive, &mine, map, key_id, run_id))
        return ste_error_set(err, STE_E_CONFIG, "no key to sign with");
    drive.role = STE_ROLE_ADMIN;
    drive.exchange = ""; /* the default exchange: straight into the queue */
    drive.routing_key = CEILING_QUEUE;
    drive.schedule = &schedule;
    if (!as_driver)
        drive.key_id = NULL;
    enum ste_code rc = ste_source_open_set(set, ret->batch, NULL, &drive.source, err);
    if (rc == STE_OK)
        rc = ask(map->cluster, STE_HTTP_PUT,
                 "{\"durable\":true,\"arguments\":{\"x-queue-type\":\"quorum\"}}", err);
    if (rc == STE_OK) {
        rc = as_driver ? with_ledger(&drive, o->set, set, ret, err)
                       : pass_through(&drive, set, ret, err);
        struct ste_error after = {0};
        enum ste_code deleted = ask(map->cluster, STE_HTTP_DELETE, NULL, &after);
        if (rc == STE_OK && deleted != STE_OK) {
            rc = deleted;
            *err = after;
        }
    }
    ste_source_close(drive.source);
    return rc;
}
