/* SPDX-License-Identifier: Apache-2.0
 * Opening a shard: timeouts, session settings, identity. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "dbshard/failure.h"
#include "dbshard/internal.h"

enum {
    CONNECT_TIMEOUT_S = 5,
    IO_TIMEOUT_S = 5,        /* not above the broker's heartbeat */
    SLOW_IO_TIMEOUT_S = 120, /* DDL, and the checker's long reads */
    SECRET_BYTES = 256,
    PACKET_WANTED_BYTES = 16 << 20, /* an exception's 4 MiB, every byte escaped, and room */
    PACKET_USED_BYTES = 12 << 20,
};

static void library_init(void)
{
    mysql_library_init(0, NULL, NULL);
}

/* mysql_init() would do it, but not safely from two threads at once. */
static void library_init_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, library_init);
}

/* Everything that is set before the connection stands. TLS has its place here: MYSQL_OPT_SSL_CA,
 * MYSQL_OPT_SSL_ENFORCE and MYSQL_OPT_SSL_VERIFY_SERVER_CERT; the lab speaks over loopback. */
static bool set_options(MYSQL *db, enum ste_db_role role, bool by_socket)
{
    const unsigned connect_s = CONNECT_TIMEOUT_S;
    const unsigned io_s = role == STE_DB_NODE ? IO_TIMEOUT_S : SLOW_IO_TIMEOUT_S;
    const unsigned protocol = by_socket ? MYSQL_PROTOCOL_SOCKET : MYSQL_PROTOCOL_TCP;
    const unsigned local_infile = 0;
    const my_bool reconnect = 0;
    return mysql_options(db, MYSQL_OPT_CONNECT_TIMEOUT, &connect_s) == 0 &&
           mysql_options(db, MYSQL_OPT_READ_TIMEOUT, &io_s) == 0 &&
           mysql_options(db, MYSQL_OPT_WRITE_TIMEOUT, &io_s) == 0 &&
           mysql_options(db, MYSQL_OPT_RECONNECT, &reconnect) == 0 &&
           mysql_options(db, MYSQL_OPT_LOCAL_INFILE, &local_infile) == 0 &&
           mysql_options(db, MYSQL_OPT_PROTOCOL, &protocol) == 0 &&
           mysql_options(db, MYSQL_SET_CHARSET_NAME, "binary") == 0;
}

/* Isolation has a statement of its own: the variable's name differs between servers. A node's
 * session has autocommit off, so that a transaction begins with its first statement and not with a
 * round trip; lock_wait_timeout bounds the wait behind DDL (its default is a day). The optimiser is
 * not to look into the index for each of some hundred keys to choose a plan that is given:
 * eq_range_index_dive_limit, 4 to 12 % of the server's CPU a batch (docs/BENCHMARKS.md). */
static enum ste_code set_session(struct ste_shard *shard, struct ste_error *err)
{
    static const char *const by_role[STE_DB_ROLE_COUNT] = {
        [STE_DB_NODE] =
            (",autocommit=0,wait_timeout=10,innodb_lock_wait_timeout=3,"
             "lock_wait_timeout=3,auto_increment_increment=1,eq_range_index_dive_limit=1"),
        [STE_DB_MIGRATOR] = ",lock_wait_timeout=1",
        [STE_DB_CHECKER] = ",net_write_timeout=600,lock_wait_timeout=3",
    };
    char sql[512];
    int len = snprintf(sql, sizeof(sql),
                       "SET SESSION sql_mode='STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,"
                       "ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION',time_zone='+00:00'%s",
                       by_role[shard->role]);
    enum ste_code rc =
        ste_shard_run(shard, STE_BYTES("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED"),
                      "set the isolation level", err);
    if (rc == STE_OK)
        rc = ste_shard_run(shard, (struct ste_bytes){sql, (size_t)len}, "set the session", err);
    return rc;
}

/* max_allowed_packet, and what an operator should know about the server's settings. */
static enum ste_code server_row(void *context, char **values, const unsigned long *lengths,
                                struct ste_error *err)
{
    struct ste_shard *shard = context;
    const uint64_t packet = ste_shard_value_u64(values, lengths, 0);
    const uint64_t flush = ste_shard_value_u64(values, lengths, 1);
    const uint64_t read_only = ste_shard_value_u64(values, lengths, 2);
    (void)err;
    size_t used = packet > 4096 ? (size_t)packet - 1024 : (size_t)packet / 2;
    shard->packet_max = used < PACKET_USED_BYTES ? used : PACKET_USED_BYTES;
    if (flush != 1)
        snprintf(shard->warning, sizeof(shard->warning),
                 "innodb_flush_log_at_trx_commit is %llu, not 1: a crash of the server's machine "
                 "loses acknowledged messages",
                 (unsigned long long)flush);
    else if (read_only)
        snprintf(shard->warning, sizeof(shard->warning), "read_only is on: nothing can be stored");
    else if (packet < PACKET_WANTED_BYTES)
        snprintf(shard->warning, sizeof(shard->warning),
                 "max_allowed_packet is %llu: the largest exceptions need %d",
                 (unsigned long long)packet, PACKET_WANTED_BYTES);
    return STE_OK;
}

