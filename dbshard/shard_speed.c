/* SPDX-License-Identifier: Apache-2.0
 * ste-shard-speed: how fast the statements of path stops 6 and 8 are without the engine around
 * them. Standard trades (seven messages of 1,500 bytes, states of 700), arrivals shuffled within
 * 512, one outbox row a trade, deleted by the next transaction. For each batch size it prints
 * messages per second, this program's CPU and, where the servers run on this machine, theirs. */
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "dbshard/internal.h"
#include "dbshard/shard_lab.h"

enum {
    MESSAGES_PER_TRADE = 7,
    SHUFFLE_WINDOW = 512,
    BODY_BYTES = 1500,
    STATE_BYTES = 700,
    BATCH_MAX = 1024,
    WORKERS_MAX = 8,
};

struct options {
    const char *sockets[STE_SHARD_COUNT_MAX];
    unsigned shard_count, workers, trades;
    bool compress, siblings;
};

struct shard_run {   /* what the workers of one shard share */
    uint32_t *order; /* message number → trade * 7 + place */
    size_t message_count;
    atomic_size_t next;
};

struct worker {
    const struct options *options;
    struct ste_shard_lab *lab;
    struct shard_run *run;
    struct ste_shard *shard;
    struct ste_arena *arena;
    pthread_t thread;
    unsigned number, salt;
    size_t batch, messages, batches, redone;
    uint64_t cpu_ns, wait_ns, promised[BATCH_MAX];
    size_t promised_count;
    enum ste_code rc;
    struct ste_error err;
};

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

static void make_body(char *out, uint32_t trade, uint32_t place)
{
    static const char *const types[MESSAGES_PER_TRADE] = {"NOE", "ALB", "ALB", "NPR",
                                                          "NPR", "SET", "SET"};
    memset(out, ' ', BODY_BYTES);
    int len = snprintf(
        out, BODY_BYTES,
        "<TradeMessage xmlns=\"urn:ste:trade:1\" type=\"%s\" function=\"NEWM\">\n"
        "  <Reference>BRK-P-%09u-%u</Reference>\n  <Sender>BROKSGSG</Sender>\n"
        "  <Receiver>INVMSGSG</Receiver>\n  <CreatedAt>2026-11-30T09:%02u:02.%06uZ</CreatedAt>\n"
        "  <TradeReference>SGX%014u</TradeReference>\n  <TradeDate>2026-11-30</TradeDate>\n"
        "  <SettlementDate>2026-12-02</SettlementDate>\n  <Direction>BUYI</Direction>\n"
        "  <Payment>APMT</Payment>\n  <Instrument>SG1L%07u1</Instrument>\n"
        "  <Quantity unit=\"UNIT\">%u</Quantity>\n"
        "  <Price type=\"ACTU\" currency=\"SGD\">%u.%02u</Price>\n"
        "  <SettlementAmount currency=\"SGD\">%u.%02u</SettlementAmount>\n"
        "  <Broker>BROKSGSG</Broker>\n  <Manager>INVMSGSG</Manager>\n"
        "  <Account>SAFE-%06u</Account>\n  <PlaceOfSettlement>CDPLSGSG</PlaceOfSettlement>\n"
        "  <Country>SG</Country>\n  <Narrative>",
        types[place], trade, place, trade % 60, trade * 7919 % 1000000, trade, trade % 2000 * 97,
        (trade % 977 + 1) * 100, trade % 97 + 1, trade % 100, trade * 131 % 1000000, trade % 100,
        trade * 37 % 1000000);
    static const char tail[] = "</Narrative>\n</TradeMessage>";
    size_t at = BODY_BYTES - (sizeof(tail) - 1);
    uint64_t seed = trade * 7u + place + 1u;
    for (size_t i = (size_t)len; i < at; i++) /* text that compresses like text, not like padding */
        out[i] = " etaoinshrdlucmfw"[next_random(&seed) % 17];
    memcpy(out + at, tail, sizeof(tail) - 1);
}

