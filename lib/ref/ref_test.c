/* SPDX-License-Identifier: Apache-2.0 */
#include "ref/ref_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

static int setup(void **state)
{
    *state = ste_fixture_ref("", "2026-11-30");
    return *state ? 0 : -1;
}

static int teardown(void **state)
{
    ste_ref_free(*state);
    return 0;
}

static void currencies_and_their_minor_units(void **state)
{
    static const struct {
        const char *code;
        int minor_units;
    } cases[] = {{"SGD", 2}, {"JPY", 0}, {"KWD", 3}, {"CLF", 4}, {"UYW", 4},
                 {"ISK", 0}, {"XAU", 0}, {"XXX", 0}, {"MGA", 2}, {"AED", 2},
                 {"ZWL", 2}, {"TND", 3}, {"HUF", 2}, {"KRW", 0}, {"XCG", 2}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct ste_currency *currency = ste_ref_currency(*state, ste_bytes_of(cases[i].code));
        assert_non_null(currency);
        assert_string_equal(currency->code, cases[i].code);
        assert_int_equal(currency->minor_units, cases[i].minor_units);
    }
    assert_null(ste_ref_currency(*state, STE_BYTES("ZZZ")));
    assert_null(ste_ref_currency(*state, STE_BYTES("sgd")));
    assert_null(ste_ref_currency(*state, STE_BYTES("SG")));
    assert_null(ste_ref_currency(*state, STE_BYTES("SGDX")));
    assert_null(ste_ref_currency(*state, STE_BYTES("")));
}

static void countries(void **state)
{
    assert_true(ste_ref_country(*state, STE_BYTES("SG")));
    assert_true(ste_ref_country(*state, STE_BYTES("AD")));
    assert_true(ste_ref_country(*state, STE_BYTES("ZW")));
    assert_false(ste_ref_country(*state, STE_BYTES("XX")));
    assert_false(ste_ref_country(*state, STE_BYTES("UK")));
    assert_false(ste_ref_country(*state, STE_BYTES("S")));
}

static void instruments(void **state)
{
    static const char *const known[] = {"US0378331005", "GB0002634946", "SG1L01001701",
                                        "IE00B4L5Y983", "LU1597245148", "SG1S04926220",
                                        "GB00B16NNR78", "SGSTE0000016"};
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        assert_true(ste_ref_instrument(*state, ste_bytes_of(known[i])));
    assert_false(ste_ref_instrument(*state, STE_BYTES("US0378331003")));
    assert_false(ste_ref_instrument(*state, STE_BYTES("US5949181045")));
    assert_false(ste_ref_instrument(*state, STE_BYTES("")));
    assert_true(ste_ref_has_instruments(*state));
}

static void shipped_rates(void **state)
{
    static const struct {
        const char *code;
        int64_t coefficient;
        int decimals;
    } cases[] = {{"USD", 110, 2}, {"GBP", 85, 2},  {"SGD", 145, 2}, {"JPY", 160, 0},
                 {"CHF", 95, 2},  {"HKD", 850, 2}, {"EUR", 1, 0}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct ste_rate *rate = ste_ref_rate(*state, ste_bytes_of(cases[i].code));
        assert_non_null(rate);
        assert_int_equal(rate->per_eur.coefficient, cases[i].coefficient);
        assert_int_equal(rate->per_eur.decimals, cases[i].decimals);
    }
    assert_null(ste_ref_rate(*state, STE_BYTES("SEK")));
}

/* ---- files of one's own ---- */

struct folder {
    char path[64];
};

