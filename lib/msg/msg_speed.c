/* SPDX-License-Identifier: Apache-2.0
 * ste-msg-speed: what a message of 1,500 bytes costs in this library, in microseconds of one
 * thread's CPU. A measurement, never a test. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "msg/record.h"
#include "msg/signature.h"
#include "msg/testkeys.h"
#include "msg/xml.h"

enum { MESSAGE_BYTES = 1500, BATCH = 64, ROUNDS = 20000, ED25519_ROUNDS = 2000 };

static const char message_head[] =
    "<TradeMessage xmlns=\"urn:ste:trade:1\" type=\"NPR\" function=\"NEWM\">\n"
    "  <Reference>BRK-P-000000123-1</Reference>\n"
    "  <Sender>BROKSGSG</Sender>\n"
    "  <Receiver>INVMSGSG</Receiver>\n"
    "  <CreatedAt>2026-11-30T09:15:02.123456Z</CreatedAt>\n"
    "  <TradeReference>SGX20261130000123</TradeReference>\n"
    "  <TradeDate>2026-11-30</TradeDate>\n"
    "  <SettlementDate>2026-12-02</SettlementDate>\n"
    "  <Direction>BUYI</Direction>\n"
    "  <Payment>APMT</Payment>\n"
    "  <Instrument>SG1L01001701</Instrument>\n"
    "  <Quantity unit=\"UNIT\">600</Quantity>\n"
    "  <Price type=\"ACTU\" currency=\"SGD\">37.52</Price>\n"
    "  <GrossAmount currency=\"SGD\">22512.00</GrossAmount>\n"
    "  <Commission currency=\"SGD\">22.51</Commission>\n"
    "  <SettlementAmount currency=\"SGD\">22534.51</SettlementAmount>\n"
    "  <Broker>BROKSGSG</Broker>\n"
    "  <Manager>INVMSGSG</Manager>\n"
    "  <Account>SAFE-0001</Account>\n"
    "  <PlaceOfSettlement>CDPLSGSG</PlaceOfSettlement>\n"
    "  <Country>SG</Country>\n"
    "  <Narrative>";
static const char message_tail[] = "</Narrative>\n</TradeMessage>\n";

struct speed {
    struct ste_xml *xml;
    struct ste_arena *arena;
    struct ste_buf single, batch, records;
    struct ste_match_key match_key;
};

static bool make_bodies(struct speed *speed)
{
    size_t padding = MESSAGE_BYTES - (sizeof(message_head) + sizeof(message_tail) - 2);
    ste_buf_append_cstr(&speed->single, message_head);
    for (size_t i = 0; i < padding; i++)
        ste_buf_append_cstr(&speed->single, i % 8 ? "x" : " ");
    ste_buf_append_cstr(&speed->single, message_tail);
    ste_buf_append_cstr(&speed->batch, "<TradeMessages>\n");
    for (int i = 0; i < BATCH; i++)
        ste_buf_append_bytes(&speed->batch, ste_buf_bytes(&speed->single));
    ste_buf_append_cstr(&speed->batch, "</TradeMessages>\n");
    return !speed->single.failed && !speed->batch.failed;
}

static void report(const char *what, uint64_t start_ns, unsigned messages)
{
    double us = (double)(ste_clock_thread_cpu_ns() - start_ns) / 1000.0;
    printf("%-34s %8.2f us/message\n", what, us / messages);
}

/* Decodes `body` `rounds` times; with `encode` also identifies and encodes. */
static bool run_decode(struct speed *speed, const char *what, struct ste_bytes body,
                       unsigned rounds, bool encode)
{
    uint64_t start = ste_clock_thread_cpu_ns();
    unsigned messages = 0;
    for (unsigned i = 0; i < rounds; i++) {
        struct ste_message *message = NULL;
        size_t count = 0;
        ste_arena_reset(speed->arena);
        ste_buf_clear(&speed->records);
        if (ste_xml_decode(speed->xml, body, speed->arena, &message, &count, NULL) != STE_OK)
            return false;
        for (size_t k = 0; k < count && encode; k++) {
            struct ste_trade_id id;
            struct ste_record record = {.message = message[k],
                                        .delivery_id = STE_BYTES("0123456789abcdef"),
                                        .key_id = STE_BYTES("hub"),
                                        .signer = STE_BYTES("STEHSGSG")};
            if (!ste_trade_identify(&message[k], &speed->match_key, speed->arena, &id))
                return false;
            record.slot = id.slot;
            if (!ste_record_encode(&speed->records, &record))
                return false;
        }
        messages += (unsigned)count;
    }
    report(what, start, messages);
    return true;
}

