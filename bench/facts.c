/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/facts.h"

#include <string.h>

#include "bench/table.h"

void ste_facts_init(struct ste_facts *facts)
{
    *facts = (struct ste_facts){0};
    ste_json_begin(&facts->writer, &facts->json);
    ste_json_put_object(&facts->writer, NULL);
}

void ste_facts_deinit(struct ste_facts *facts)
{
    ste_buf_deinit(&facts->json);
    ste_buf_deinit(&facts->heading);
    ste_buf_deinit(&facts->values);
}

void ste_facts_group(struct ste_facts *facts, const char *name)
{
    facts->group = name;
    ste_json_put_object(&facts->writer, name);
}

void ste_facts_end_group(struct ste_facts *facts)
{
    facts->group = NULL;
    ste_json_put_end(&facts->writer);
}

/* RFC 4180: quoted where it must be. */
static void append_field(struct ste_buf *line, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")]) {
        ste_buf_append_cstr(line, text);
        return;
    }
    ste_buf_append_cstr(line, "\"");
    for (; *text; text++) {
        if (*text == '"')
            ste_buf_append_cstr(line, "\"");
        ste_buf_append(line, text, 1);
    }
    ste_buf_append_cstr(line, "\"");
}

static void column(struct ste_facts *facts, const char *name, const char *value)
{
    if (facts->heading.len > 0) {
        ste_buf_append_cstr(&facts->heading, ",");
        ste_buf_append_cstr(&facts->values, ",");
    }
    if (facts->group)
        ste_buf_printf(&facts->heading, "%s_", facts->group);
    append_field(&facts->heading, name);
    append_field(&facts->values, value);
}

void ste_facts_uint(struct ste_facts *facts, const char *name, uint64_t value)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    ste_json_put_uint(&facts->writer, name, value);
    column(facts, name, text);
}

void ste_facts_double(struct ste_facts *facts, const char *name, double value, unsigned decimals)
{
    char text[64];
    (void)snprintf(text, sizeof text, "%.*f", (int)decimals, value);
    ste_json_put_double(&facts->writer, name, value, decimals);
    column(facts, name, text);
}

void ste_facts_text(struct ste_facts *facts, const char *name, const char *text)
{
    ste_json_put_cstr(&facts->writer, name, text);
    column(facts, name, text);
}

void ste_facts_bool(struct ste_facts *facts, const char *name, bool value)
{
    ste_json_put_bool(&facts->writer, name, value);
    column(facts, name, value ? "true" : "false");
}

enum ste_code ste_facts_write(struct ste_facts *facts, const char *json_path, const char *csv_path,
                              struct ste_error *err)
{
    ste_json_put_end(&facts->writer);
    ste_buf_append_cstr(&facts->json, "\n");
    ste_buf_append_cstr(&facts->heading, "\r\n");
    ste_buf_append_bytes(&facts->heading, ste_buf_bytes(&facts->values));
    ste_buf_append_cstr(&facts->heading, "\r\n");
    if (!ste_json_complete(&facts->writer) || facts->heading.failed || facts->values.failed)
        return ste_error_set(err, STE_E_NOMEM, "out of memory for the result");
    enum ste_code rc = STE_OK;
    if (json_path)
        rc = ste_bench_write_file(json_path, ste_buf_bytes(&facts->json), err);
    if (rc == STE_OK && csv_path)
        rc = ste_bench_write_file(csv_path, ste_buf_bytes(&facts->heading), err);
    return rc;
}