static void write_file(const struct folder *folder, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof(path), "%s/%s", folder->path, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void make_folder(struct folder *folder)
{
    char path[128];
    strcpy(folder->path, "/tmp/ste-ref-XXXXXX");
    assert_non_null(mkdtemp(folder->path));
    snprintf(path, sizeof(path), "%s/cal", folder->path);
    assert_int_equal(mkdir(path, 0700), 0);
    write_file(folder, "cur.csv", "code,minor_units,name\nSGD,2,Dollar\nGBP,2,Pound\n");
    write_file(folder, "cou.csv", "code,name\nSG,Singapore\nGB,Britain\n");
    write_file(folder, "ins.csv", "isin,unit,price_type,currency,country\n");
    write_file(folder, "rat.csv", "date,currency,per_eur\n");
    write_file(folder, "par.yaml", "participants: [{id: CRSTZZ22, roles: [csd]}]\n");
    write_file(folder, "cal/SG.csv", "date,name\n2026-01-01,New Year\n");
}

static void remove_folder(const struct folder *folder)
{
    char command[128];
    snprintf(command, sizeof(command), "rm -rf %s", folder->path);
    assert_int_equal(system(command), 0);
}

/* Loads a map of that folder, relative paths and all; the tree is parsed under its name. */
static enum ste_code load_folder(const struct folder *folder, struct ste_faults *faults,
                                 struct ste_ref **ret)
{
    static const char map[] =
        "reference: {currencies: cur.csv, countries: cou.csv, instruments: ins.csv,\n"
        "  participants: par.yaml, calendars: cal, rates: rat.csv}\n";
    char path[128];
    struct ste_error err = {0};
    struct ste_tree *tree = NULL;
    ste_date date = 0;
    write_file(folder, "map.yaml", map);
    snprintf(path, sizeof(path), "%s/map.yaml", folder->path);
    assert_true(ste_date_parse(STE_BYTES("2026-11-30"), &date));
    assert_int_equal(ste_tree_load(path, faults, &tree, &err), STE_OK);
    enum ste_code rc = ste_ref_load_tree(ste_tree_root(tree), date, faults, ret, &err);
    ste_tree_free(tree);
    return rc;
}

static void newest_rate_not_after_the_business_date(void **state)
{
    struct folder folder;
    struct ste_faults faults = {0};
    struct ste_ref *ref = NULL;
    (void)state;
    make_folder(&folder);
    write_file(&folder, "rat.csv",
               "date,currency,per_eur\n2026-12-01,SGD,1.3\n2026-11-30,SGD,1.2\n2026-01-01,SGD,1.1\n"
               "2026-12-24,GBP,0.9\n2026-12-25,GBP,0.8\n");
    assert_int_equal(load_folder(&folder, &faults, &ref), STE_OK);
    assert_int_equal(ste_ref_rate(ref, STE_BYTES("SGD"))->per_eur.coefficient, 12);
    assert_int_equal(ste_ref_rate(ref, STE_BYTES("GBP"))->per_eur.coefficient, 9);
    assert_int_equal(ste_ref_rate(ref, STE_BYTES("EUR"))->per_eur.coefficient, 1);
    assert_non_null(strstr(ste_ref_warnings(ref), "rate of GBP: dated after the business date"));
    assert_null(strstr(ste_ref_warnings(ref), "rate of SGD"));
    assert_non_null(strstr(ste_ref_warnings(ref), "place CRSTZZ22: no calendar for ZZ"));
    assert_false(ste_ref_has_instruments(ref));
    ste_ref_free(ref);
    ste_faults_deinit(&faults);
    remove_folder(&folder);
}

/* The way a daemon goes: from the map itself. */
static void from_a_cluster_map(void **state)
{
    struct folder folder;
    struct ste_faults faults = {0};
    struct ste_cluster *cluster = NULL;
    struct ste_ref *ref = NULL;
    struct ste_error err = {0};
    char path[128];
    (void)state;
    make_folder(&folder);
    write_file(&folder, "map.yaml",
               "reference: {currencies: cur.csv, countries: cou.csv, participants: par.yaml}\n");
    snprintf(path, sizeof(path), "%s/map.yaml", folder.path);
    assert_int_equal(ste_cluster_draft(path, &faults, &cluster, &err), STE_OK);
    assert_int_equal(ste_ref_load(cluster, &faults, &ref, &err), STE_OK);
    ste_cluster_free(cluster); /* the snapshot borrows nothing of it */
    assert_non_null(ste_ref_participant(ref, STE_BYTES("CRSTZZ22")));
    assert_int_equal(ste_ref_business(ref, STE_BYTES("SG"), 0), STE_BUSINESS_NO_CALENDAR);
    assert_false(ste_ref_has_instruments(ref));
    ste_ref_free(ref);
    ste_faults_deinit(&faults);
    remove_folder(&folder);
}

static void faults_of_all_files_at_once(void **state)
{
    static const char *const expected[] = {
        "cal/GB.csv:2:1: date: a date YYYY-MM-DD is wanted",
        "cal/GB.csv:4:1: date: dates must ascend",
        "cal/US.csv:1:1: a calendar needs at least one holiday",
        "cou.csv:2:1: code: 2 capital letters are wanted",
        "cur.csv:2:1: code: 3 capital letters are wanted",
        "cur.csv:3:5: minor_units: a number from 0 to 6 is wanted",
        "cur.csv:5:1: SGD stands in line 4 already",
        "ins.csv:2:1: isin: not an ISIN",
        "ins.csv:3:14: unit: UNIT or FAMT is wanted",
        "ins.csv:4:19: price_type: ACTU or PRCT is wanted",
        "ins.csv:5:24: currency: not in the table of currencies",
        "ins.csv:6:28: country: not in the table of countries",
        "ins.csv:8:1: GB0002634946 stands in line 7 already",
        "map.yaml:2:17: reference.participants: ",
        "rat.csv:2:1: date: a date YYYY-MM-DD is wanted",
        "rat.csv:3:12: currency: not in the table of currencies",
        "rat.csv:4:16: per_eur: a number above 0 with at most 8 decimals is wanted",
        "rat.csv:6:1: SGD stands in line 5 already",
    };
    struct folder folder;
    struct ste_faults faults = {0};
    struct ste_ref *ref = NULL;
    char path[128];
    (void)state;
    make_folder(&folder);
    write_file(&folder, "cur.csv", "code,minor_units,name\nsgd,2,x\nGBP,9,x\nSGD,2,x\nSGD,2,x\n");
    write_file(&folder, "cou.csv", "code,name\nSGP,x\nGB,x\nSG,x\n");
    write_file(&folder, "ins.csv",
               "isin,unit,price_type,currency,country\n"
               "US0378331003,UNIT,ACTU,SGD,SG\nUS0378331005,KILO,ACTU,SGD,SG\n"
               "US0378331005,UNIT,NONE,SGD,SG\nUS0378331005,UNIT,ACTU,USD,SG\n"
               "US0378331005,UNIT,ACTU,SGD,US\nGB0002634946,UNIT,ACTU,SGD,SG\n"
               "GB0002634946,UNIT,ACTU,SGD,SG\n");
    write_file(&folder, "rat.csv",
               "date,currency,per_eur\n2026-13-01,SGD,1\n2026-01-01,USD,1\n2026-01-01,SGD,0\n"
               "2026-01-01,SGD,1\n2026-01-01,SGD,2\n");
    write_file(&folder, "cal/GB.csv", "date,name\nsoon,x\n2026-01-01,x\n2026-01-01,x\n");
    write_file(&folder, "cal/US.csv", "date,name\n");
    write_file(&folder, "cal/README", "not a calendar\n");
    snprintf(path, sizeof(path), "%s/par.yaml", folder.path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(load_folder(&folder, &faults, &ref), STE_E_CONFIG);
    assert_null(ref);
    assert_faults(faults, expected);
    ste_faults_deinit(&faults);
    remove_folder(&folder);
}

static void sections_that_lack_everything(void **state)
{
    static const char *const missing[] = {
        "map.yaml:1:12: reference.countries: is missing",
        "map.yaml:1:12: reference.currencies: is missing",
        "map.yaml:1:12: reference.participants: is missing",
        "map.yaml:1:13: reference.colour: unknown key",
    };
    struct ste_faults faults = {0};
    struct ste_ref *ref = NULL;
    (void)state;
    assert_int_equal(ste_fixture_load("cluster: {id: lab}\n", "2026-11-30", &faults, &ref),
                     STE_E_CONFIG);
    assert_int_equal(faults.count, 1);
    assert_non_null(strstr(faults.lines[0], "map.yaml:1:1: reference: is missing"));
    ste_faults_deinit(&faults);
    assert_int_equal(ste_fixture_load("reference: {colour: red}\n", "2026-11-30", &faults, &ref),
                     STE_E_CONFIG);
    assert_faults(faults, missing);
    ste_faults_deinit(&faults);
    assert_int_equal(ste_fixture_load("[a, b]\n", "2026-11-30", &faults, &ref), STE_E_CONFIG);
    ste_faults_deinit(&faults);
}

static void tables_for_the_documentation(void **state)
{
    size_t count = 0;
    const struct ste_rule_table *tables = ste_ref_rules(&count);
    (void)state;
    assert_int_equal(count, 5);
    for (size_t i = 0; i < count; i++) {
        for (size_t row = 0; row < tables[i].row_count; row++) {
            assert_non_null(tables[i].rows[row].key);
            assert_non_null(tables[i].rows[row].help);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(currencies_and_their_minor_units),
        cmocka_unit_test(countries),
        cmocka_unit_test(instruments),
        cmocka_unit_test(shipped_rates),
        cmocka_unit_test(newest_rate_not_after_the_business_date),
        cmocka_unit_test(from_a_cluster_map),
        cmocka_unit_test(faults_of_all_files_at_once),
        cmocka_unit_test(sections_that_lack_everything),
        cmocka_unit_test(tables_for_the_documentation),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
