/* SPDX-License-Identifier: Apache-2.0
 * Names in the broker (docs/WIRE.md). Formatters write at most STE_MQ_NAME_BYTES, NUL included. */
#ifndef STE_MQ_NAMES_H
#define STE_MQ_NAMES_H

#include "base/bytes.h"

enum { STE_MQ_NAME_BYTES = 64 };

#define STE_EXCHANGE_IN "ste.in"           /* fanout: any routing key */
#define STE_EXCHANGE_DLX "ste.dlx"         /* fanout */
#define STE_EXCHANGE_WORK "ste.work"       /* direct: <type>.<nn>, suspect.<nn> */
#define STE_EXCHANGE_OUT "ste.out"         /* topic: cls.<nn>, reply.<BIC8>, exc.<nn> */
#define STE_EXCHANGE_CONTROL "ste.control" /* topic */
#define STE_QUEUE_IN "ste.in"
#define STE_QUEUE_CLS "ste.cls"
#define STE_QUEUE_EXCEPTION "ste.exception"
#define STE_QUEUE_DEAD "ste.dead"

/* type is an index into ste_queue_types of conf/cluster.h. */
void ste_mq_work_key(unsigned type, unsigned shard, char *out);   /* "noe.03" */
void ste_mq_work_queue(unsigned type, unsigned shard, char *out); /* "ste.noe.03" */
void ste_mq_suspect_key(unsigned shard, char *out);               /* "suspect.03" */
void ste_mq_suspect_queue(unsigned shard, char *out);             /* "ste.suspect.03" */
void ste_mq_cls_key(unsigned shard, char *out);                   /* "cls.03" */
void ste_mq_exc_key(unsigned shard, char *out);                   /* "exc.03" */
void ste_mq_reply_key(const char bic8[static 8], char *out);      /* "reply.BROKSGSG" */
void ste_mq_reply_queue(const char bic8[static 8], char *out);    /* "ste.reply.BROKSGSG" */

#endif
