/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/signals.h"

enum { LEDGER_GROUP_MS = 100, LEDGER_WAITING_BYTES_MAX = 8 << 20 };

struct ste_ledger {
    int fd;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t work, written;
    /* Under the mutex. `back` alone is the thread's while it writes. */
    struct ste_buf front, back;
    uint64_t added, on_disk; /* groups: bytes of group `added` wait in front */
    bool wanted;             /* somebody waits for the disk */
    bool closing;
    struct ste_error failure;
};

static bool write_whole(int fd, const char *at, size_t len)
{
    while (len > 0) {
        ssize_t written = write(fd, at, len);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        at += written;
        len -= (size_t)written;
    }
    return true;
}

static void wait_for_work(struct ste_ledger *ledger)
{
    while (ledger->front.len == 0 && !ledger->closing)
        (void)pthread_cond_wait(&ledger->work, &ledger->mutex);
    struct timespec until;
    (void)clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += LEDGER_GROUP_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    int rc = 0;
    while (rc != ETIMEDOUT && !ledger->wanted && !ledger->closing &&
           ledger->front.len < LEDGER_WAITING_BYTES_MAX / 2)
        rc = pthread_cond_timedwait(&ledger->work, &ledger->mutex, &until);
}

static void *write_groups(void *argument)
{
    struct ste_ledger *ledger = argument;
    (void)pthread_mutex_lock(&ledger->mutex);
    for (;;) {
        wait_for_work(ledger);
        if (ledger->front.len == 0 && ledger->closing)
            break;
        struct ste_buf taken = ledger->front;
        ledger->front = ledger->back;
        ledger->back = taken;
        uint64_t group = ledger->added++;
        ledger->wanted = false;
        (void)pthread_mutex_unlock(&ledger->mutex);
        bool good = write_whole(ledger->fd, ledger->back.at, ledger->back.len) &&
                    fdatasync(ledger->fd) == 0;
        int why = errno;
        ste_buf_clear(&ledger->back);
        (void)pthread_mutex_lock(&ledger->mutex);
        if (!good && ledger->failure.code == STE_OK)
            (void)ste_error_set(&ledger->failure, STE_E_FILE, "could not write the ledger: %s",
                                strerror(why));
        ledger->on_disk = group + 1;
        (void)pthread_cond_broadcast(&ledger->written);
    }
    (void)pthread_mutex_unlock(&ledger->mutex);
    return NULL;
}

/* Cuts the file behind its last line end. */
static bool cut_half_line(int fd)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return false;
    off_t end = info.st_size;
    char last = '\n';
    while (end > 0 && pread(fd, &last, 1, end - 1) == 1 && last != '\n')
        end--;
    return end == info.st_size || ftruncate(fd, end) == 0;
}

enum ste_code ste_ledger_open(const char *path, struct ste_ledger **ret, struct ste_error *err)
{
    struct ste_ledger *ledger = calloc(1, sizeof *ledger);
    if (!ledger)
        return ste_error_set(err, STE_E_NOMEM, "out of memory");
    ledger->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (ledger->fd < 0 || !cut_half_line(ledger->fd)) {
        enum ste_code rc =
            ste_error_set(err, STE_E_FILE, "could not open ledger %s: %s", path, strerror(errno));
        if (ledger->fd >= 0)
            (void)close(ledger->fd);
        free(ledger);
        return rc;
    }
    (void)pthread_mutex_init(&ledger->mutex, NULL);
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&ledger->work, &attributes);
    (void)pthread_cond_init(&ledger->written, &attributes);
    (void)pthread_condattr_destroy(&attributes);
    if (!ste_signals_start_thread(&ledger->thread, write_groups, ledger)) {
        (void)close(ledger->fd);
        free(ledger);
        return ste_error_set(err, STE_E_NOMEM, "could not start the ledger's thread");
    }
    *ret = ledger;
    return STE_OK;
}

static void append_escaped(struct ste_buf *buf, struct ste_bytes value)
{
    for (size_t i = 0; i < value.len; i++) {
        unsigned char byte = (unsigned char)value.at[i];
        if (byte <= ' ' || byte == 0x7f)
            ste_buf_printf(buf, "%%%02X", byte);
        else
            ste_buf_append(buf, value.at + i, 1);
    }
}

