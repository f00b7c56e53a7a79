/* SPDX-License-Identifier: Apache-2.0
 * The header of rabbitmq-c: <amqp.h> up to 0.11, <rabbitmq-c/amqp.h> from 0.12 on. */
#ifndef STE_MQ_RABBITMQ_H
#define STE_MQ_RABBITMQ_H

#if __has_include(<rabbitmq-c/amqp.h>)
#include <rabbitmq-c/amqp.h>
#include <rabbitmq-c/framing.h>
#else
#include <amqp.h>
#include <amqp_framing.h>
#endif

#endif
