/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/ledger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LEDGER_WORDS_MAX = 6 };

static size_t split(struct ste_bytes line, struct ste_bytes words[static LEDGER_WORDS_MAX])
{
    size_t count = 0;
    while (line.len > 0 && count < LEDGER_WORDS_MAX) {
        const char *blank = memchr(line.at, ' ', line.len);
        size_t len = blank ? (size_t)(blank - line.at) : line.len;
        words[count++] = (struct ste_bytes){line.at, len};
        size_t step = blank ? len + 1 : len;
        line.at += step;
        line.len -= step;
    }
    return line.len > 0 ? 0 : count;
}

static bool take_line(struct ste_bytes line, const struct ste_ledger_reader *reader)
{
    struct ste_bytes words[LEDGER_WORDS_MAX];
    size_t count = split(line, words);
    uint64_t first = 0, second = 0;
    if (count == 0 || words[0].len != 1)
        return false;
    switch (words[0].at[0]) {
    case 'D':
        if (count != 4 || !ste_bytes_u64(words[2], &first) || !ste_bytes_u64(words[3], &second))
            return false;
        if (reader->delivery)
            reader->delivery(reader->context, words[1], first, second);
        return true;
    case 'M':
        if (count != 6 || !ste_bytes_u64(words[1], &first))
            return false;
        if (reader->message)
            reader->message(reader->context, first, words[2], words[3], words[4], words[5]);
        return true;
    case 'C':
        if (count != 3 || !ste_bytes_u64(words[2], &first))
            return false;
        if (reader->cls)
            reader->cls(reader->context, words[1], first);
        return true;
    default:
        return false;
    }
}

enum ste_code ste_ledger_read(const char *path, const struct ste_ledger_reader *reader,
                              struct ste_error *err)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return ste_error_set(err, STE_E_FILE, "could not open ledger %s: %s", path,
                             strerror(errno));
    char *line = NULL;
    size_t capacity = 0;
    uint64_t line_number = 0;
    enum ste_code rc = STE_OK;
    for (ssize_t len; rc == STE_OK && (len = getline(&line, &capacity, file)) > 0;) {
        line_number++;
        if (line[len - 1] != '\n' || !take_line((struct ste_bytes){line, (size_t)len - 1}, reader))
            rc = ste_error_set(err, STE_E_PARSE, "%s:%llu: not a line of a ledger", path,
                               (unsigned long long)line_number);
    }
    if (rc == STE_OK && ferror(file))
        rc = ste_error_set(err, STE_E_FILE, "could not read ledger %s: %s", path, strerror(errno));
    free(line);
    (void)fclose(file);
    return rc;
}
