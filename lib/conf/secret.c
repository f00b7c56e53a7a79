/* SPDX-License-Identifier: Apache-2.0
 * Read with read(2) into the caller's memory: stdio would keep a copy in its buffer. */
#include "conf/cluster.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum ste_code ste_secret_read(const char *file, char *out, size_t out_bytes, struct ste_error *err)
{
    enum ste_code rc = STE_OK;
    size_t len = 0;
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return ste_error_set(err, STE_E_FILE, "could not open %s: %s", file, strerror(errno));
    while (len < out_bytes && !memchr(out, '\n', len)) {
        ssize_t got = read(fd, out + len, out_bytes - len);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            rc = ste_error_set(err, STE_E_FILE, "could not read %s: %s", file, strerror(errno));
        if (got <= 0)
            break;
        len += (size_t)got;
    }
    close(fd);
    char *end = memchr(out, '\n', len);
    size_t line = end ? (size_t)(end - out) : len;
    if (line > 0 && out[line - 1] == '\r')
        line--;
    if (rc == STE_OK && line == 0)
        rc = ste_error_set(err, STE_E_CONFIG, "the first line of %s is empty", file);
    else if (rc == STE_OK && line >= out_bytes)
        rc = ste_error_set(err, STE_E_CONFIG, "the first line of %s is longer than %zu bytes", file,
                           out_bytes - 1);
    else if (rc == STE_OK && memchr(out, '\0', line))
        rc = ste_error_set(err, STE_E_CONFIG, "the first line of %s holds a NUL", file);
    if (rc != STE_OK)
        line = 0;
    if (out_bytes > line)
        explicit_bzero(out + line, out_bytes - line);
    return rc;
}
