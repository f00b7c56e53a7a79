/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/ledger.h"

struct done {
    struct ste_bytes run_id;
    uint8_t *bits;
    uint64_t count;
    uint64_t number, messages_left; /* of the delivery whose lines are being read */
};

static bool number_of(const struct done *done, struct ste_bytes id, uint64_t *ret)
{
    uint64_t number = 0;
    if (id.len <= done->run_id.len + 1 || memcmp(id.at, done->run_id.at, done->run_id.len) != 0 ||
        id.at[done->run_id.len] != '-')
        return false;
    for (size_t i = done->run_id.len + 1; i < id.len; i++) {
        if (id.at[i] < '0' || id.at[i] > '9' || number > done->count)
            return false;
        number = number * 10 + (uint64_t)(id.at[i] - '0');
    }
    *ret = number;
    return number < done->count;
}

static void on_delivery(void *context, struct ste_bytes id, uint64_t count, uint64_t confirmed_us)
{
    struct done *done = context;
    (void)confirmed_us;
    done->messages_left = number_of(done, id, &done->number) ? count : 0;
}

static void on_message(void *context, uint64_t index, struct ste_bytes sender8,
                       struct ste_bytes trade_key, struct ste_bytes reference,
                       struct ste_bytes sha256_start)
{
    struct done *done = context;
    (void)index;
    (void)sender8;
    (void)trade_key;
    (void)reference;
    (void)sha256_start;
    if (done->messages_left > 0 && --done->messages_left == 0)
        done->bits[done->number / 8] =
            (uint8_t)(done->bits[done->number / 8] | 1u << done->number % 8);
}

bool ste_ledger_run_id_is_good(const char *run_id)
{
    size_t len =
        strspn(run_id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-");
    return len >= 1 && len <= STE_RUN_ID_MAX && run_id[len] == '\0';
}

enum ste_code ste_ledger_done(const char *path, const char *run_id, uint64_t count,
                              uint8_t **ret_done, struct ste_error *err)
{
    struct done done = {.run_id = ste_bytes_of(run_id), .count = count};
    done.bits = calloc(1, count / 8 + 1);
    if (!done.bits)
        return ste_error_set(err, STE_E_NOMEM, "out of memory");
    const struct ste_ledger_reader reader = {
        .context = &done, .delivery = on_delivery, .message = on_message};
    enum ste_code rc = access(path, F_OK) == 0 ? ste_ledger_read(path, &reader, err) : STE_OK;
    if (rc == STE_OK)
        *ret_done = done.bits;
    else
        free(done.bits);
    return rc;
}