struct batch {
    struct ste_trade_key_row keys[BATCH_MAX], fresh[BATCH_MAX];
    struct ste_trade_row rows[BATCH_MAX];
    struct ste_trade_save saves[BATCH_MAX];
    struct ste_message_row messages[BATCH_MAX];
    struct ste_outbox_row outbox[BATCH_MAX];
    uint64_t ids[BATCH_MAX], outbox_ids[BATCH_MAX];
    size_t key_count, fresh_count, outbox_count;
};

static struct ste_trade_key_row key_of(const struct worker *self, uint32_t trade)
{
    char name[64];
    int len = snprintf(name, sizeof(name), "SGX%014u|BROKSGSG|INVMSGSG|2026-11-30",
                       trade + self->salt * 10000000u);
    struct ste_bytes identity = ste_arena_dup(self->arena, (struct ste_bytes){name, (size_t)len});
    struct ste_hash match = ste_hash_of((struct ste_bytes){name, 17});
    return (struct ste_trade_key_row){.trade_date = self->lab->cluster.business_date,
                                      .trade_key = ste_hash_of(identity),
                                      .match_hash = match,
                                      .slot = (uint32_t)(ste_hash_low64(match) % 720720),
                                      .identity = identity};
}

static int by_key(const void *a, const void *b)
{
    return ste_hash_compare(((const struct ste_trade_key_row *)a)->trade_key,
                            ((const struct ste_trade_key_row *)b)->trade_key);
}

static void prepare(struct worker *self, struct batch *batch, const uint32_t *order, size_t count)
{
    static const uint8_t sha256[32] = {42};
    for (size_t i = 0; i < count; i++) {
        uint32_t trade = order[i] / MESSAGES_PER_TRADE, place = order[i] % MESSAGES_PER_TRADE;
        char *body = ste_arena_alloc(self->arena, BODY_BYTES + 1);
        make_body(body, trade, place);
        batch->keys[i] = key_of(self, trade);
        batch->messages[i] =
            (struct ste_message_row){.trade_date = batch->keys[i].trade_date,
                                     .trade_key = batch->keys[i].trade_key,
                                     .slot = batch->keys[i].slot,
                                     .type = place / 2 + 1,
                                     .function = 1,
                                     .sender8 = STE_BYTES("BROKSGSG"),
                                     .reference = STE_BYTES("BRK-P-000000123-1"),
                                     .account = STE_BYTES("SAFE-000001"),
                                     .key_id = STE_BYTES("STEHSGSG/hub"),
                                     .delivery_id = STE_BYTES("0123456789abcdef0123456789abcdef"),
                                     .delivery_index = (uint32_t)i,
                                     .signed_sha256 = sha256,
                                     .received_us = 1700000000000000u,
                                     .body = {body, BODY_BYTES}};
    }
    qsort(batch->keys, count, sizeof(batch->keys[0]), by_key);
    batch->key_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || by_key(&batch->keys[i], &batch->keys[batch->key_count - 1]) != 0)
            batch->keys[batch->key_count++] = batch->keys[i];
    }
}

/* A state of 700 bytes whose first byte counts the messages. */
static void decide(struct worker *self, struct batch *batch, size_t count)
{
    static char cls[1200];
    memset(cls, 'c', sizeof(cls));
    batch->outbox_count = 0;
    for (size_t i = 0; i < batch->key_count; i++) {
        const struct ste_trade_key_row *key = &batch->keys[i];
        char *state = ste_arena_alloc(self->arena, STATE_BYTES);
        memset(state, 's', STATE_BYTES);
        state[0] = batch->rows[i].state.len ? batch->rows[i].state.at[0] : 0;
        for (size_t k = 0; k < count; k++)
            state[0] =
                (char)(state[0] + ste_hash_equal(batch->messages[k].trade_key, key->trade_key));
        batch->saves[i] = (struct ste_trade_save){.trade_date = key->trade_date,
                                                  .trade_key = key->trade_key,
                                                  .match_hash = key->match_hash,
                                                  .slot = key->slot,
                                                  .identity = key->identity,
                                                  .state = {state, STATE_BYTES},
                                                  .status = state[0] == MESSAGES_PER_TRADE ? 3 : 1,
                                                  .trade_reference = {key->identity.at, 17},
                                                  .broker8 = STE_BYTES("BROKSGSG"),
                                                  .manager8 = STE_BYTES("INVMSGSG"),
                                                  .instrument = STE_BYTES("SG1L01001701"),
                                                  .settlement_date = key->trade_date + 2,
                                                  .message_count = (unsigned)state[0],
                                                  .account_count = 2,
                                                  .cls_version = state[0] == MESSAGES_PER_TRADE};
        if (state[0] == MESSAGES_PER_TRADE)
            batch->outbox[batch->outbox_count++] =
                (struct ste_outbox_row){.routing_key = STE_BYTES("cls.00"),
                                        .message_id = STE_BYTES("0123456789abcdef.1"),
                                        .record_count = 1,
                                        .body = {cls, sizeof(cls)}};
    }
}

