# SPDX-License-Identifier: Apache-2.0
"""One lab of an experiment: brought up for it, asked to clear trades, taken down at its end, however
that comes about.

    with Lab(options, result, shards=4, nodes=2) as lab:
        report = lab.send(20000, "--batch", "64")
"""
import argparse
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

from busy import Busy
from result import TOP, say

# Fixed, so that the same trades are made at every repetition.
BUSINESS_DATE = "2026-11-30"
MESSAGES_A_TRADE = 7
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SHARD_FIXED_BYTES = 700e6  # redo log of 512 MiB, system tables


def options(description, rounds=3, **defaults):
    """The parser with what all experiments take."""
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=positive, default=rounds, metavar="N",
                        help="repetitions (default %d)" % rounds)
    parser.add_argument("--quick", action="store_true",
                        help="very small, to see that it works; its figures mean nothing")
    parser.add_argument("--json", metavar="FILE", help="write the result")
    parser.add_argument("--csv", metavar="FILE", help="write the points, for ste-bench report")
    parser.add_argument("--dir", metavar="DIR", default=os.path.join(TOP, "build", "experiment"),
                        help="the lab's folder, emptied at the end (default build/experiment)")
    parser.add_argument("--bin", metavar="DIR",
                        help="programs from there (default: build preset release first)")
    parser.set_defaults(**defaults)
    return parser


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("%s is not above 0" % text)
    return value


def ignore_signals():
    for one in SIGNALS:
        signal.signal(one, signal.SIG_IGN)


def run_experiment(main):
    """A signal ends it as an error does: the lab is taken down."""
    def end(number, frame):
        ignore_signals()  # one is enough
        raise KeyboardInterrupt
    for one in SIGNALS:
        signal.signal(one, end)
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("stopped by a signal")
    except (LabError, OSError) as error:
        sys.exit("%s: %s" % (os.path.basename(sys.argv[0]), error))


class LabError(Exception):
    pass


def telling(lines, last=12):
    """The end of a log, and before it every complaint: a long table may stand behind one."""
    return [line for line in lines[:-last] if line.startswith("ste-bench")] + lines[-last:]


