/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/set.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char set_magic[8] = "STESET\0";

static FILE *open_in(const char *folder, const char *name, const char *mode, struct ste_error *err)
{
    char path[4096];
    int len = snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = len > 0 && (size_t)len < sizeof path ? fopen(path, mode) : NULL;
    if (!file)
        (void)ste_error_set(err, STE_E_FILE, "could not open %s/%s: %s", folder, name,
                            strerror(errno));
    return file;
}

enum ste_code ste_set_create(struct ste_set_writer *writer, const char *folder,
                             const struct ste_set_header *header, struct ste_error *err)
{
    *writer = (struct ste_set_writer){.header = *header};
    memcpy(writer->header.magic, set_magic, sizeof set_magic);
    writer->header.version = STE_SET_VERSION;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return ste_error_set(err, STE_E_FILE, "could not make folder %s: %s", folder,
                             strerror(errno));
    writer->folder = strdup(folder);
    if (!writer->folder)
        return ste_error_set(err, STE_E_NOMEM, "out of memory");
    writer->messages = open_in(folder, "set.ste", "we", err);
    writer->index = writer->messages ? open_in(folder, "set.idx", "we", err) : NULL;
    if (!writer->index) {
        ste_set_abandon(writer);
        return STE_E_FILE;
    }
    (void)setvbuf(writer->messages, NULL, _IOFBF, 1 << 20);
    (void)setvbuf(writer->index, NULL, _IOFBF, 1 << 18);
    /* Zeros until ste_set_finish: a set that was not finished has no magic. */
    static const struct ste_set_header blank;
    if (fwrite(&blank, sizeof blank, 1, writer->index) != 1) {
        ste_set_abandon(writer);
        return ste_error_set(err, STE_E_FILE, "could not write %s/set.idx", folder);
    }
    return STE_OK;
}

enum ste_code ste_set_add(struct ste_set_writer *writer, struct ste_bytes message,
                          const struct ste_set_entry *entry, struct ste_error *err)
{
    uint32_t length = htole32((uint32_t)message.len);
    if (fwrite(&length, sizeof length, 1, writer->messages) != 1 ||
        fwrite(message.at, message.len, 1, writer->messages) != 1 ||
        fwrite(entry, sizeof *entry, 1, writer->index) != 1)
        return ste_error_set(err, STE_E_FILE, "could not write the set in %s: %s", writer->folder,
                             strerror(errno));
    ste_set_count(&writer->header, entry->flags);
    writer->header.bytes += message.len;
    return STE_OK;
}

void ste_set_count(struct ste_set_header *header, unsigned flags)
{
    header->messages++;
    if (flags & STE_SET_REPEAT)
        header->repeats++;
    else if (flags & STE_SET_REFUSED)
        header->refused++;
    else
        header->stored++;
    header->late += (flags & STE_SET_LATE) != 0;
    header->alone += (flags & STE_SET_ALONE) != 0;
}

static void put_header(struct ste_json_writer *json, const struct ste_set_header *header)
{
    char date[STE_DATE_TEXT_BYTES];
    ste_date_format(header->trade_date, date);
    ste_json_put_uint(json, "trades", header->trades);
    ste_json_put_uint(json, "messages", header->messages);
    ste_json_put_uint(json, "cls", header->cls);
    ste_json_put_uint(json, "stored", header->stored);
    ste_json_put_uint(json, "refused", header->refused);
    ste_json_put_uint(json, "duplicates", header->repeats);
    ste_json_put_uint(json, "mismatched", header->mismatched);
    ste_json_put_uint(json, "late", header->late);
    ste_json_put_uint(json, "bytes", header->bytes);
    ste_json_put_uint(json, "seed", header->seed);
    ste_json_put_uint(json, "first_trade", header->first_trade);
    ste_json_put_uint(json, "shuffle_window", header->shuffle_window);
    ste_json_put_cstr(json, "trade_date", date);
}

static bool write_json(const struct ste_set_writer *writer,
                       void (*more)(const void *context, struct ste_json_writer *json),
                       const void *context)
{
    struct ste_buf text = {0};
    struct ste_json_writer json;
    ste_json_begin(&json, &text);
    ste_json_put_object(&json, NULL);
    put_header(&json, &writer->header);
    if (more)
        more(context, &json);
    ste_json_put_end(&json);
    ste_buf_append_cstr(&text, "\n");
    FILE *file = ste_json_complete(&json) ? open_in(writer->folder, "set.json", "we", NULL) : NULL;
    bool good = file && fwrite(text.at, text.len, 1, file) == 1;
    if (file && fclose(file) != 0)
        good = false;
    ste_buf_deinit(&text);
    return good;
}

