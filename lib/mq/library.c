/* SPDX-License-Identifier: Apache-2.0
 * Debian's 0.11.0-1+deb12u3 of rabbitmq-c carries security fixes that the library's own version
 * number does not show: the package's does. */
#include "mq/library.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIXED_REVISION = 3, VERSION_BYTES = 64 };

/* The Version line of the package's paragraph; empty when there is none. */
static struct ste_bytes package_version(struct ste_bytes status, const char *package)
{
    char head[VERSION_BYTES];
    snprintf(head, sizeof head, "Package: %s\n", package);
    const char *start = status.len ? memmem(status.at, status.len, head, strlen(head)) : NULL;
    if (!start)
        return (struct ste_bytes){0};
    size_t rest = status.len - (size_t)(start - status.at);
    const char *end = memmem(start, rest, "\n\n", 2);
    size_t paragraph = end ? (size_t)(end - start) : rest;
    const char *version = memmem(start, paragraph, "\nVersion: ", 10);
    if (!version)
        return (struct ste_bytes){0};
    version += 10;
    const char *line_end = memchr(version, '\n', paragraph - (size_t)(version - start));
    if (!line_end)
        line_end = start + paragraph;
    return (struct ste_bytes){version, (size_t)(line_end - version)};
}

static bool is_old(const char *version)
{
    static const char base[] = "0.11.0-1";
    unsigned revision = 0;
    if (strncmp(version, base, sizeof base - 1) != 0)
        return false;
    if (sscanf(version + sizeof base - 1, "+deb12u%u", &revision) == 1)
        return revision < FIXED_REVISION;
    return version[sizeof base - 1] == '\0' || version[sizeof base - 1] == '+';
}

bool ste_mq_library_judge(struct ste_bytes dpkg_status, char *out, size_t out_bytes)
{
    char version[VERSION_BYTES];
    struct ste_bytes found = package_version(dpkg_status, "librabbitmq4");
    if (found.len == 0 || found.len >= sizeof version)
        return false;
    memcpy(version, found.at, found.len);
    version[found.len] = '\0';
    if (!is_old(version))
        return false;
    snprintf(out, out_bytes,
             "librabbitmq4 %s lacks security fixes of 0.11.0-1+deb12u%d: upgrade the package",
             version, FIXED_REVISION);
    return true;
}

bool ste_mq_library_warning(char *out, size_t out_bytes)
{
    struct stat about;
    bool old = false;
    int fd = open("/var/lib/dpkg/status", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false; /* no Debian: nothing is known */
    if (fstat(fd, &about) == 0 && about.st_size > 0) {
        char *status = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (status != MAP_FAILED) {
            old = ste_mq_library_judge((struct ste_bytes){status, (size_t)about.st_size}, out,
                                       out_bytes);
            munmap(status, (size_t)about.st_size);
        }
    }
    close(fd);
    return old;
}
