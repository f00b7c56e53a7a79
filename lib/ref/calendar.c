/* SPDX-License-Identifier: Apache-2.0
 * Business days. Weekends (Saturday, Sunday) are a rule; the files list holidays only. A file
 * covers the whole years from its first to its last holiday: outside of them weekends alone are
 * known. */
#include "ref/snapshot.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ref/csv.h"

enum { CALENDAR_COUNT_MAX = 64, FILE_NAME_BYTES = 32, SATURDAY = 6, WARN_DAYS_AHEAD = 31 };

/* Countries that settle on the TARGET calendar: those whose currency is the euro. */
static const char euro_countries[][3] = {
    "AT", "BE", "BG", "CY", "DE", "EE", "ES", "FI", "FR", "GR", "HR",
    "IE", "IT", "LT", "LU", "LV", "MT", "NL", "PT", "SI", "SK",
};

static const struct ste_calendar *find_calendar(const struct ste_ref *ref, const char *name)
{
    for (size_t i = 0; i < ref->calendar_count; i++) {
        if (strcmp(ref->calendars[i].name, name) == 0)
            return &ref->calendars[i];
    }
    return NULL;
}

static const struct ste_calendar *calendar_of(const struct ste_ref *ref, struct ste_bytes country)
{
    if (country.len != 2)
        return NULL;
    char name[8] = {country.at[0], country.at[1]};
    if (ste_sorted_find(euro_countries, sizeof(euro_countries) / sizeof(euro_countries[0]),
                        sizeof(euro_countries[0]), name, 2))
        memcpy(name, "TARGET", sizeof("TARGET"));
    return find_calendar(ref, name);
}

static int compare_dates(const void *left, const void *right)
{
    ste_date a = *(const ste_date *)left, b = *(const ste_date *)right;
    return (a > b) - (a < b);
}

static bool is_holiday(const struct ste_calendar *calendar, ste_date date)
{
    return ste_date_weekday(date) >= SATURDAY ||
           bsearch(&date, calendar->holidays, calendar->holiday_count, sizeof(date), compare_dates);
}

enum ste_business ste_ref_business(const struct ste_ref *ref, struct ste_bytes country,
                                   ste_date date)
{
    const struct ste_calendar *calendar = calendar_of(ref, country);
    if (!calendar)
        return STE_BUSINESS_NO_CALENDAR;
    return is_holiday(calendar, date) ? STE_BUSINESS_HOLIDAY : STE_BUSINESS_DAY;
}

ste_date ste_ref_business_add(const struct ste_ref *ref, struct ste_bytes country, ste_date from,
                              unsigned days)
{
    const struct ste_calendar *calendar = calendar_of(ref, country);
    if (!calendar || from == STE_DATE_NONE)
        return STE_DATE_NONE;
    while (days > 0) {
        from++;
        days -= is_holiday(calendar, from) ? 0 : 1;
    }
    return from;
}

/* ---- loading ---- */

/* The first or last day of the year that holds `date`. */
static ste_date year_edge(ste_date date, const char *month_and_day)
{
    char text[STE_DATE_TEXT_BYTES];
    ste_date edge = date;
    ste_date_format(date, text);
    memcpy(text + 4, month_and_day, sizeof("-01-01"));
    return ste_date_parse(ste_bytes_of(text), &edge) ? edge : date;
}

/* False: out of memory. */
static bool read_holidays(struct ste_ref_loader *loader, struct ste_csv *csv,
                          struct ste_calendar *calendar)
{
    struct ste_buf dates = {0};
    ste_date date, before = STE_DATE_NONE;
    while (ste_csv_next(csv)) {
        if (!ste_date_parse(csv->cells[0], &date)) {
            ste_csv_fault(csv, 0, "a date YYYY-MM-DD is wanted");
        } else if (date <= before) {
            ste_csv_fault(csv, 0, "dates must ascend");
        } else {
            ste_buf_append(&dates, &date, sizeof(date));
            before = date;
        }
    }
    calendar->holiday_count = dates.len / sizeof(date);
    ste_date *kept = STE_ARENA_ARRAY(loader->ref->arena, ste_date, calendar->holiday_count + 1);
    bool ok = kept && !dates.failed;
    if (ok && calendar->holiday_count) {
        memcpy(kept, dates.at, dates.len);
        calendar->first = year_edge(kept[0], "-01-01");
        calendar->last = year_edge(before, "-12-31");
    }
    calendar->holidays = kept;
    if (ok && !calendar->holiday_count)
        ste_csv_fault_line(csv, 1, "a calendar needs at least one holiday");
    ste_buf_deinit(&dates);
    return ok;
}