class Lab:
    def __init__(self, chosen, result, **settings):
        """`settings` are options of deploy/lab up: node_cpu=0.1 becomes --node-cpu 0.1."""
        self.folder = os.path.abspath(chosen.dir)
        self.bin = os.path.abspath(chosen.bin or os.path.join(TOP, "build", "release", "bin"))
        self.map = self.path("cluster.yaml")
        self.result = result
        self.words = ["--as-of", BUSINESS_DATE]
        if chosen.bin:
            self.words += ["--bin", self.bin]
        for name, value in settings.items():
            self.words += ["--" + name.replace("_", "-"), str(value)]
        self.shards = int(settings["shards"])
        self.next_trade = self.log_start = 0

    def __enter__(self):
        if os.path.exists(self.path("lab.conf")):
            raise LabError("%s holds an instance: deploy/lab down --wipe --dir %s, or another --dir"
                           % (self.folder, self.folder))
        say("lab up: " + " ".join(self.words[2:]))
        try:
            self.call("up", *self.words)
        except BaseException:
            self.down()
            raise
        return self

    def __exit__(self, *unused):
        self.down()

    def down(self):
        """A signal waits, here and in deploy/lab, or it would leave the lab half down."""
        came = []
        before = [(one, signal.signal(one, lambda number, frame: came.append(number)))
                  for one in SIGNALS]
        try:
            if os.path.exists(self.path("lab.conf")):
                self.call("down", "--kill", "--wipe", preexec_fn=ignore_signals)
        finally:
            for one, handler in before:
                signal.signal(one, handler)
        if came:
            raise KeyboardInterrupt

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def call(self, command, *words, **options):
        done = subprocess.run([os.path.join(TOP, "deploy", "lab"), command, "--dir", self.folder,
                               *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True, check=False, **options)
        if done.returncode != 0:
            raise LabError("deploy/lab %s failed:\n%s" % (command, done.stderr))

    # ste-bench

    def start(self, *command, log="bench.log"):
        """A program of the engine, its output in DIR/log."""
        with open(self.path("log", log), "ab") as out:
            self.log_start = out.tell()
            return subprocess.Popen([os.path.join(self.bin, command[0]), *command[1:]],
                                    stdin=subprocess.DEVNULL, stdout=out, stderr=out)

    def wait(self, process, what, log="bench.log", good=(0,)):
        """For the program started last."""
        try:
            status = process.wait()
        except BaseException:
            process.terminate()
            process.wait()
            raise
        if status not in good:
            with open(self.path("log", log), errors="replace") as file:
                file.seek(self.log_start)
                raise LabError("%s: exit %d\n%s" % (what, status, "".join(telling(file.readlines()))))

    def bench(self, command, *words, with_map=True):
        """Its report. How busy others were meanwhile is noted."""
        report = self.path("report.json")
        if os.path.exists(report):
            os.remove(report)
        busy = Busy(self.folder)
        mapped = ["--config", self.map] if with_map else []
        self.wait(self.start("ste-bench", command, *mapped, *words, "--json", report),
                  "ste-bench %s %s" % (command, " ".join(words)))
        others = busy.others()
        if others is not None:
            self.result.others.append(others)
        with open(report) as file:
            return json.load(file)

    def first_trade(self, trades):
        """Numbers of trades that this lab has not seen."""
        first = self.next_trade
        self.next_trade += trades
        return first

    def set(self, trades):
        """A new set on the disk; the last one is gone."""
        folder = self.path("set")
        shutil.rmtree(folder, ignore_errors=True)
        self.wait(self.start("ste-bench", "gen", "--config", self.map, "--trades", str(trades),
                             "--first", str(self.first_trade(trades)), "--out", folder),
                  "ste-bench gen")
        return folder

    def send(self, trades, *words, generate=False):
        """Runs new trades through and returns the report; every one must get its CLS. From a set
        made before, or generated while they are sent."""
        if generate:
            source = ["--generate", str(trades), "--first", str(self.first_trade(trades))]
        else:
            source = ["--set", self.set(trades)]
            for name in ("sent", "cls"):
                path = self.path(name + ".ledger")
                if os.path.exists(path):
                    os.remove(path)
            source += ["--ledger", self.path("sent.ledger"), "--cls-ledger", self.path("cls.ledger")]
        report = self.bench("run", *source, *words)
        if report["cls_trades"] != trades:
            raise LabError("%d of %d trades were cleared" % (report["cls_trades"], trades))
        return report

    # What is stored

    def data_bytes(self):
        """On disk, of the schema's files on all shards: rows and indexes; no redo log, no undo."""
        total = 0
        for shard in range(self.shards):
            with os.scandir(self.path("shard-%d" % shard, "data", "ste")) as files:
                total += sum(512 * file.stat().st_blocks for file in files)
        return total

    def health_ports(self, kind):
        with open(self.map) as file:
            text = file.read()
        section = re.search(r"^  %s:\n((?:    .*\n)+)" % kind, text, re.M).group(1)
        return [int(port) for port in re.findall(r"health_port: (\d+)", section)]


class Counter(threading.Thread):
    """Messages stored by all nodes, read from their /metrics every `every_s` seconds, from entering
    to leaving a with block: the rate without the beginning and the end of a run."""

    def __init__(self, lab, every_s):
        super().__init__(daemon=True)
        self.ports, self.every_s = lab.health_ports("nodes"), every_s
        self.series, self.finished = [], threading.Event()

    def __enter__(self):
        self.read()
        self.start()
        return self

    def __exit__(self, *unused):
        self.finished.set()
        self.join()
        self.read()

    def run(self):
        while not self.finished.wait(self.every_s):
            self.read()

    def read(self):
        """A sample counts only when every node answered."""
        begin, total = time.monotonic(), 0.0
        for port in self.ports:
            try:
                with urllib.request.urlopen("http://127.0.0.1:%d/metrics" % port, timeout=10) as page:
                    text = page.read().decode()
            except (urllib.error.URLError, http.client.HTTPException, OSError):
                return
            total += sum(float(v) for v in re.findall(
                r"^ste_messages_stored_total\{[^}]*\} (\S+)$", text, re.M))
        self.series.append(((begin + time.monotonic()) / 2, total))

    def steady(self, from_share, to_share, total):
        """Messages a second while the share done went from one to the other, by the samples that lie
        between. None where fewer than two do."""
        if not self.series:
            return None
        start = self.series[0][1]
        inside = [(t, v) for t, v in self.series
                  if from_share * total <= v - start <= to_share * total]
        if len(inside) < 2 or inside[-1][0] <= inside[0][0]:
            return None
        return (inside[-1][1] - inside[0][1]) / (inside[-1][0] - inside[0][0])


def need_disk(folder, what, needed):
    """Refuses what would fill the disk."""
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise LabError("%s needs %.0f GB, %s has %.0f GB free" % (what, needed / 1e9, folder,
                                                                free / 1e9))
    say("disk: %s needs about %.1f GB, %.1f GB are free" % (what, needed / 1e9, free / 1e9))
