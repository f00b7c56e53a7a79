/* SPDX-License-Identifier: Apache-2.0
 * The driver's names and figures, without the broker. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/drive.h"

enum { KEY_ID_BYTES = 128, RUN_ID_BYTES = 16 };

double ste_drive_seconds(const struct ste_drive *drive)
{
    if (drive->last_confirm_ns <= drive->first_publish_ns)
        return 0;
    return (double)(drive->last_confirm_ns - drive->first_publish_ns) / 1e9;
}

void ste_drive_json(const struct ste_drive *drive, FILE *out)
{
    uint64_t messages = atomic_load(&drive->confirmed_messages);
    double seconds = ste_drive_seconds(drive);
    fprintf(out,
            "\"run_id\": \"%s\", \"batch\": %u, \"deliveries\": %llu, \"skipped_messages\": %llu, "
            "\"sent_messages\": %llu, \"sent_bytes\": %llu, "
            "\"send_seconds\": %.3f, \"sent_per_s\": %.0f, \"nacked\": %llu, \"returned\": %llu, "
            "\"resent\": %llu, \"reconnects\": %llu, \"driver_cpu_us_per_msg\": %.2f",
            drive->run_id, drive->batch, (unsigned long long)drive->deliveries,
            (unsigned long long)drive->skipped_messages, (unsigned long long)messages,
            (unsigned long long)drive->bytes, seconds,
            seconds > 0 ? (double)messages / seconds : 0.0, (unsigned long long)drive->nacked,
            (unsigned long long)drive->returned,
            (unsigned long long)(drive->nacked + drive->returned + drive->lost),
            (unsigned long long)drive->reconnects,
            messages ? (double)drive->cpu_ns / 1000.0 / (double)messages : 0.0);
}

bool ste_drive_key_id(const struct ste_cluster *cluster, const char *name, char *out)
{
    const char *hub = cluster->submit_hub;
    int len = -1;
    if (name && strchr(name, '/'))
        len = snprintf(out, KEY_ID_BYTES, "%s", name);
    else if (hub && name)
        len = snprintf(out, KEY_ID_BYTES, "%.*s/%s", (int)strcspn(hub, "/"), hub, name);
    else if (hub)
        len = snprintf(out, KEY_ID_BYTES, "%s", hub);
    if (len > 0 && len < KEY_ID_BYTES)
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
    (void)snprintf(out, RUN_ID_BYTES, "%010llx", (unsigned long long)(hash >> 24));
}
