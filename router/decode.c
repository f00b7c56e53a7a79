/* SPDX-License-Identifier: Apache-2.0 */
#include "router/decode.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "router/verify.h"

enum { DEAD_RECORDS_MAX = 4096 }; /* of one dead letter; the router itself gathers far fewer */

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
    ste_packer_deinit(&decoder->packer);
    decoder->xml = NULL;
    decoder->verify = NULL;
}

/* What every record of one delivery shares. */
static enum ste_code share_record(struct ste_decoder *decoder,
                                  const struct ste_mq_delivery *delivery, const struct ste_key *key,
                                  struct ste_arena *arena, struct ste_record *ret,
                                  struct ste_error *err)
{
    struct ste_record record = {.version = STE_RECORD_VERSION,
                                .map_epoch = decoder->cluster->map_epoch,
                                .delivery_id = delivery->message_id,
                                .key_id = delivery->key_id,
                                .received_us = ste_clock_wall_us(),
                                .signed_bytes = (uint32_t)delivery->body.len};
    if (record.delivery_id.len == 0)
        record.delivery_id = ste_bytes_of(ste_arena_printf(
            arena, "%s.%llu", decoder->id_prefix, (unsigned long long)++decoder->ids_given));
    if (key != NULL)
        record.signer = ste_bytes_of(key->participant->bic8);
    if (record.delivery_id.len == 0 ||
        !ste_verify_sha256(decoder->verify, delivery->body, record.signed_sha256))
        return ste_error_set(err, STE_E_NOMEM, "could not make a record");
    *ret = record;
    return STE_OK;
}

static struct ste_bytes kept_of(struct ste_bytes body)
{
    if (body.len > STE_DELIVERY_BYTES_MAX)
        body.len = STE_EXC_RAW_BYTES_MAX;
    return body;
}

/* A wrong signature refuses the whole delivery; a passed limit of the whole comes first. */
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
                                  struct ste_record **ret, size_t *ret_count, struct ste_error *err)
{
    struct ste_finding refusal = {0};
    const struct ste_key *const key = ste_verify_delivery(
        decoder->ref, decoder->cluster->business_date, decoder->verify, delivery, arena, &refusal);
    struct ste_message *messages = NULL;
    size_t count = 0;
    struct ste_record common;
    enum ste_code rc = ste_xml_decode(decoder->xml, delivery->body, arena, &messages, &count, err);
    if (rc == STE_OK)
        rc = share_record(decoder, delivery, key, arena, &common, err);
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
    for (size_t i = 0; i < count; i++) {
        if (key != NULL && !ste_verify_sender(key->participant, &messages[i], arena))
            return ste_error_set(err, STE_E_NOMEM, "could not refuse a sender");
        records[i] = common;
        records[i].message = messages[i];
    }
    *ret = records;
    *ret_count = count;
    return STE_OK;
}

static bool refuse_crashed(struct ste_record *record, struct ste_bytes queue,
                           struct ste_arena *arena)
{
    const char *const text = ste_arena_printf(
        arena, "given up in queue %.*s after its delivery limit", (int)queue.len, queue.at);
    record->message.exc = (struct ste_finding){
        .code = STE_C_XCRS, .level = STE_LEVEL_REJECT, .text = ste_bytes_of(text)};
    record->message.type = STE_TYPE_EXC;
    return text != NULL;
}

/* What cannot be read, is of a newer version or one too many is kept as it is, in one exception. */
static enum ste_code keep_rest(struct ste_decoder *decoder, const struct ste_mq_delivery *delivery,
                               struct ste_bytes rest, struct ste_arena *arena,
                               struct ste_record *ret, struct ste_error *err)
{
    const enum ste_code rc = share_record(decoder, delivery, NULL, arena, ret, err);
    if (rc == STE_OK)
        ret->message.original = rest;
    return rc;
}

enum ste_code ste_decode_dead(struct ste_decoder *decoder, const struct ste_mq_delivery *delivery,
                              struct ste_arena *arena, struct ste_record **ret, size_t *ret_count,
                              struct ste_error *err)
{
    struct ste_bytes body = delivery->body;
    const enum ste_code unpacked =
        ste_unpack_if_packed(&decoder->packer, delivery->body, arena, &body, err);
    if (unpacked != STE_OK && unpacked != STE_E_PARSE) /* damaged: kept as it is */
        return unpacked;
    const size_t capacity = body.len / 4 + 1; /* each record has its length before it */
    const size_t limit = capacity < DEAD_RECORDS_MAX ? capacity : DEAD_RECORDS_MAX;
    struct ste_record *const records = STE_ARENA_ARRAY(arena, struct ste_record, limit);
    if (records == NULL)
        return ste_error_set(err, STE_E_NOMEM, "could not keep %zu records", limit);
    struct ste_reader reader = ste_reader_of(body);
    const char *from = reader.at;
    size_t count = 0;
    bool done = false;
    while (count + 1 < limit) {
        const enum ste_code rc = ste_record_decode(&reader, arena, &records[count], &done, err);
        if (rc == STE_E_NOMEM)
            return rc;
        if (rc != STE_OK || done)
            break;
        count++;
        from = reader.at;
    }
    if (!done) {
        const struct ste_bytes rest = {from, (size_t)(reader.end - from)};
        const enum ste_code rc = keep_rest(decoder, delivery, rest, arena, &records[count], err);
        if (rc != STE_OK)
            return rc;
        count++;
    }
    for (size_t i = 0; i < count; i++)
        if (!refuse_crashed(&records[i], delivery->death_queue, arena))
            return ste_error_set(err, STE_E_NOMEM, "could not refuse a record");
    *ret = records;
    *ret_count = count;
    return STE_OK;
}
