/* SPDX-License-Identifier: Apache-2.0 */
#include "router/decode.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "router/verify.h"

enum ste_code ste_decoder_init(struct ste_decoder *decoder, struct ste_daemon *daemon,
                               unsigned worker, struct ste_error *err)
{
    *decoder = (struct ste_decoder){.cluster = daemon->cluster, .ref = daemon->ref};
    decoder->xml = ste_xml_new();
    decoder->verify = ste_verify_context_new();
    if (decoder->xml == NULL || decoder->verify == NULL) {
        ste_decoder_deinit(decoder);
        return ste_error_set(err, STE_E_NOMEM, "could not make a decoder");
    }
    snprintf(decoder->id_prefix, sizeof(decoder->id_prefix), "%s.%llx.%u", daemon->name,
             (unsigned long long)ste_clock_wall_us(), worker);
    return STE_OK;
}

void ste_decoder_deinit(struct ste_decoder *decoder)
{
    ste_xml_free(decoder->xml);
    ste_verify_context_free(decoder->verify);
    decoder->xml = NULL;
    decoder->verify = NULL;
}

/* What every record of one delivery shares. */
static struct ste_record record_of(struct ste_decoder *decoder,
                                   const struct ste_mq_delivery *delivery,
                                   const struct ste_key *key, struct ste_arena *arena)
{
    struct ste_record record = {.version = STE_RECORD_VERSION,
                                .map_epoch = decoder->cluster->map_epoch,
                                .delivery_id = delivery->message_id,
                                .key_id = delivery->key_id,
                                .received_us = ste_clock_wall_us()};
    if (record.delivery_id.len == 0)
        record.delivery_id = ste_bytes_of(ste_arena_printf(
            arena, "%s.%llu", decoder->id_prefix, (unsigned long long)++decoder->ids_given));
    if (key != NULL)
        record.signer = ste_bytes_of(key->participant->bic8);
    ste_sha256(delivery->body, record.signed_sha256);
    return record;
}

static struct ste_bytes kept_of(struct ste_bytes body)
{
    if (body.len > STE_DELIVERY_BYTES_MAX)
        body.len = STE_EXC_RAW_BYTES_MAX;
    return body;
}

/* A wrong signature refuses the whole delivery; a passed limit of the whole delivery comes first. */
static void refuse_whole(const struct ste_mq_delivery *delivery, struct ste_finding refusal,
                         struct ste_message *messages, size_t count, struct ste_message *ret)
{
    const bool limit = count == 1 && messages[0].exc.code == STE_C_XLIM;
    *ret = (struct ste_message){.type = STE_TYPE_EXC,
                                .original = kept_of(delivery->body),
                                .exc = limit ? messages[0].exc : refusal};
}

/* Path stop 3. */
enum ste_code ste_decode_delivery(struct ste_decoder *decoder,
                                  const struct ste_mq_delivery *delivery, struct ste_arena *arena,
                                  struct ste_record **ret, size_t *ret_count,
                                  struct ste_error *err)
{
    struct ste_finding refusal = {0};
    const struct ste_key *const key =
        ste_verify_delivery(decoder->ref, decoder->cluster->business_date, decoder->verify,
                            delivery, arena, &refusal);
    struct ste_message *messages = NULL;
    size_t count = 0;
    const enum ste_code rc =
        ste_xml_decode(decoder->xml, delivery->body, arena, &messages, &count, err);
    if (rc != STE_OK)
        return rc;

    struct ste_message whole;
    if (key == NULL) {
        refuse_whole(delivery, refusal, messages, count, &whole);
        messages = &whole;
        count = 1;
    }
    struct ste_record *const records = STE_ARENA_ARRAY(arena, struct ste_record, count);
    if (records == NULL)
        return ste_error_set(err, STE_E_NOMEM, "could not keep %zu records", count);
    const struct ste_record common = record_of(decoder, delivery, key, arena);
    for (size_t i = 0; i < count; i++) {
        if (key != NULL)
            ste_verify_sender(key->participant, &messages[i], arena);
        records[i] = common;
        records[i].message = messages[i];
    }
    *ret = records;
    *ret_count = count;
    return STE_OK;
}

static void refuse_crashed(struct ste_record *record, struct ste_bytes queue,
                           struct ste_arena *arena)
{
    record->message.exc = (struct ste_finding){
        .code = STE_C_XCRS,
        .level = STE_LEVEL_REJECT,
        .text = ste_bytes_of(ste_arena_printf(arena, "given up in queue %.*s after its delivery limit",
                                              (int)queue.len, queue.at))};
    record->message.type = STE_TYPE_EXC;
}

enum ste_code ste_decode_dead(struct ste_decoder *decoder, const struct ste_mq_delivery *delivery,
                              struct ste_arena *arena, struct ste_record **ret, size_t *ret_count,
                              struct ste_error *err)
{
    const size_t capacity = delivery->body.len / 4 + 1; /* each record has its length before it */
    const size_t limit = capacity < 4096 ? capacity : 4096;
    struct ste_record *const records = STE_ARENA_ARRAY(arena, struct ste_record, limit);
    if (records == NULL)
        return ste_error_set(err, STE_E_NOMEM, "could not keep %zu records", limit);
    struct ste_reader reader = ste_reader_of(delivery->body);
    size_t count = 0;
    enum ste_code rc = STE_OK;
    bool done = false;
    while (count + 1 < limit) {
        rc = ste_record_decode(&reader, arena, &records[count], &done, err);
        if (rc != STE_OK || done)
            break;
        refuse_crashed(&records[count++], delivery->death_queue, arena);
    }
    if (rc == STE_E_NOMEM)
        return rc;
    if (!done) { /* damaged, or of a newer version: what is left is kept as it is */
        records[count] = record_of(decoder, delivery, NULL, arena);
        records[count].message.original =
            (struct ste_bytes){reader.at, (size_t)(reader.end - reader.at)};
        if (records[count].message.original.len == 0)
            records[count].message.original = delivery->body;
        refuse_crashed(&records[count++], delivery->death_queue, arena);
    }
    *ret = records;
    *ret_count = count;
    return STE_OK;
}
