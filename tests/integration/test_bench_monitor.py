# SPDX-License-Identifier: Apache-2.0
"""ste-bench monitor and run --samples: what the samples say agrees with what was sent."""
import collections
import csv
import signal
import subprocess
import time

from lab import wait_for

TRADES = 60
SENT = {"NOE": TRADES, "ALB": 2 * TRADES, "NPR": 2 * TRADES, "SET": 2 * TRADES, "EXC": 0}
MESSAGES = 7 * TRADES


class Samples:
    """The file: rows by (kind, name, type, quantity) as [(at_us, value)], and the meta rows."""

    def __init__(self, path):
        self.meta, self.rows = {}, collections.defaultdict(list)
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(line for line in file if line.endswith("\n")):
                if row["kind"] == "meta":
                    self.meta[row["quantity"]] = row["value"]
                else:
                    key = row["kind"], row["name"], row["type"], row["quantity"]
                    self.rows[key].append((int(row["at_us"]), float(row["value"])))

    def of(self, kind, quantity):
        return {k: v for k, v in self.rows.items() if (k[0], k[3]) == (kind, quantity)}

    def growth(self, kind, quantity, names=None, type_=None):
        return round(sum(values[-1][1] - values[0][1]
                         for key, values in self.of(kind, quantity).items()
                         if (names is None or key[1] in names) and type_ in (None, key[2])), 6)

    def moments(self):
        return sorted({at for values in self.rows.values() for at, _ in values})


def is_quiet(lab, known):
    """What earlier tests have sent is done: nothing came to any worker since the last look."""
    now = [lab.metric(name, "ste_stage_records_total")
           for kind in ("routers", "nodes") for name in lab.components(kind)]
    same, known[:] = now == known, now
    return same and lab.ready("ste.in", *work_queues(lab)) == 0


def work_queues(lab):
    return ["ste.%s.%02d" % (type_.lower(), shard)
            for type_ in SENT for shard in range(lab.shard_count())]


def test_run_counts_what_was_sent(lab, tmp_path):
    folder, path = str(tmp_path / "set"), str(tmp_path / "samples.csv")
    lab.bench("gen", "--trades", str(TRADES), "--out", folder, "--seed", str(time.time_ns() % 2**31))
    known = []
    wait_for(lambda: is_quiet(lab, known), 30, "nothing on its way")
    lab.bench("run", "--set", folder, "--batch", "5", "--samples", path, "--interval-ms", "100")
    samples = Samples(path)

    for quantity in ("published", "confirmed"):
        assert samples.growth("driver", quantity) == MESSAGES
    assert samples.growth("pool", "cls") == TRADES
    assert samples.growth("pool", "cleared") == MESSAGES
    for names in (lab.components("routers"), lab.components("nodes")):
        for type_, count in SENT.items():
            assert samples.growth("stage", "arrivals", names, type_) == count
            assert samples.growth("stage", "completions", names, type_) == count
        workers = {key[1] for key in samples.of("worker", "arrivals")
                   if key[1].partition("/")[0] in names}
        for quantity in ("arrivals", "completions"):
            assert samples.growth("worker", quantity, workers) == MESSAGES
        assert 0 < samples.growth("worker", "batches", workers) <= MESSAGES
        assert samples.growth("stage", "busy_seconds", names) > 0
    assert samples.growth("shard", "messages_stored") >= MESSAGES  # rolled back ids are gone
    assert samples.growth("shard", "commits") > 0

    ready = samples.of("queue", "ready")
    assert len(ready) == 4 + 6 * lab.shard_count()
    for (_, name, _, _), values in ready.items():
        if name in ("ste.in", *work_queues(lab)):
            assert values[0][1] == values[-1][1] == 0, name
    processes = {key[1] for key in samples.of("process", "resident_bytes")}
    assert processes == {"bench", "broker", *lab.components("routers"), *lab.components("nodes"),
                         *("shard-%d" % s for s in range(lab.shard_count()))}
    assert {k: samples.meta[k] for k in ("batch", "trades", "messages", "passed", "shards")} == {
        "batch": "5", "trades": str(TRADES), "messages": str(MESSAGES), "passed": "true",
        "shards": str(lab.shard_count())}
    assert float(samples.meta["mean_residence_s"]) > 0


def test_monitor_outlives_a_node(lab, tmp_path):
    path, node = tmp_path / "samples.csv", lab.components("nodes")[-1]
    monitor = subprocess.Popen(
        [lab.program("ste-bench"), "monitor", "--config", lab.config, "--out", str(path),
         "--interval-ms", "100"], stderr=subprocess.PIPE, text=True)
    key = "process", node, "", "resident_bytes"

    def sampled():
        return len(Samples(path).rows[key]) if path.exists() else 0

    def missed():
        samples = Samples(path)
        return len(samples.moments()) - len(samples.rows[key])

    try:
        wait_for(lambda: sampled() >= 2, 10, "first samples")
        lab.end(node)
        gone = sampled()
        wait_for(lambda: missed() >= 2, 10, "samples without the node")  # one may be half written
        lab.launch(node)
        wait_for(lambda: lab.is_ready(node), 30, node + " ready")
        wait_for(lambda: sampled() > gone + 2, 10, "samples of the new process")
    finally:
        monitor.send_signal(signal.SIGINT)
        _, errors = monitor.communicate(timeout=20)
    assert monitor.returncode == 0, errors
    samples = Samples(path)
    moments = samples.moments()
    assert len(samples.rows[key]) < len(moments)
    assert len(samples.rows["process", lab.components("routers")[0], "", "resident_bytes"]) == \
        len(moments)
    assert errors.count("%s: no metrics" % node) == 1, errors
    # No drift: all but the last stand on the grid of the first, or were counted as late.
    ticks = [(at - moments[0]) // 100000 for at in moments[:-1]]
    assert len(set(ticks)) == len(ticks)
    assert ticks[-1] - len(ticks) + 1 <= int(float(samples.meta["late_samples"]))