static bool load_calendar(struct ste_ref_loader *loader, const struct ste_yaml *node,
                          const char *folder, const char *name)
{
    struct ste_ref *ref = loader->ref;
    struct ste_calendar *calendar = &ref->calendars[ref->calendar_count];
    struct ste_csv csv;
    bool ok = true;
    const char *path = ste_arena_printf(ref->arena, "%s/%s.csv", folder, name);
    if (!path)
        return false;
    memcpy(calendar->name, name, strlen(name) + 1);
    if (ste_csv_open(&csv, path, "date,name", node, loader->faults)) {
        ref->calendar_count++;
        ok = read_holidays(loader, &csv, calendar);
    }
    ste_csv_close(&csv);
    return ok;
}

/* "SG.csv" and "TARGET.csv" name calendars; the rest of a folder (a README, a backup) is not ours.
 */
static bool calendar_name(const char *file, char name[static 8])
{
    const char *dot = strchr(file, '.');
    size_t len = dot ? (size_t)(dot - file) : 0;
    if (!dot || strcmp(dot, ".csv") != 0 || len >= 8)
        return false;
    memcpy(name, file, len);
    name[len] = '\0';
    return strcmp(name, "TARGET") == 0 ||
           (len == 2 && strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 2);
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(left, right);
}

/* The names in order, so that faults and warnings come out the same everywhere. */
static size_t list_names(DIR *dir, char names[static CALENDAR_COUNT_MAX][8])
{
    const struct dirent *entry;
    size_t count = 0;
    while (count < CALENDAR_COUNT_MAX && (entry = readdir(dir)))
        count += calendar_name(entry->d_name, names[count]) ? 1 : 0;
    qsort(names, count, sizeof(names[0]), compare_names);
    return count;
}

bool ste_ref_load_calendars(struct ste_ref_loader *loader, const struct ste_yaml *folder)
{
    char names[CALENDAR_COUNT_MAX][8];
    bool ok = true;
    if (!folder || !folder->scalar || !folder->scalar[0])
        return true;
    const char *path = ste_ref_path(loader, folder);
    loader->ref->calendars =
        STE_ARENA_ARRAY(loader->ref->arena, struct ste_calendar, CALENDAR_COUNT_MAX);
    if (!path || !loader->ref->calendars)
        return false;
    DIR *dir = opendir(path);
    if (!dir) {
        ste_faults_add(loader->faults, folder, "reference.calendars", "could not open %s: %s", path,
                       strerror(errno));
        return true;
    }
    size_t count = list_names(dir, names);
    closedir(dir);
    if (count == 0)
        ste_faults_add(loader->faults, folder, "reference.calendars", "%s holds no calendar", path);
    for (size_t i = 0; ok && i < count; i++)
        ok = load_calendar(loader, folder, path, names[i]);
    return ok;
}

/* Places of settlement without a calendar, and calendars that end soon. */
bool ste_ref_warn_calendars(struct ste_ref_loader *loader)
{
    struct ste_ref *ref = loader->ref;
    char text[STE_DATE_TEXT_BYTES];
    for (size_t i = 0; i < ref->participant_count; i++) {
        const struct ste_participant *place = &ref->participants[i];
        struct ste_bytes country = {place->bic8 + 4, 2};
        if ((place->roles & STE_PARTICIPANT_CSD) && !calendar_of(ref, country))
            ste_buf_printf(&ref->warnings,
                           "place %s: no calendar for %.2s, settlement dates are not checked\n",
                           place->bic8, country.at);
    }
    for (size_t i = 0; i < ref->calendar_count; i++) {
        const struct ste_calendar *calendar = &ref->calendars[i];
        ste_date_format(calendar->last, text);
        if (loader->business_date > calendar->last - WARN_DAYS_AHEAD)
            ste_buf_printf(&ref->warnings,
                           "calendar %s ends %s: of later days only weekends are known\n",
                           calendar->name, text);
        ste_date_format(calendar->first, text);
        if (loader->business_date < calendar->first)
            ste_buf_printf(&ref->warnings,
                           "calendar %s begins %s: of earlier days only weekends are known\n",
                           calendar->name, text);
    }
    return !ref->warnings.failed;
}