static bool run_record_decode(struct speed *speed)
{
    uint64_t start = ste_clock_thread_cpu_ns(), hashes = 0;
    unsigned messages = 0;
    for (unsigned i = 0; i < ROUNDS / BATCH; i++) {
        struct ste_reader reader = ste_reader_of(ste_buf_bytes(&speed->records));
        ste_arena_reset(speed->arena);
        for (bool done = false;;) {
            struct ste_record record;
            if (ste_record_decode(&reader, speed->arena, &record, &done, NULL) != STE_OK)
                return false;
            if (done)
                break;
            hashes += record.slot;
            messages++;
        }
    }
    report("record decode", start, messages);
    struct ste_reader reader = ste_reader_of(ste_buf_bytes(&speed->records));
    struct ste_record record;
    bool done = false;
    if (ste_record_decode(&reader, speed->arena, &record, &done, NULL) != STE_OK || done)
        return false;
    start = ste_clock_thread_cpu_ns();
    for (unsigned i = 0; i < ROUNDS; i++)
        hashes ^= ste_message_content64(&record.message) + ste_message_identity64(&record.message);
    report("content and identity hashes", start, ROUNDS);
    printf("%-34s %8zu bytes (message %zu)\n", "record", speed->records.len / BATCH,
           record.message.original.len);
    return hashes != 1;
}

static bool run_verify(const struct speed *speed, enum ste_algorithm algorithm,
                       const char *private_file, const char *public_file, const char *what,
                       unsigned rounds)
{
    struct ste_signer *signer = NULL;
    struct ste_verifier *verifier = NULL;
    struct ste_verify_context *context = ste_verify_context_new();
    char signature[STE_SIGNATURE_TEXT_BYTES];
    bool good = context && ste_signer_load(algorithm, private_file, &signer, NULL) == STE_OK &&
                ste_verifier_load(algorithm, public_file, &verifier, NULL) == STE_OK &&
                ste_sign(signer, ste_buf_bytes(&speed->single), signature, NULL) == STE_OK;
    uint64_t start = ste_clock_thread_cpu_ns();
    for (unsigned i = 0; i < rounds && good; i++) {
        size_t bad = 0;
        good = ste_verify(context, verifier, ste_buf_bytes(&speed->single), ste_bytes_of(signature),
                          &bad);
    }
    if (good)
        report(what, start, rounds);
    start = ste_clock_thread_cpu_ns();
    uint8_t digest[32];
    for (unsigned i = 0; i < rounds && good; i++)
        good = ste_verify_sha256(context, ste_buf_bytes(&speed->single), digest);
    if (good && algorithm == STE_HMAC_SHA256)
        report("sha-256 of the body", start, rounds);
    ste_signer_free(signer);
    ste_verifier_free(verifier);
    ste_verify_context_free(context);
    return good;
}

static bool run_signatures(const struct speed *speed)
{
    struct testkeys keys;
    bool good = testkeys_make(&keys) &&
                run_verify(speed, STE_HMAC_SHA256, keys.secret, keys.secret, "verify hmac-sha256",
                           ROUNDS) &&
                run_verify(speed, STE_ED25519, keys.private_pem, keys.public_pem, "verify ed25519",
                           ED25519_ROUNDS);
    testkeys_remove(&keys);
    return good;
}

int main(void)
{
    struct speed speed = {.xml = ste_xml_new(), .arena = ste_arena_new(0)};
    const char *match_key = "TradeReference";
    bool good = speed.xml && speed.arena && make_bodies(&speed) &&
                ste_match_key_init(&speed.match_key, &match_key, 1);
    struct ste_bytes single = ste_buf_bytes(&speed.single), batch = ste_buf_bytes(&speed.batch);
    good = good && run_decode(&speed, "decode, singles", single, ROUNDS, false) &&
           run_decode(&speed, "decode+identify+encode, singles", single, ROUNDS, true) &&
           run_decode(&speed, "decode, batches of 64", batch, ROUNDS / BATCH, false) &&
           run_decode(&speed, "decode+identify+encode, batches", batch, ROUNDS / BATCH, true) &&
           run_record_decode(&speed) && run_signatures(&speed);
    if (!good)
        fprintf(stderr, "ste-msg-speed: failed\n");
    ste_buf_deinit(&speed.single);
    ste_buf_deinit(&speed.batch);
    ste_buf_deinit(&speed.records);
    ste_arena_free(speed.arena);
    ste_xml_free(speed.xml);
    return good ? 0 : 1;
}
