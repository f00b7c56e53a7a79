/* SPDX-License-Identifier: Apache-2.0
 * --check: what the engine would say about a file that it can say without a trade. With --config the
 * map's reference data is used; without, only what needs none is checked. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bridge/submit.h"
#include "json/json.h"
#include "msg/split.h"
#include "node/rules/rules.h"

struct checker {
    const struct ste_submit_options *options;
    struct ste_cluster *cluster;
    struct ste_ref *ref;
    struct ste_xml *xml;
    struct ste_arena *arena;
    size_t messages, refused, warned;
};

static void print_finding(const struct checker *checker, const char *path,
                          const struct ste_message *message, const struct ste_finding *finding,
                          const char *kind)
{
    const struct ste_bytes reference = ste_value(message, STE_F_REFERENCE);
    if (!checker->options->json) {
        printf("%s:%.*s: %s %s %.*s: %.*s\n", path, (int)finding->place.len, finding->place.at, kind,
               ste_msg_code_name(finding->code), (int)finding->element.len, finding->element.at,
               (int)finding->text.len, finding->text.at);
        return;
    }
    struct ste_buf line = {0};
    struct ste_json_writer json;
    ste_json_begin(&json, &line);
    ste_json_put_object(&json, NULL);
    ste_json_put_cstr(&json, "file", path);
    ste_json_put_uint(&json, "index", message->index);
    ste_json_put_text(&json, "reference", reference);
    ste_json_put_cstr(&json, "kind", kind);
    ste_json_put_cstr(&json, "code", ste_msg_code_name(finding->code));
    ste_json_put_text(&json, "element", finding->element);
    ste_json_put_text(&json, "place", finding->place);
    ste_json_put_cstr(&json, "level", finding->level == STE_LEVEL_WARN ? "warn" : "reject");
    ste_json_put_text(&json, "text", finding->text);
    ste_json_put_end(&json);
    printf("%.*s\n", (int)line.len, line.at != NULL ? line.at : "");
    ste_buf_deinit(&line);
}

static enum ste_code check_content(struct checker *checker, const char *path,
                                   const struct ste_message *message, struct ste_error *err)
{
    struct ste_checked checked = {.findings = message->findings,
                                  .finding_count = message->finding_count};
    if (checker->ref != NULL) {
        const struct ste_rules rules = {.ref = checker->ref,
                                        .business_date = checker->cluster->business_date,
                                        .shard_count = checker->cluster->shard_count};
        if (!ste_check_message(&rules, message, checker->arena, &checked))
            return ste_error_set(err, STE_E_NOMEM, "could not check %s", path);
    }
    bool refused = false, warned = false;
    for (size_t i = 0; i < checked.finding_count; i++) {
        const bool reject = checked.findings[i].level == STE_LEVEL_REJECT;
        print_finding(checker, path, message, &checked.findings[i], reject ? "REJ" : "warning");
        refused |= reject;
        warned |= !reject;
    }
    checker->refused += refused;
    checker->warned += warned;
    return STE_OK;
}

static enum ste_code check_body(struct checker *checker, const char *path, struct ste_bytes body,
                                struct ste_error *err)
{
    struct ste_message *messages = NULL;
    size_t count = 0;
    ste_arena_reset(checker->arena);
    enum ste_code rc =
        ste_xml_decode(checker->xml, body, checker->arena, &messages, &count, err);
    for (size_t i = 0; rc == STE_OK && i < count; i++) {
        checker->messages++;
        if (messages[i].exc.code != STE_C_NONE) {
            print_finding(checker, path, &messages[i], &messages[i].exc, "EXC");
            checker->refused++;
            continue;
        }
        rc = check_content(checker, path, &messages[i], err);
    }
    return rc;
}

static enum ste_code check_file(struct checker *checker, const char *path, struct ste_error *err)
{
    char *const body = malloc(STE_DELIVERY_BYTES_MAX + 1);
    FILE *const file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    enum ste_code rc = STE_OK;
    if (body == NULL || file == NULL) {
        rc = ste_error_set(err, STE_E_FILE, "could not open %s: %s", path, strerror(errno));
        goto out;
    }
    const size_t bytes = fread(body, 1, STE_DELIVERY_BYTES_MAX + 1, file);
    if (ferror(file))
        rc = ste_error_set(err, STE_E_FILE, "could not read %s: %s", path, strerror(errno));
    else
        rc = check_body(checker, path, (struct ste_bytes){body, bytes}, err);
out:
    if (file != NULL && file != stdin)
        fclose(file);
    free(body);
    return rc;
}

static enum ste_code load(struct checker *checker, struct ste_error *err)
{
    struct ste_faults faults = {0};
    enum ste_code rc = STE_OK;
    if (checker->options->config != NULL) {
        rc = ste_cluster_load(checker->options->config, &faults, &checker->cluster, err);
        if (rc == STE_OK)
            rc = ste_ref_load(checker->cluster, &faults, &checker->ref, err);
        ste_faults_print(&faults, stderr);
    }
    checker->xml = ste_xml_new();
    checker->arena = ste_arena_new(0);
    if (rc == STE_OK && (checker->xml == NULL || checker->arena == NULL))
        rc = ste_error_set(err, STE_E_NOMEM, "could not start");
    ste_faults_deinit(&faults);
    return rc;
}

int ste_submit_check(const struct ste_submit_options *options)
{
    struct checker checker = {.options = options};
    struct ste_error err = {0};
    enum ste_code rc = load(&checker, &err);
    for (int i = 0; rc == STE_OK && i < options->file_count; i++)
        rc = check_file(&checker, options->files[i], &err);
    if (rc != STE_OK)
        fprintf(stderr, "ste-submit: %s\n", err.text);
    else
        printf(options->json ? "{\"summary\": {\"messages\": %zu, \"refused\": %zu, \"warned\": %zu}}\n"
                             : "%zu messages, %zu refused, %zu with warnings\n",
               checker.messages, checker.refused, checker.warned);
    if (rc == STE_OK && checker.ref == NULL)
        fprintf(stderr, "no --config: values that need reference data were not checked\n");
    ste_xml_free(checker.xml);
    ste_arena_free(checker.arena);
    ste_ref_free(checker.ref);
    ste_cluster_free(checker.cluster);
    return rc != STE_OK ? 1 : checker.refused > 0 ? 1 : 0;
}