static enum ste_code transact(struct worker *self, struct batch *batch, size_t count)
{
    struct ste_trade_row *siblings = NULL;
    size_t sibling_count = 0;
    enum ste_code rc = ste_shard_begin(self->shard, &self->err);
    if (rc == STE_OK)
        rc = ste_shard_lock_and_load(self->shard, batch->keys, batch->key_count, self->arena,
                                     batch->rows, &self->err);
    batch->fresh_count = 0;
    for (size_t i = 0; rc == STE_OK && i < batch->key_count; i++) {
        if (!batch->rows[i].state.at)
            batch->fresh[batch->fresh_count++] = batch->keys[i];
    }
    if (rc == STE_OK && batch->fresh_count && self->options->siblings)
        rc = ste_shard_load_siblings(self->shard, batch->fresh, batch->fresh_count, self->arena,
                                     &siblings, &sibling_count, &self->err);
    if (rc == STE_OK) {
        decide(self, batch, count);
        rc = ste_shard_insert_messages(self->shard, batch->messages, count, batch->ids, &self->err);
    }
    if (rc == STE_OK)
        rc = ste_shard_save_trades(self->shard, batch->saves, batch->key_count, &self->err);
    if (rc == STE_OK && batch->outbox_count)
        rc = ste_shard_insert_outbox(self->shard, self->number, batch->outbox, batch->outbox_count,
                                     batch->outbox_ids, &self->err);
    if (rc == STE_OK && self->promised_count)
        rc = ste_shard_delete_outbox(self->shard, self->promised, self->promised_count, &self->err);
    if (rc == STE_OK)
        rc = ste_shard_commit(self->shard, &self->err);
    if (rc == STE_OK) {
        self->promised_count = batch->outbox_count;
        memcpy(self->promised, batch->outbox_ids, batch->outbox_count * sizeof(uint64_t));
    }
    return rc;
}

static void *work(void *context)
{
    struct worker *self = context;
    struct batch *batch = calloc(1, sizeof(*batch));
    uint64_t sql_cpu_ns = 0, waited_ns = ste_shard_wait_ns(self->shard);
    if (!batch) {
        self->rc = STE_E_NOMEM;
        return NULL;
    }
    while (self->rc == STE_OK) {
        size_t first = atomic_fetch_add(&self->run->next, self->batch);
        if (first >= self->run->message_count)
            break;
        size_t left = self->run->message_count - first;
        size_t count = left < self->batch ? left : self->batch;
        ste_arena_reset(self->arena);
        prepare(self, batch, self->run->order + first, count);
        uint64_t start_ns = ste_clock_thread_cpu_ns();
        do {
            self->rc = transact(self, batch, count);
            self->redone += self->rc == STE_E_SHARD_DEADLOCK;
        } while (self->rc == STE_E_SHARD_DEADLOCK);
        sql_cpu_ns += ste_clock_thread_cpu_ns() - start_ns;
        self->messages += count;
        self->batches++;
    }
    self->cpu_ns = sql_cpu_ns;
    self->wait_ns = ste_shard_wait_ns(self->shard) - waited_ns;
    free(batch);
    return NULL;
}

