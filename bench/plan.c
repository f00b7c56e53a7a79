/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/plan.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    uint64_t trades;
} standards[] = {{"small", 10000}, {"250k", 250000}, {"1m", 1000000}};

static bool parse_window(const char *text, uint64_t *ret)
{
    if (strcmp(text, "all") == 0) {
        *ret = STE_GEN_SHUFFLE_ALL;
        return true;
    }
    return ste_bytes_u64(ste_bytes_of(text), ret) && *ret <= UINT32_MAX;
}

static bool parse_accounts(const char *text, struct ste_gen *gen)
{
    unsigned min = 0, max = 0;
    int used = 0;
    if (sscanf(text, "%3u-%3u%n", &min, &max, &used) == 2 && text[used] == '\0')
        ;
    else if (sscanf(text, "%3u%n", &min, &used) == 1 && text[used] == '\0')
        max = min;
    else
        return false;
    gen->accounts_min = min;
    gen->accounts_max = max;
    return min >= 1 && min <= max && max <= STE_ACCOUNTS_MAX;
}

/* "2", "0.5", "12.25": percent with at most two decimals, as hundredths. */
static bool parse_share(const char *text, unsigned *ret)
{
    if (!text)
        return true;
    uint64_t whole = 0, part = 0;
    const char *dot = strchr(text, '.');
    size_t whole_len = dot ? (size_t)(dot - text) : strlen(text);
    struct ste_bytes part_text = ste_bytes_of(dot ? dot + 1 : "0");
    if (!ste_bytes_u64((struct ste_bytes){text, whole_len}, &whole) ||
        !ste_bytes_u64(part_text, &part) || part_text.len > 2 || whole > 100)
        return false;
    if (part_text.len == 1)
        part *= 10;
    *ret = (unsigned)(whole * 100 + part);
    return *ret <= STE_GEN_SHARE_ALL;
}

bool ste_plan_is_wanted(const struct ste_plan_options *o)
{
    return o->trades > 0 || o->standard;
}

static bool complain(const char *command, const char *why)
{
    fprintf(stderr, "ste-bench %s: %s (see ste-bench %s --help)\n", command, why, command);
    return false;
}

static bool take_standard(const struct ste_plan_options *o, struct ste_gen_plan *plan)
{
    for (size_t i = 0; i < sizeof standards / sizeof standards[0]; i++) {
        if (strcmp(o->standard, standards[i].name) == 0)
            plan->trades = standards[i].trades;
    }
    return plan->trades > 0 && o->trades == 0;
}

bool ste_plan_of(const char *command, const struct ste_plan_options *o, struct ste_gen_plan *ret)
{
    struct ste_gen_plan plan = {.gen = {.seed = o->seed, .accounts_min = 2, .accounts_max = 2},
                                .first_trade = o->first,
                                .trades = o->trades,
                                .shuffle_window = STE_GEN_SHUFFLE_DEFAULT};
    struct ste_gen_shares *shares = &plan.gen.shares;
    if (o->standard && !take_standard(o, &plan))
        return complain(command, "--standard wants small, 250k or 1m, and no number of trades");
    if (plan.trades == 0)
        return complain(command, "wants a number of trades, or --standard");
    if (o->window && !parse_window(o->window, &plan.shuffle_window))
        return complain(command, "--shuffle-window wants a number of messages, or all");
    if (o->accounts && !parse_accounts(o->accounts, &plan.gen))
        return complain(command, "--accounts wants a number or a range from 1 to 200");
    if (!parse_share(o->share_mismatch, &shares->mismatch) ||
        !parse_share(o->share_invalid, &shares->invalid) ||
        !parse_share(o->share_duplicate, &shares->duplicate) ||
        !parse_share(o->share_late, &shares->late))
        return complain(command, "a share wants a percentage from 0 to 100, such as 0.25");
    *ret = plan;
    return true;
}
