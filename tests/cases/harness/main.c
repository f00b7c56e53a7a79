/* SPDX-License-Identifier: Apache-2.0
 * ste-cases: runs files of cases in memory, prints one line a case, exits 1 when one fails. */
#include "harness.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 1024, ORDERS_ALL_MAX = 720, ORDERS_SOME = 300 };

struct runner {
    struct ste_case_engine engine;
    const struct ste_yaml *templates;
    const struct ste_yaml *file_given;
    const char *file_name;
    unsigned case_count, failed_count, skipped_count;
};

/* One delivery to be: its text and what belongs to it. */
struct delivery {
    struct ste_buf body;
    char id[96];
    const struct ste_yaml *step;
};

struct plan {
    struct delivery deliveries[STEPS_MAX];
    size_t count;
    char trade_reference[64];
};

void ste_case_fail(struct ste_case_report *report, const struct ste_yaml *where, const char *format,
                   ...)
{
    va_list args;
    if (report->failures++ && report->quiet)
        return;
    fprintf(stderr, "%s:%u: %s: ", where->file, where->line, report->name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
}

/* ---- from steps to deliveries ---- */

static const struct ste_yaml *given(const struct runner *runner, const struct ste_yaml *one_case,
                                    const char *key)
{
    const struct ste_yaml *own = ste_yaml_get(one_case, "given");
    const struct ste_yaml *node = own ? ste_yaml_get(own, key) : NULL;
    if (!node && runner->file_given)
        node = ste_yaml_get(runner->file_given, key);
    return node;
}

/* How often a step sends its message: `times`, else once. */
static unsigned times(const struct ste_yaml *step)
{
    const char *text = ste_yaml_scalar(step, "times");
    return text ? (unsigned)strtoul(text, NULL, 10) : 1;
}

static bool render_message(struct runner *runner, const struct ste_yaml *one_case,
                           const struct plan *plan, const char *name, const struct ste_yaml *step,
                           unsigned number, bool with_namespace, struct ste_buf *out)
{
    char number_text[16];
    const struct ste_yaml *own = ste_yaml_get(one_case, "given");
    const struct ste_yaml *template_name = given(runner, one_case, "template");
    const struct ste_yaml *template = template_name && template_name->scalar
                                          ? ste_yaml_get(runner->templates, template_name->scalar)
                                          : NULL;
    const struct ste_yaml *messages = template ? ste_yaml_get(template, "messages") : NULL;
    const struct ste_yaml *message = messages ? ste_yaml_get(messages, name) : NULL;
    struct ste_case_layers layers = {.trade_reference = plan->trade_reference,
                                     .number = number_text};
    snprintf(number_text, sizeof(number_text), "%u", number);
    if (!message)
        return false;
    ste_case_layer(&layers, ste_yaml_get(template, "common"));
    ste_case_layer(&layers, message);
    if (runner->file_given)
        ste_case_layer(&layers, ste_yaml_get(runner->file_given, "with"));
    if (own)
        ste_case_layer(&layers, ste_yaml_get(own, "with"));
    ste_case_layer(&layers, ste_yaml_get(step, "with"));
    return ste_case_render(out, &layers, ste_yaml_get(step, "edit"), with_namespace);
}

static struct delivery *add_delivery(struct plan *plan, const struct ste_yaml *step)
{
    if (plan->count == STEPS_MAX)
        return NULL;
    struct delivery *delivery = &plan->deliveries[plan->count];
    const char *id = ste_yaml_scalar(step, "as");
    delivery->step = step;
    snprintf(delivery->id, sizeof(delivery->id), "%s/%s%zu", plan->trade_reference, id ? id : "#",
             id ? 0 : plan->count);
    plan->count++;
    return delivery;
}

static bool plan_message(struct runner *runner, const struct ste_yaml *one_case, struct plan *plan,
                         const char *name, const struct ste_yaml *step)
{
    for (unsigned number = 1; number <= times(step); number++) {
        struct delivery *delivery = add_delivery(plan, step);
        if (!delivery ||
            !render_message(runner, one_case, plan, name, step, number, true, &delivery->body))
            return false;
    }
    return true;
}

static bool is_in(const struct ste_yaml *list, const char *name)
{
    for (const struct ste_yaml *node = list ? list->child : NULL; node; node = node->next)
        if (node->scalar && strcmp(node->scalar, name) == 0)
            return true;
    return false;
}

static bool plan_send(struct runner *runner, const struct ste_yaml *one_case, struct plan *plan,
                      const struct ste_yaml *step)
{
    const struct ste_yaml *send = ste_yaml_get(step, "send"),
                          *except = ste_yaml_get(step, "except");
    const struct ste_yaml *template_name = given(runner, one_case, "template");
    if (send->kind == STE_NODE_SCALAR && strcmp(send->scalar, "all") != 0)
        return plan_message(runner, one_case, plan, send->scalar, step);
    if (send->kind == STE_NODE_LIST) {
        for (const struct ste_yaml *name = send->child; name; name = name->next)
            if (!name->scalar || !plan_message(runner, one_case, plan, name->scalar, step))
                return false;
        return true;
    }
    const struct ste_yaml *template = template_name && template_name->scalar
                                          ? ste_yaml_get(runner->templates, template_name->scalar)
                                          : NULL;
    const struct ste_yaml *messages = template ? ste_yaml_get(template, "messages") : NULL;
    for (const struct ste_yaml *one = messages ? messages->child : NULL; one; one = one->next)
        if (!is_in(except, one->key) && !plan_message(runner, one_case, plan, one->key, step))
            return false;
    return messages != NULL;
}

static bool plan_batch(struct runner *runner, const struct ste_yaml *one_case, struct plan *plan,
                       const struct ste_yaml *step)
{
    struct delivery *delivery = add_delivery(plan, step);
    if (!delivery)
        return false;
    ste_buf_append_cstr(&delivery->body, "<TradeMessages xmlns=\"urn:ste:trade:1\">\n");
    for (const struct ste_yaml *one = ste_yaml_get(step, "batch")->child; one; one = one->next) {
        const char *name = ste_yaml_scalar(one, "send");
        for (unsigned number = 1; number <= times(one); number++) {
            if (!name ||
                !render_message(runner, one_case, plan, name, one, number, false, &delivery->body))
                return false;
            ste_buf_append_cstr(&delivery->body, "\n");
        }
    }
    ste_buf_append_cstr(&delivery->body, "</TradeMessages>\n");
    return true;
}

static bool plan_step(struct runner *runner, const struct ste_yaml *one_case, struct plan *plan,
                      const struct ste_yaml *step)
{
    const char *body = ste_yaml_scalar(step, "body");
    if (ste_yaml_get(step, "send"))
        return plan_send(runner, one_case, plan, step);
    if (ste_yaml_get(step, "batch"))
        return plan_batch(runner, one_case, plan, step);
    if (!body)
        return false;
    struct delivery *delivery = add_delivery(plan, step);
    if (delivery)
        ste_case_render_body(&delivery->body, body, plan->trade_reference);
    return delivery != NULL;
}

static void plan_deinit(struct plan *plan)
{
    for (size_t i = 0; i < STEPS_MAX; i++)
        ste_buf_deinit(&plan->deliveries[i].body);
}

/* ---- running ---- */

static bool send_delivery(struct runner *runner, struct ste_case_report *report,
                          const struct delivery *delivery, struct ste_case_sent *ret)
{
    *ret = (struct ste_case_sent){
        .step = delivery->step,
        .delivery_id = ste_bytes_of(delivery->id),
        .body = ste_buf_bytes(&delivery->body),
        .replies_before = runner->engine.effects.reply_count,
    };
    if (ste_case_engine_send(&runner->engine, ret->delivery_id, ret->body))
        return true;
    ste_case_fail(report, delivery->step, "the delivery broke the engine");
    return false;
}

static void run_in_order(struct runner *runner, struct ste_case_report *report,
                         const struct plan *plan, const struct ste_yaml *one_case)
{
    ste_case_engine_clear(&runner->engine);
    for (size_t i = 0; i < plan->count; i++) {
        struct ste_case_sent sent;
        if (!send_delivery(runner, report, &plan->deliveries[i], &sent))
            return;
        ste_case_expect_answers(report, &runner->engine, &sent);
    }
    ste_case_expect_outcome(report, &runner->engine, ste_yaml_get(one_case, "then"),
                            plan->trade_reference, one_case, true);
}

/* The next permutation in lexical order; false after the last. */
static bool next_order(size_t *order, size_t count)
{
    size_t i = count - 1;
    while (i > 0 && order[i - 1] >= order[i])
        i--;
    if (i == 0)
        return false;
    size_t j = count - 1;
    while (order[j] <= order[i - 1])
        j--;
    size_t swap = order[i - 1];
    order[i - 1] = order[j];
    order[j] = swap;
    for (size_t k = count - 1; i < k; i++, k--) {
        swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
    return true;
}

static void shuffle(size_t *order, size_t count, uint64_t *seed)
{
    for (size_t i = count - 1; i > 0; i--) {
        *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        size_t j = (size_t)(*seed >> 33) % (i + 1), swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
}

static void run_any_order(struct runner *runner, struct ste_case_report *report,
                          const struct plan *plan, const struct ste_yaml *one_case)
{
    size_t order[STEPS_MAX], runs = 0;
    uint64_t seed = 1; /* the same orders every time */
    bool all = plan->count <= 6;
    for (size_t i = 0; i < plan->count; i++)
        order[i] = i;
    report->quiet = true;
    do {
        ste_case_engine_clear(&runner->engine);
        for (size_t i = 0; i < plan->count; i++) {
            struct ste_case_sent sent;
            if (!send_delivery(runner, report, &plan->deliveries[order[i]], &sent))
                return;
        }
        ste_case_expect_acks(report, &runner->engine, one_case);
        ste_case_expect_outcome(report, &runner->engine, ste_yaml_get(one_case, "then"),
                                plan->trade_reference, one_case, false);
        if (!all)
            shuffle(order, plan->count, &seed);
        runs++;
    } while (report->failures == 0 &&
             (all ? runs < ORDERS_ALL_MAX && next_order(order, plan->count) : runs < ORDERS_SOME));
}

static bool is_true(const struct ste_yaml *map, const char *key)
{
    const char *value = ste_yaml_scalar(map, key);
    return value && strcmp(value, "true") == 0;
}

static void run_case(struct runner *runner, const struct ste_yaml *one_case)
{
    struct ste_case_report report = {.name = ste_yaml_scalar(one_case, "name")};
    const struct ste_yaml *when = ste_yaml_get(one_case, "when");
    const char *needs = ste_yaml_scalar(one_case, "needs");
    struct plan *plan = calloc(1, sizeof(*plan));
    if (!report.name)
        report.name = "a case without a name";
    if (!plan || !when)
        ste_case_fail(&report, one_case, "nothing is sent");
    else
        snprintf(plan->trade_reference, sizeof(plan->trade_reference), "CASE%u%06u",
                 runner->case_count, one_case->line);
    for (const struct ste_yaml *step = when && plan ? when->child : NULL; step; step = step->next)
        if (!plan_step(runner, one_case, plan, step)) {
            ste_case_fail(&report, step,
                          "the step cannot be read: unknown message, template or edit");
            break;
        }
    runner->case_count++;
    if (needs && report.failures == 0) {
        printf("skip %s: needs %s\n", report.name, needs);
        runner->skipped_count++;
    } else if (report.failures == 0) {
        run_in_order(runner, &report, plan, one_case);
        if (is_true(one_case, "any_order") && report.failures == 0)
            run_any_order(runner, &report, plan, one_case);
    }
    if (report.failures)
        runner->failed_count++;
    printf("%s %s\n", report.failures ? "FAIL" : needs ? "    " : "ok  ", report.name);
    if (plan)
        plan_deinit(plan);
    free(plan);
}

static bool run_file(struct runner *runner, const char *path)
{
    struct ste_faults faults = {0};
    struct ste_error err = {0};
    struct ste_tree *tree = NULL;
    bool good = ste_tree_load(path, &faults, &tree, &err) == STE_OK;
    const struct ste_yaml *cases = good ? ste_yaml_get(ste_tree_root(tree), "cases") : NULL;
    if (!cases) {
        ste_faults_print(&faults, stderr);
        fprintf(stderr, "%s: no cases: %s\n", path, err.text);
        good = false;
    } else {
        runner->file_given = ste_yaml_get(ste_tree_root(tree), "given");
        for (const struct ste_yaml *one = cases->child; one; one = one->next)
            run_case(runner, one);
    }
    ste_faults_deinit(&faults);
    ste_tree_free(tree);
    return good;
}

int main(int argc, char **argv)
{
    struct runner runner = {0};
    struct ste_faults faults = {0};
    struct ste_error err = {0};
    struct ste_cluster *cluster = NULL;
    struct ste_ref *ref = NULL;
    struct ste_tree *templates = NULL;
    bool good = false;
    if (argc < 2) {
        fprintf(stderr, "usage: ste-cases FILE…\n");
        return 2;
    }
    if (ste_cluster_load(STE_SOURCE_DIR "/tests/cases/cluster.yaml", &faults, &cluster, &err) !=
            STE_OK ||
        ste_ref_load(cluster, &faults, &ref, &err) != STE_OK ||
        ste_tree_load(STE_SOURCE_DIR "/tests/cases/templates.yaml", &faults, &templates, &err) !=
            STE_OK) {
        ste_faults_print(&faults, stderr);
        fprintf(stderr, "ste-cases: %s\n", err.text);
        goto out;
    }
    runner.templates = ste_tree_root(templates);
    good = ste_case_engine_open(&runner.engine, ref, cluster);
    for (int i = 1; i < argc && good; i++)
        good = run_file(&runner, argv[i]);
    printf("%u cases, %u failed, %u skipped\n", runner.case_count, runner.failed_count,
           runner.skipped_count);
    good = good && runner.failed_count == 0 && runner.case_count > 0;
    ste_case_engine_close(&runner.engine);
out:
    ste_tree_free(templates);
    ste_ref_free(ref);
    ste_cluster_free(cluster);
    ste_faults_deinit(&faults);
    return good ? 0 : 1;
}