/* CPU of the process that serves this connection, 0 when it cannot be seen. */
static enum ste_code pid_row(void *context, char **values, const unsigned long *lengths,
                             struct ste_error *err)
{
    char *out = context;
    (void)err;
    if (values[0] && lengths[0] < 256)
        memcpy(out, values[0], lengths[0] + 1);
    return STE_OK;
}

static double server_cpu_s(struct ste_shard *shard)
{
    char path[256] = "";
    struct ste_error err = {0};
    unsigned long user = 0, system = 0;
    int pid = 0;
    if (ste_shard_select(shard, STE_BYTES("SELECT @@pid_file"), "ask", pid_row, path, &err) !=
            STE_OK ||
        ste_shard_end_read(shard, &err) != STE_OK)
        return 0;
    FILE *in = fopen(path, "r");
    if (!in)
        return 0;
    int got = fscanf(in, "%d", &pid);
    fclose(in);
    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    in = got == 1 ? fopen(path, "r") : NULL;
    if (!in)
        return 0;
    got = fscanf(in, "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                 &system);
    fclose(in);
    return got == 2 ? (double)(user + system) / (double)sysconf(_SC_CLK_TCK) : 0;
}

static bool make_run(struct shard_run *run, const struct options *options, uint64_t seed)
{
    run->message_count = (size_t)options->trades * MESSAGES_PER_TRADE;
    run->order = malloc(run->message_count * sizeof(*run->order));
    if (!run->order)
        return false;
    for (size_t i = 0; i < run->message_count; i++)
        run->order[i] = (uint32_t)i;
    for (size_t i = 0; i + 1 < run->message_count; i++) {
        size_t room = run->message_count - i;
        size_t other = i + next_random(&seed) % (room < SHUFFLE_WINDOW ? room : SHUFFLE_WINDOW);
        uint32_t swap = run->order[i];
        run->order[i] = run->order[other];
        run->order[other] = swap;
    }
    return true;
}

static enum ste_code open_worker(struct worker *worker, const struct options *options,
                                 struct ste_shard_lab *lab, struct shard_run *run, unsigned shard,
                                 unsigned salt, size_t batch, struct ste_error *err)
{
    *worker = (struct worker){
        .options = options, .lab = lab, .run = run, .salt = salt, .number = shard, .batch = batch};
    worker->arena = ste_arena_new(0);
    enum ste_code rc = ste_shard_open(&lab->cluster, shard, STE_DB_NODE, &worker->shard, err);
    if (rc == STE_OK)
        ste_shard_compress(worker->shard, options->compress);
    return worker->arena ? rc : STE_E_NOMEM;
}

static void report(const struct worker *workers, size_t count, size_t batch, double seconds,
                   double server_s)
{
    size_t messages = 0, redone = 0;
    uint64_t cpu_ns = 0, wait_ns = 0;
    for (size_t i = 0; i < count; i++) {
        messages += workers[i].messages;
        redone += workers[i].redone;
        cpu_ns += workers[i].cpu_ns;
        wait_ns += workers[i].wait_ns;
    }
    const double n = (double)messages;
    printf("%6zu %10.0f %10.2f %10.2f %10.2f %8zu\n", batch, n / seconds, (double)cpu_ns / n / 1000,
           server_s * 1e6 / n, (double)wait_ns / n / 1000, redone);
    fflush(stdout);
}

static enum ste_code measure(struct ste_shard_lab *lab, const struct options *options, size_t batch,
                             unsigned salt, struct ste_error *err)
{
    struct shard_run runs[STE_SHARD_COUNT_MAX] = {0};
    struct worker workers[STE_SHARD_COUNT_MAX * WORKERS_MAX] = {0};
    const size_t count = (size_t)options->shard_count * options->workers;
    double server_s = 0;
    enum ste_code rc = STE_OK;
    for (unsigned s = 0; rc == STE_OK && s < options->shard_count; s++)
        rc = make_run(&runs[s], options, salt + s) ? STE_OK : STE_E_NOMEM;
    for (size_t i = 0; rc == STE_OK && i < count; i++) {
        unsigned s = (unsigned)(i % options->shard_count);
        rc = open_worker(&workers[i], options, lab, &runs[s], s, salt, batch, err);
        if (rc == STE_OK && i < options->shard_count)
            server_s -= server_cpu_s(workers[i].shard);
    }
    const uint64_t start_ns = ste_clock_mono_ns();
    size_t started = 0;
    for (; rc == STE_OK && started < count; started++) {
        if (pthread_create(&workers[started].thread, NULL, work, &workers[started]) != 0)
            rc = ste_error_set(err, STE_E_NOMEM, "could not start a thread");
    }
    for (size_t i = 0; i < started; i++) {
        pthread_join(workers[i].thread, NULL);
        if (workers[i].rc != STE_OK) {
            rc = workers[i].rc;
            *err = workers[i].err;
        }
    }
    const double seconds = (double)(ste_clock_mono_ns() - start_ns) / 1e9;
    for (unsigned s = 0; rc == STE_OK && s < options->shard_count; s++)
        server_s += server_cpu_s(workers[s].shard);
    if (rc == STE_OK)
        report(workers, count, batch, seconds, server_s);
    for (size_t i = 0; i < count; i++) {
        ste_shard_close(workers[i].shard);
        ste_arena_free(workers[i].arena);
    }
    for (unsigned s = 0; s < options->shard_count; s++)
        free(runs[s].order);
    return rc;
}

static int usage(void)
{
    fprintf(stderr, "usage: ste-shard-speed [--trades N] [--workers N] [--batch N]… [--zstd] "
                    "[--no-siblings] SOCKET…\n");
    return 2;
}

int main(int argc, char **argv)
{
    static const struct option longs[] = {
        {"trades", required_argument, NULL, 't'}, {"workers", required_argument, NULL, 'w'},
        {"batch", required_argument, NULL, 'b'},  {"zstd", no_argument, NULL, 'z'},
        {"no-siblings", no_argument, NULL, 's'},  {NULL, 0, NULL, 0}};
    struct options options = {.workers = 1, .trades = 4000, .siblings = true};
    size_t batches[16] = {1, 16, 64, 256}, batch_count = 0;
    for (int c; (c = getopt_long(argc, argv, "", longs, NULL)) != -1;) {
        unsigned long number = optarg ? strtoul(optarg, NULL, 10) : 0;
        if (c == 't' && number > 0)
            options.trades = (unsigned)number;
        else if (c == 'w' && number > 0 && number <= WORKERS_MAX)
            options.workers = (unsigned)number;
        else if (c == 'b' && number > 0 && number <= BATCH_MAX && batch_count < 16)
            batches[batch_count++] = number;
        else if (c == 'z')
            options.compress = true;
        else if (c == 's')
            options.siblings = false;
        else
            return usage();
    }
    for (; optind < argc && options.shard_count < STE_SHARD_COUNT_MAX; optind++)
        options.sockets[options.shard_count++] = argv[optind];
    if (options.shard_count == 0)
        return usage();
    struct ste_shard_lab lab;
    struct ste_error err = {0};
    ste_date date = 0;
    if (!ste_date_parse(STE_BYTES("2026-11-30"), &date))
        return 1;
    enum ste_code rc = ste_shard_lab_init(&lab, options.sockets, options.shard_count, date, &err);
    if (rc == STE_OK) {
        printf("%u shards, %u workers each, %u trades each\n%6s %10s %10s %10s %10s %8s\n",
               options.shard_count, options.workers, options.trades, "batch", "msg/s", "client us",
               "server us", "wait us", "redone");
        for (size_t i = 0; rc == STE_OK && i < (batch_count ? batch_count : 4); i++)
            rc = measure(&lab, &options, batches[i], (unsigned)i + 1, &err);
        ste_shard_lab_deinit(&lab);
    }
    if (rc != STE_OK)
        fprintf(stderr, "ste-shard-speed: %s\n", err.text);
    return rc == STE_OK ? 0 : 1;
}
