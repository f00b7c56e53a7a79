/* SPDX-License-Identifier: Apache-2.0
 * The drivers' names and figures, without the broker. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/drive_command.h"

double ste_drive_seconds(const struct ste_drive *drive)
{
    if (drive->last_confirm_ns <= drive->first_publish_ns)
        return 0;
    return (double)(drive->last_confirm_ns - drive->first_publish_ns) / 1e9;
}

void ste_drive_sum(const struct ste_drive *drives, size_t count, struct ste_drive *ret)
{
    struct ste_drive sum = drives[0];
    for (size_t i = 1; i < count; i++) {
        const struct ste_drive *drive = &drives[i];
        atomic_fetch_add(&sum.confirmed_messages, atomic_load(&drive->confirmed_messages));
        sum.deliveries += drive->deliveries;
        sum.bytes += drive->bytes;
        sum.nacked += drive->nacked;
        sum.returned += drive->returned;
        sum.reconnects += drive->reconnects;
        sum.lost += drive->lost;
        sum.cpu_ns += drive->cpu_ns;
        if (sum.first_publish_ns == 0 ||
            (drive->first_publish_ns != 0 && drive->first_publish_ns < sum.first_publish_ns))
            sum.first_publish_ns = drive->first_publish_ns;
        if (drive->last_confirm_ns > sum.last_confirm_ns)
            sum.last_confirm_ns = drive->last_confirm_ns;
    }
    *ret = sum;
}

void ste_drive_put(const struct ste_drive *sum, struct ste_facts *facts)
{
    uint64_t messages = atomic_load(&sum->confirmed_messages);
    double seconds = ste_drive_seconds(sum);
    ste_facts_text(facts, "run_id", sum->run_id);
    ste_facts_text(facts, "key", sum->key_id);
    ste_facts_bool(facts, "durable", !sum->transient);
    ste_facts_uint(facts, "batch", sum->batch);
    ste_facts_uint(facts, "rate", sum->schedule->rate);
    ste_facts_uint(facts, "deliveries", sum->deliveries);
    ste_facts_uint(facts, "sent_messages", messages);
    ste_facts_uint(facts, "sent_bytes", sum->bytes);
    ste_facts_double(facts, "send_seconds", seconds, 3);
    ste_facts_double(facts, "sent_per_s", seconds > 0 ? (double)messages / seconds : 0, 1);
    ste_facts_uint(facts, "nacked", sum->nacked);
    ste_facts_uint(facts, "returned", sum->returned);
    ste_facts_uint(facts, "resent", sum->nacked + sum->returned + sum->lost);
    ste_facts_uint(facts, "reconnects", sum->reconnects);
    ste_facts_double(facts, "driver_cpu_us_per_msg",
                     messages ? (double)sum->cpu_ns / 1000.0 / (double)messages : 0, 2);
}

bool ste_drive_key_id(const struct ste_cluster *cluster, const char *name, char *out)
{
    const char *hub = cluster->submit_hub;
    int len = -1;
    if (name && strchr(name, '/'))
        len = snprintf(out, STE_DRIVE_KEY_ID_BYTES, "%s", name);
    else if (hub && name)
        len = snprintf(out, STE_DRIVE_KEY_ID_BYTES, "%.*s/%s", (int)strcspn(hub, "/"), hub, name);
    else if (hub)
        len = snprintf(out, STE_DRIVE_KEY_ID_BYTES, "%s", hub);
    if (len > 0 && len < STE_DRIVE_KEY_ID_BYTES)
        return true;
    fprintf(stderr, "ste-bench: no key: the map has no submit.hub, or --key is too long\n");
    return false;
}

void ste_drive_run_id(char *out)
{
    struct {
        uint64_t wall_us, mono_ns;
        pid_t pid;
        unsigned zero; /* no padding: all bytes are hashed */
    } seed = {ste_clock_wall_us(), ste_clock_mono_ns(), getpid(), 0};
    uint64_t hash = ste_hash64_of((struct ste_bytes){(const char *)&seed, sizeof seed});
    (void)snprintf(out, STE_DRIVE_RUN_ID_BYTES, "%010llx", (unsigned long long)(hash >> 24));
}