static void append_message(struct ste_buf *buf, size_t index, const struct ste_set_entry *entry)
{
    char key[2 * sizeof entry->trade_key.bytes + 1], sha[2 * sizeof entry->sha256_start + 1];
    ste_hex(entry->trade_key.bytes, sizeof entry->trade_key.bytes, key);
    ste_hex(entry->sha256_start, sizeof entry->sha256_start, sha);
    ste_buf_printf(buf, "M %zu %.8s %s ", index, entry->sender8, key);
    append_escaped(buf, (struct ste_bytes){entry->reference, entry->reference_len});
    ste_buf_append_cstr(buf, " ");
    ste_buf_append(buf, sha, sizeof sha - 1);
    ste_buf_append_cstr(buf, "\n");
}

/* Locks, and waits until there is room. */
static void begin_adding(struct ste_ledger *ledger)
{
    (void)pthread_mutex_lock(&ledger->mutex);
    while (ledger->front.len >= LEDGER_WAITING_BYTES_MAX) {
        (void)pthread_cond_signal(&ledger->work);
        (void)pthread_cond_wait(&ledger->written, &ledger->mutex);
    }
}

static enum ste_code end_adding(struct ste_ledger *ledger, bool was_empty, struct ste_error *err)
{
    if (ledger->front.failed && ledger->failure.code == STE_OK)
        (void)ste_error_set(&ledger->failure, STE_E_NOMEM, "out of memory");
    enum ste_code rc = ledger->failure.code;
    if (rc != STE_OK && err)
        *err = ledger->failure;
    if (was_empty || ledger->front.len >= LEDGER_WAITING_BYTES_MAX / 2)
        (void)pthread_cond_signal(&ledger->work);
    (void)pthread_mutex_unlock(&ledger->mutex);
    return rc;
}

enum ste_code ste_ledger_delivery(struct ste_ledger *ledger, const char *message_id,
                                  const struct ste_set_entry *entries, size_t count,
                                  uint64_t confirmed_us, struct ste_error *err)
{
    begin_adding(ledger);
    bool was_empty = ledger->front.len == 0;
    ste_buf_append_cstr(&ledger->front, "D ");
    append_escaped(&ledger->front, ste_bytes_of(message_id));
    ste_buf_printf(&ledger->front, " %zu %llu\n", count, (unsigned long long)confirmed_us);
    for (size_t i = 0; i < count; i++)
        append_message(&ledger->front, i, &entries[i]);
    return end_adding(ledger, was_empty, err);
}

enum ste_code ste_ledger_cls(struct ste_ledger *ledger, struct ste_bytes message_id,
                             uint64_t arrived_us, struct ste_error *err)
{
    begin_adding(ledger);
    bool was_empty = ledger->front.len == 0;
    ste_buf_append_cstr(&ledger->front, "C ");
    append_escaped(&ledger->front, message_id.len ? message_id : STE_BYTES("-"));
    ste_buf_printf(&ledger->front, " %llu\n", (unsigned long long)arrived_us);
    return end_adding(ledger, was_empty, err);
}

enum ste_code ste_ledger_sync(struct ste_ledger *ledger, struct ste_error *err)
{
    (void)pthread_mutex_lock(&ledger->mutex);
    /* What is being written now has number added-1; what waits will get number `added`. */
    uint64_t until = ledger->front.len > 0 ? ledger->added + 1 : ledger->added;
    while (ledger->on_disk < until) {
        ledger->wanted = true;
        (void)pthread_cond_signal(&ledger->work);
        (void)pthread_cond_wait(&ledger->written, &ledger->mutex);
    }
    enum ste_code rc = ledger->failure.code;
    if (rc != STE_OK && err)
        *err = ledger->failure;
    (void)pthread_mutex_unlock(&ledger->mutex);
    return rc;
}

enum ste_code ste_ledger_close(struct ste_ledger *ledger, struct ste_error *err)
{
    if (!ledger)
        return STE_OK;
    enum ste_code rc = ste_ledger_sync(ledger, err);
    (void)pthread_mutex_lock(&ledger->mutex);
    ledger->closing = true;
    (void)pthread_cond_signal(&ledger->work);
    (void)pthread_mutex_unlock(&ledger->mutex);
    (void)pthread_join(ledger->thread, NULL);
    if (close(ledger->fd) != 0 && rc == STE_OK)
        rc = ste_error_set(err, STE_E_FILE, "could not close the ledger: %s", strerror(errno));
    ste_buf_deinit(&ledger->front);
    ste_buf_deinit(&ledger->back);
    (void)pthread_cond_destroy(&ledger->work);
    (void)pthread_cond_destroy(&ledger->written);
    (void)pthread_mutex_destroy(&ledger->mutex);
    free(ledger);
    return rc;
}
