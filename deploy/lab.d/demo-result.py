# SPDX-License-Identifier: Apache-2.0
"""What a demo came to: demo-result.py INSTANCE TRADES [JSON].

Flow and latency are the driver's and the pool's; what was lost, doubled or misplaced is the
independent checker's. Exit 0 only when every trade has exactly one CLS and nothing is amiss.
"""
import json
import os
import sys

FAULTS = ("lost", "duplicates", "misplaced", "phantoms", "missing")


def load(folder, name):
    path = os.path.join(folder, name)
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        sys.exit("lab: no result in %s: %s" % (path, error))


def summary(run, check, trades):
    latency = run.get("latency_ms") or {}
    return {
        "trades": trades,
        "messages": run["messages"],
        "cls": check["cls"],
        "lost": check["lost"],
        "duplicates": check["duplicates"],
        "misplaced": check["misplaced"],
        "phantoms": check["phantoms"],
        "missing": check["missing"],
        "exceptions": check["exceptions"],
        "seconds": run["seconds"],
        "msg_per_s": run["msg_per_s"],
        "latency_ms": {"p50": latency.get("p50"), "p99": latency.get("p99")},
    }


def rows(result):
    yield "trades sent", result["trades"], "%d messages" % result["messages"]
    yield "CLS out", result["cls"], "exactly one a trade" if clean(result) else "not one a trade"
    for name in FAULTS + ("exceptions",):
        yield name, result[name], ""
    yield "seconds", "%.2f" % result["seconds"], "first message sent to last CLS"
    yield "messages/s", "%.0f" % result["msg_per_s"], ""
    for name in ("p50", "p99"):
        value = result["latency_ms"][name]
        yield ("latency " + name, "-" if value is None else "%.1f ms" % value,
               "confirm of a trade's last message to its CLS")


def clean(result):
    return (result["cls"] == result["trades"] and result["exceptions"] == 0
            and all(result[name] == 0 for name in FAULTS))


def main(folder, trades, target=None):
    result = summary(load(folder, "run.json"), load(folder, "check.json"), int(trades))
    print()
    for name, value, remark in rows(result):
        print(("%-14s %12s  %s" % (name, value, remark)).rstrip())
    print()
    if target:
        with open(target, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=2)
            file.write("\n")
    return 0 if clean(result) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
