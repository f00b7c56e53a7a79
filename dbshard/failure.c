/* SPDX-License-Identifier: Apache-2.0 */
#include "dbshard/failure.h"

#include <errmsg.h>
#include <stdbool.h>
#include <stddef.h>

/* Numbers, not names: the client's headers know only some of the servers' errors. Server errors
 * that are not listed are STE_E_SHARD_REFUSED: nothing is gained by sending the same again. */
static const struct {
    unsigned number;
    enum ste_code code;
} failures[] = {
    /* the transaction lost against another one */
    {1213, STE_E_SHARD_DEADLOCK},     /* deadlock found */
    {1020, STE_E_SHARD_DEADLOCK},     /* MariaDB: record has changed since last read */
    {1615, STE_E_SHARD_DEADLOCK},     /* prepared statement overtaken by DDL too often */
    {1205, STE_E_SHARD_LOCK_TIMEOUT}, /* lock wait timeout, row or metadata */
    {1969, STE_E_SHARD_LOCK_TIMEOUT}, /* MariaDB: max_statement_time */
    {3024, STE_E_SHARD_LOCK_TIMEOUT}, /* MySQL: max_execution_time */
    {1317, STE_E_SHARD_LOCK_TIMEOUT}, /* statement killed */
    /* no room, or not writable now */
    {1021, STE_E_SHARD_FULL}, /* disk full */
    {1026, STE_E_SHARD_FULL}, /* error writing a file */
    {1030, STE_E_SHARD_FULL}, /* error from the storage engine, 28 is no space */
    {1037, STE_E_SHARD_FULL}, /* out of memory */
    {1038, STE_E_SHARD_FULL}, /* out of sort memory */
    {1041, STE_E_SHARD_FULL}, /* out of resources */
    {1114, STE_E_SHARD_FULL}, /* table is full */
    {1206, STE_E_SHARD_FULL}, /* lock table is full */
    {1290, STE_E_SHARD_FULL}, /* --read-only and its like */
    {1792, STE_E_SHARD_FULL}, /* read-only transaction */
    {1836, STE_E_SHARD_FULL}, /* running in read-only mode */
    {1878, STE_E_SHARD_FULL}, /* temporary file write */
    /* this row */
    {1048, STE_E_SHARD_ROW}, /* column cannot be NULL */
    {1062, STE_E_SHARD_ROW}, /* duplicate key */
    {1118, STE_E_SHARD_ROW}, /* row too large */
    {1264, STE_E_SHARD_ROW}, /* out of range */
    {1265, STE_E_SHARD_ROW}, /* data truncated */
    {1292, STE_E_SHARD_ROW}, /* wrong value */
    {1301, STE_E_SHARD_ROW}, /* result larger than max_allowed_packet */
    {1366, STE_E_SHARD_ROW}, /* wrong value for column */
    {1406, STE_E_SHARD_ROW}, /* too long for column */
    {1526, STE_E_SHARD_ROW}, /* no partition for this date */
    {CR_NET_PACKET_TOO_LARGE, STE_E_SHARD_ROW},
    /* the connection */
    {1040, STE_E_SHARD_DOWN}, /* too many connections */
    {1053, STE_E_SHARD_DOWN}, /* shutdown in progress */
    {1077, STE_E_SHARD_DOWN}, /* normal shutdown */
    {1129, STE_E_SHARD_DOWN}, /* host blocked after many errors */
    {1152, STE_E_SHARD_DOWN}, /* aborted connection */
    {1153, STE_E_SHARD_DOWN}, /* packet too large: the server hangs up */
    {1156, STE_E_SHARD_DOWN}, /* packets out of order */
    {1158, STE_E_SHARD_DOWN}, /* read error */
    {1159, STE_E_SHARD_DOWN}, /* read timeout */
    {1160, STE_E_SHARD_DOWN}, /* write error */
    {1161, STE_E_SHARD_DOWN}, /* write timeout */
    {1184, STE_E_SHARD_DOWN}, /* aborted connection */
    {1203, STE_E_SHARD_DOWN}, /* the user has too many connections */
    {1226, STE_E_SHARD_DOWN}, /* the user's limit is reached */
    {1243, STE_E_SHARD_DOWN}, /* prepared statement not known: another session answers */
    {1927, STE_E_SHARD_DOWN}, /* connection was killed */
    {4031, STE_E_SHARD_DOWN}, /* MySQL: idle for wait_timeout */
    {CR_OUT_OF_MEMORY, STE_E_NOMEM},
    {CR_AUTH_PLUGIN_CANNOT_LOAD, STE_E_SHARD_REFUSED},
};

enum ste_code ste_shard_classify(unsigned number)
{
    for (size_t i = 0; i < sizeof(failures) / sizeof(failures[0]); i++) {
        if (failures[i].number == number)
            return failures[i].code;
    }
    /* The client's own errors are about the connection: after each of them its state
     * is unknown. */
    bool client = (number >= CR_MIN_ERROR && number <= CR_MAX_ERROR) ||
                  (number >= CER_MIN_ERROR && number <= CER_MAX_ERROR);
    return client ? STE_E_SHARD_DOWN : STE_E_SHARD_REFUSED;
}
