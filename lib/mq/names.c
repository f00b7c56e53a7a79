/* SPDX-License-Identifier: Apache-2.0 */
#include "mq/names.h"

#include <stdio.h>

#include "conf/cluster.h"

void ste_mq_work_key(unsigned type, unsigned shard, char *out)
{
    snprintf(out, STE_MQ_NAME_BYTES, "%s.%02u", ste_queue_types[type], shard);
}

void ste_mq_work_queue(unsigned type, unsigned shard, char *out)
{
    snprintf(out, STE_MQ_NAME_BYTES, "ste.%s.%02u", ste_queue_types[type], shard);
}

void ste_mq_suspect_key(unsigned shard, char *out)
{
    snprintf(out, STE_MQ_NAME_BYTES, "suspect.%02u", shard);
}

void ste_mq_suspect_queue(unsigned shard, char *out)
{
    snprintf(out, STE_MQ_NAME_BYTES, "ste.suspect.%02u", shard);
}

void ste_mq_cls_key(unsigned shard, char *out)
{
    snprintf(out, STE_MQ_NAME_BYTES, "cls.%02u", shard);
}

void ste_mq_exc_key(unsigned shard, char *out)
{
    snprintf(out, STE_MQ_NAME_BYTES, "exc.%02u", shard);
}

void ste_mq_reply_key(const char bic8[static 8], char *out)
{
    snprintf(out, STE_MQ_NAME_BYTES, "reply.%.8s", bic8);
}

void ste_mq_reply_queue(const char bic8[static 8], char *out)
{
    snprintf(out, STE_MQ_NAME_BYTES, "ste.reply.%.8s", bic8);
}
