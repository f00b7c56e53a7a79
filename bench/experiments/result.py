# SPDX-License-Identifier: Apache-2.0
"""What an experiment found: the machine it ran on, each round's values, medians and spread, as a
table, as JSON and as CSV.

JSON: {"experiment", "machine", "commit", "settings", "runs": [{name: value}], "ratios": [{name:
value}], "others_busy": [share of the machine], "goals": [{"name", "value", "goal", "met"}]}; one
element of runs and of ratios a round. `ste-bench compare` reads two such files.
"""
import csv
import json
import os
import platform
import statistics
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
BEGIN = time.monotonic()


def say(text):
    """Progress, on standard error: what is done stands in the table."""
    print("[%6.0f s] %s" % (time.monotonic() - BEGIN, text), file=sys.stderr, flush=True)


def output_of(*command):
    """The first line that a command prints; empty where it cannot be run."""
    try:
        done = subprocess.run(command, cwd=TOP, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, timeout=20, check=False)
    except OSError:
        return ""
    return (done.stdout.splitlines() or [""])[0].strip() if done.returncode == 0 else ""


def field_of(path, name, separator):
    with open(path) as file:
        for line in file:
            key, found, value = line.partition(separator)
            if found and key.strip() == name:
                return value.strip().strip('"')
    return ""


def machine():
    """What a figure must be read with."""
    return {
        "model": field_of("/proc/cpuinfo", "model name", ":"),
        "cores": os.cpu_count(),
        "memory_gib": round(int(field_of("/proc/meminfo", "MemTotal", ":").split()[0]) / 2 ** 20, 1),
        "kernel": platform.release(),
        "system": field_of("/etc/os-release", "PRETTY_NAME", "="),
        "broker": "RabbitMQ " + output_of("dpkg-query", "-W", "-f=${Version}", "rabbitmq-server"),
        "database": output_of("/usr/sbin/mariadbd", "--version"),
        "compiler": output_of("gcc", "--version"),
        "load_before": round(os.getloadavg()[0], 2),
        "date": time.strftime("%F", time.gmtime()),
    }


def commit():
    """With a + where files of the tree differ from it."""
    name = output_of("git", "rev-parse", "--short", "HEAD")
    return name + ("+" if name and output_of("git", "status", "--porcelain", "-uno") else "")


class Result:
    def __init__(self, experiment, chosen, settings, columns):
        """`chosen` are the command line's options; `columns` are the CSV's, row() gives its lines."""
        self.head = {"experiment": experiment, "machine": machine(), "commit": commit(),
                     "settings": dict(settings, rounds=chosen.rounds, quick=chosen.quick)}
        self.columns, self.rows = columns, []
        self.runs, self.ratios, self.others, self.goals = [], [], [], []
        say("%s: load before %.2f" % (experiment, self.head["machine"]["load_before"]))

    def row(self, *values):
        if len(values) != len(self.columns):
            raise ValueError("%d values for columns %s" % (len(values), ",".join(self.columns)))
        self.rows.append(values)

    def goal(self, name, value, wanted, low=True):
        """`low`: the value may not lie below what is wanted; else not above."""
        if self.head["settings"]["quick"]:
            return
        self.goals.append({"name": name, "value": value, "goal": wanted,
                           "met": value >= wanted if low else value <= wanted})

    def show(self):
        for title, rounds in (("measured", self.runs), ("ratios within a round", self.ratios)):
            names = list(dict.fromkeys(name for r in rounds for name in r))
            if names:
                print("\n%-44s %10s %21s  n" % (title, "median", "spread"))
            for name in names:
                values = [r[name] for r in rounds if name in r]
                print("%-44s %10s %21s %2d" % (
                    name, brief(statistics.median(values)),
                    brief(min(values)) + "-" + brief(max(values)), len(values)))
        for goal in self.goals:
            print("goal %-39s %10s, wanted %s: %s" % (
                goal["name"], brief(goal["value"]), brief(goal["goal"]),
                "met" if goal["met"] else "missed"))
        if self.others:
            print("others had at most %.1f%% of the machine" % (100 * max(self.others)))

    def write(self, json_path, csv_path):
        if json_path:
            with open(json_path, "w") as file:
                json.dump(dict(self.head, runs=self.runs, ratios=self.ratios,
                               others_busy=[round(o, 4) for o in self.others], goals=self.goals),
                          file, indent=1)
                file.write("\n")
        if csv_path:
            with open(csv_path, "w", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(self.columns)
                writer.writerows([plain(v) for v in row] for row in self.rows)


def brief(value):
    """Four digits that matter."""
    if value == 0 or abs(value) >= 1000:
        return "{:,.0f}".format(value)
    return "%.4g" % value


def plain(value):
    """A field of a CSV without quotes, as ste-bench report reads it."""
    if isinstance(value, float):
        return ("%.4f" % value).rstrip("0").rstrip(".")
    return str(value).replace(",", ";")