static enum ste_code login(struct ste_shard *shard, const struct ste_cluster *cluster,
                           const char *database, struct ste_error *err)
{
    const struct ste_shard_conf *conf = &cluster->shards[shard->number];
    const struct ste_login *user = &cluster->database.users[shard->role];
    char secret[SECRET_BYTES];
    enum ste_code rc = ste_secret_read(user->password_file, secret, sizeof(secret), err);
    if (rc != STE_OK)
        return rc;
    const uint64_t start_ns = ste_clock_mono_ns();
    MYSQL *done =
        mysql_real_connect(shard->db, conf->socket ? NULL : conf->host, user->user, secret,
                           database, conf->socket ? 0 : conf->port, conf->socket, 0);
    explicit_bzero(secret, sizeof(secret));
    shard->wait_ns += ste_clock_mono_ns() - start_ns;
    if (done)
        return STE_OK;
    unsigned number = mysql_errno(shard->db);
    const bool not_made = number == STE_SERVER_NO_DATABASE;
    rc = not_made ? STE_E_SHARD_SCHEMA : ste_shard_classify(number);
    shard->broken = true;
    return ste_error_set(err, rc, "could not open shard %u at %s as %s: %s (%u)%s", shard->number,
                         conf->socket ? conf->socket : conf->host, user->user,
                         mysql_error(shard->db), number, not_made ? ": run ste-admin migrate" : "");
}

enum ste_code ste_shard_connect(const struct ste_cluster *cluster, unsigned number,
                                enum ste_db_role role, const char *database, struct ste_shard **ret,
                                struct ste_error *err)
{
    enum ste_code rc = STE_OK;
    struct ste_shard *shard = NULL;
    if (number >= cluster->shard_count)
        return ste_error_set(err, STE_E_ARGUMENT, "shard %u: the map has %u", number,
                             cluster->shard_count);
    library_init_once();
    shard = calloc(1, sizeof(*shard));
    if (!shard)
        return ste_error_set(err, STE_E_NOMEM, "no memory for shard %u", number);
    shard->number = number;
    shard->role = role;
    shard->db = mysql_init(NULL);
    if (!shard->db || !set_options(shard->db, role, cluster->shards[number].socket != NULL)) {
        rc = ste_error_set(err, STE_E_NOMEM, "could not prepare a connection to shard %u", number);
        goto out;
    }
    rc = login(shard, cluster, database, err);
    if (rc != STE_OK)
        goto out;
    rc = set_session(shard, err);
    if (rc != STE_OK)
        goto out;
    rc = ste_shard_select(shard,
                          STE_BYTES("SELECT @@max_allowed_packet,"
                                    "@@innodb_flush_log_at_trx_commit,@@read_only"),
                          "read the server's settings", server_row, shard, err);
    if (rc == STE_OK)
        rc = ste_shard_end_read(shard, err);
    if (rc != STE_OK)
        goto out;
    *ret = shard;
    shard = NULL;
out:
    ste_shard_close(shard);
    return rc;
}

enum ste_code ste_shard_open(const struct ste_cluster *cluster, unsigned number,
                             enum ste_db_role role, struct ste_shard **ret, struct ste_error *err)
{
    struct ste_shard *shard = NULL;
    enum ste_code rc =
        ste_shard_connect(cluster, number, role, cluster->database.name, &shard, err);
    if (rc == STE_OK && role != STE_DB_MIGRATOR)
        rc = ste_shard_check_identity(shard, cluster, err);
    if (rc == STE_OK) {
        *ret = shard;
        shard = NULL;
    }
    ste_shard_close(shard);
    return rc;
}

void ste_shard_close(struct ste_shard *shard)
{
    if (!shard)
        return;
    ste_shard_drop_prepared(shard);
    mysql_close(shard->db);
    ste_packer_deinit(&shard->packer);
    ste_buf_deinit(&shard->sql);
    ste_buf_deinit(&shard->packed);
    free(shard);
}

enum ste_code ste_shard_ping(struct ste_shard *shard, struct ste_error *err)
{
    /* A statement, not COM_PING: it also tells when the server answers pings but no SQL. */
    return ste_shard_run(shard, STE_BYTES("DO 1"), "ping", err);
}

uint64_t ste_shard_wait_ns(const struct ste_shard *shard)
{
    return shard->wait_ns;
}

const char *ste_shard_warning(const struct ste_shard *shard)
{
    return shard->warning[0] ? shard->warning : NULL;
}

void ste_shard_compress(struct ste_shard *shard, bool on)
{
    shard->compress = on;
}