static bool flush_and_sync(FILE *file)
{
    return fflush(file) == 0 && fsync(fileno(file)) == 0;
}

enum ste_code ste_set_finish(struct ste_set_writer *writer,
                             void (*more)(const void *context, struct ste_json_writer *json),
                             const void *context, struct ste_error *err)
{
    bool good = flush_and_sync(writer->messages) && flush_and_sync(writer->index) &&
                fseek(writer->index, 0, SEEK_SET) == 0 &&
                fwrite(&writer->header, sizeof writer->header, 1, writer->index) == 1 &&
                flush_and_sync(writer->index) && write_json(writer, more, context);
    enum ste_code rc = STE_OK;
    if (!good)
        rc = ste_error_set(err, STE_E_FILE, "could not complete the set in %s: %s", writer->folder,
                           strerror(errno));
    ste_set_abandon(writer);
    return rc;
}

void ste_set_abandon(struct ste_set_writer *writer)
{
    if (writer->messages)
        (void)fclose(writer->messages);
    if (writer->index)
        (void)fclose(writer->index);
    free(writer->folder);
    writer->messages = writer->index = NULL;
    writer->folder = NULL;
}

static enum ste_code map_file(const char *folder, const char *name, const void **ret,
                              size_t *ret_bytes, struct ste_error *err)
{
    FILE *file = open_in(folder, name, "re", err);
    if (!file)
        return STE_E_FILE;
    struct stat info;
    void *at = MAP_FAILED;
    if (fstat(fileno(file), &info) == 0 && info.st_size > 0)
        at = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_SHARED, fileno(file), 0);
    int why = errno;
    (void)fclose(file);
    if (at == MAP_FAILED)
        return ste_error_set(err, STE_E_FILE, "could not map %s/%s: %s", folder, name,
                             strerror(why));
    (void)madvise(at, (size_t)info.st_size, MADV_SEQUENTIAL);
    *ret = at;
    *ret_bytes = (size_t)info.st_size;
    return STE_OK;
}

static bool is_whole(const struct ste_set *set)
{
    const struct ste_set_header *header = set->header;
    if (set->index_bytes < sizeof *header ||
        memcmp(header->magic, set_magic, sizeof set_magic) != 0 ||
        header->version != STE_SET_VERSION)
        return false;
    uint64_t room = (set->index_bytes - sizeof *header) / sizeof(struct ste_set_entry);
    return header->messages == room &&
           set->messages_bytes == header->bytes + header->messages * sizeof(uint32_t);
}

enum ste_code ste_set_open(struct ste_set *set, const char *folder, struct ste_error *err)
{
    *set = (struct ste_set){0};
    const void *at = NULL;
    enum ste_code rc = map_file(folder, "set.idx", &at, &set->index_bytes, err);
    if (rc != STE_OK)
        return rc;
    set->header = at;
    set->entries = (const struct ste_set_entry *)(set->header + 1);
    rc = map_file(folder, "set.ste", &at, &set->messages_bytes, err);
    if (rc == STE_OK) {
        set->messages = at;
        if (!is_whole(set))
            rc = ste_error_set(err, STE_E_PARSE, "%s holds no whole set: make it again", folder);
    }
    if (rc != STE_OK)
        ste_set_close(set);
    return rc;
}

bool ste_set_is_there(const char *folder)
{
    char magic[sizeof set_magic];
    FILE *file = open_in(folder, "set.idx", "re", NULL);
    const bool there = file && fread(magic, sizeof magic, 1, file) == 1 &&
                       memcmp(magic, set_magic, sizeof magic) == 0;
    if (file)
        (void)fclose(file);
    return there;
}

void ste_set_close(struct ste_set *set)
{
    if (set->header)
        (void)munmap((void *)(uintptr_t)set->header, set->index_bytes);
    if (set->messages)
        (void)munmap((void *)(uintptr_t)set->messages, set->messages_bytes);
    *set = (struct ste_set){0};
}

struct ste_bytes ste_set_next(const struct ste_set *set, size_t *offset)
{
    uint32_t length = 0;
    if (set->messages_bytes - *offset < sizeof length)
        return (struct ste_bytes){0};
    memcpy(&length, set->messages + *offset, sizeof length);
    length = le32toh(length);
    if (set->messages_bytes - *offset - sizeof length < length)
        return (struct ste_bytes){0};
    struct ste_bytes message = {set->messages + *offset + sizeof length, length};
    *offset += sizeof length + length;
    return message;
}
