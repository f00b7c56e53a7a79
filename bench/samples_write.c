/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/samples.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct ste_samples_writer {
    FILE *file;
    uint64_t at_us;
    int first_errno; /* of the first row that could not be written; 0: none */
    char path[];
};

static void note(struct ste_samples_writer *writer, bool good)
{
    if (!good && writer->first_errno == 0)
        writer->first_errno = errno != 0 ? errno : EIO;
}

enum ste_code ste_samples_create(const char *path, struct ste_samples_writer **ret,
                                 struct ste_error *err)
{
    size_t path_bytes = strlen(path) + 1;
    struct ste_samples_writer *writer = calloc(1, sizeof *writer + path_bytes);
    if (!writer)
        return ste_error_set(err, STE_E_NOMEM, "no memory for the samples");
    memcpy(writer->path, path, path_bytes);
    writer->file = fopen(path, "we");
    if (!writer->file) {
        free(writer);
        return ste_error_set(err, STE_E_FILE, "could not open samples %s: %s", path,
                             strerror(errno));
    }
    note(writer, fputs("at_us,kind,name,type,quantity,value\n", writer->file) >= 0);
    *ret = writer;
    return STE_OK;
}

/* A comma or a line's end would be another field: a blank takes its place. */
static void put_text(struct ste_samples_writer *writer, const char *text, char end)
{
    for (; *text; text++)
        note(writer,
             putc(*text == ',' || (unsigned char)*text < ' ' ? ' ' : *text, writer->file) != EOF);
    note(writer, putc(end, writer->file) != EOF);
}

void ste_samples_meta(struct ste_samples_writer *writer, const char *quantity, const char *value)
{
    note(writer, fputs("0,meta,,,", writer->file) >= 0);
    put_text(writer, quantity, ',');
    put_text(writer, value, '\n');
}

void ste_samples_at(struct ste_samples_writer *writer, uint64_t at_us)
{
    note(writer, fflush(writer->file) == 0);
    writer->at_us = at_us;
}

void ste_samples_put(struct ste_samples_writer *writer, enum ste_quantity quantity,
                     const char *name, const char *type_or_empty, double value)
{
    note(writer,
         fprintf(writer->file, "%" PRIu64 ",%s,", writer->at_us, ste_quantity_kind(quantity)) > 0);
    put_text(writer, name, ',');
    put_text(writer, type_or_empty, ',');
    note(writer, fprintf(writer->file, "%s,%.16g\n", ste_quantity_name(quantity), value) > 0);
}

enum ste_code ste_samples_finish(struct ste_samples_writer *writer, struct ste_error *err)
{
    if (!writer)
        return STE_OK;
    note(writer, fflush(writer->file) == 0);
    note(writer, fclose(writer->file) == 0);
    enum ste_code rc = STE_OK;
    if (writer->first_errno != 0)
        rc = ste_error_set(err, STE_E_FILE, "could not write samples %s: %s", writer->path,
                           strerror(writer->first_errno));
    free(writer);
    return rc;
}
