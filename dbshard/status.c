/* SPDX-License-Identifier: Apache-2.0 */
#include "dbshard/status.h"

#include "dbshard/internal.h"

static const struct {
    enum ste_shard_status_id id;
    const char *name;
} variables[] = {
#define X(id, variable) {id, variable},
#include "dbshard/status.def"
#undef X
};

static const char variables_sql[] = "SHOW GLOBAL STATUS WHERE Variable_name IN (''"
#define X(id, variable) ",'" variable "'"
#include "dbshard/status.def"
#undef X
                                    ")";

static enum ste_code variable_row(void *context, char **values, const unsigned long *lengths,
                                  struct ste_error *err)
{
    struct ste_shard_status *status = context;
    const struct ste_bytes name = ste_shard_value(values, lengths, 0);
    (void)err;
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        if (!ste_bytes_equal(name, ste_bytes_of(variables[i].name)))
            continue;
        status->values[variables[i].id] += ste_shard_value_u64(values, lengths, 1);
        status->known[variables[i].id] = true;
    }
    return STE_OK;
}

static enum ste_code messages_row(void *context, char **values, const unsigned long *lengths,
                                  struct ste_error *err)
{
    struct ste_shard_status *status = context;
    (void)err;
    status->values[STE_STATUS_MESSAGES] = ste_shard_value_u64(values, lengths, 0);
    status->known[STE_STATUS_MESSAGES] = true;
    return STE_OK;
}

enum ste_code ste_shard_status(struct ste_shard *shard, struct ste_shard_status *ret,
                               struct ste_error *err)
{
    struct ste_shard_status status = {0};
    enum ste_code rc = ste_shard_select(shard, ste_bytes_of(variables_sql), "read the counters",
                                        variable_row, &status, err);
    if (rc == STE_OK)
        rc = ste_shard_select(shard, STE_BYTES("SELECT MAX(id) FROM message"),
                              "read the highest message", messages_row, &status, err);
    if (rc == STE_OK)
        rc = ste_shard_end_read(shard, err);
    if (rc == STE_OK)
        *ret = status;
    return rc;
}
