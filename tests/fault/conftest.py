# SPDX-License-Identifier: Apache-2.0
"""An instance whose parts are killed, frozen and cut off: two routers, and two nodes a shard, so that
each one's work is covered by another. Everything that is sent to it stands in ledgers, and at the end
of each test the independent checker compares all of them with every row of every shard."""
import glob
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                                "integration"))

from lab import Lab, TOP, process_state, wait_for  # noqa: E402
from trades import drive  # noqa: E402

BUSINESS_DATE = "2026-11-30"


def pytest_configure():
    """TERM ends the run as Ctrl-C does: the fixtures still stop what they started."""
    def end(number, frame):
        raise KeyboardInterrupt
    signal.signal(signal.SIGTERM, end)


def pytest_collection_modifyitems(items):
    """The largest sets last: the checker reads every row so far after each test."""
    items.sort(key=lambda item: item.path.name == "test_recovery.py")


@pytest.fixture(scope="session")
def instance():
    running = os.environ.get("STE_FAULT_LAB_DIR")
    if running:
        yield Lab(os.path.abspath(running))
        return
    lab = Lab(os.path.join(TOP, "build", "lab-fault"))
    if os.path.exists(lab.path("lab.conf")):
        lab.down("--wipe")
    other = os.environ.get("STE_LAB_BIN")
    try:
        lab.up(*(["--bin", other] if other else ["--preset", "dev"]), "--as-of", BUSINESS_DATE,
               "--shards", "2", "--nodes", "4", "--routers", "2", "--replies", "exceptions")
        yield lab
    finally:
        lab.down()


@pytest.fixture(scope="session")
def records(instance):
    """At the end once more, with the queues."""
    records = Records(instance)
    yield records
    mend(instance)
    print(records.judge())


@pytest.fixture
def lab(instance, records):
    """Every part runs and is ready, before and after; and at the end all ledgers are clean."""
    mend(instance)
    yield instance
    mend(instance)
    records.end_runs()
    records.check()


@pytest.fixture
def rng():
    seed = int(os.environ.get("STE_TEST_SEED") or random.SystemRandom().randrange(1 << 32))
    print("STE_TEST_SEED=%d" % seed)
    return random.Random(seed)


def mend(lab):
    for part in ("broker", *("shard %d" % s for s in range(lab.shard_count()))):
        name = part.replace(" ", "-")
        if not lab.alive(name):
            lab.start(*part.split())
        elif process_state(lab.pid(name)) == "T":
            os.kill(lab.pid(name), signal.SIGCONT)
    names = lab.components("routers") + lab.components("nodes")
    for name in names:
        if not lab.alive(name):
            lab.launch(name)
        elif process_state(lab.pid(name)) == "T":
            os.kill(lab.pid(name), signal.SIGCONT)
    for name in names:
        wait_for(lambda: lab.is_ready(name), 30, "%s ready: %s" % (name, lab.get(name, "/readyz")))


class Records:
    """The ledgers of the instance, and the sets that were sent."""

    def __init__(self, lab):
        self.lab = lab
        self.folder = lab.path("faults")
        os.makedirs(self.folder, exist_ok=True)
        self.numbers = itertools.count(int(time.time()) % 100000000 * 10)
        # Of an earlier session, where the instance is one that was running already.
        self.sent = sorted(glob.glob(os.path.join(self.folder, "*", "sent.ledger")))
        self.cls = sorted(glob.glob(os.path.join(self.folder, "*", "cls.ledger")))
        self.runs = []

    def make_set(self, trades, shuffle=64):
        """A fresh set: sets of different seeds share no trade."""
        folder = os.path.join(self.folder, "set-%d" % next(self.numbers))
        self.lab.bench("gen", "--trades", str(trades), "--out", folder, "--shuffle-window",
                       str(shuffle), "--seed", folder.rpartition("-")[2])
        return folder

    def start(self, trades, folder=None, **options):
        """ste-bench run in the background."""
        run = Run(self, folder or self.make_set(trades), trades, options)
        self.runs.append(run)
        return run

    def drive(self, entries, trades, *options):
        """A set made here, sent and confirmed; its CLS come in with `collect`."""
        folder = os.path.join(self.folder, "set-%d" % next(self.numbers))
        drive(self.lab, folder, entries, trades, *options)
        self.sent.append(os.path.join(folder, "sent.ledger"))

    def drive_set(self, folder, *options):
        ledger = os.path.join(folder, "sent.ledger")
        self.sent.append(ledger)
        self.lab.bench("drive", "--set", folder, "--ledger", ledger, *options)

    def cls_of(self, keys):
        """Which of these trades have a CLS; taken from the queue as they come."""
        wanted = {key.hex() for key in keys}
        found = set()
        for path in existing([*self.cls, self.collect()]):
            with open(path, encoding="ascii") as file:
                found |= {line.split()[1].partition(".")[0] for line in file}
        return wanted & found

    def end_runs(self):
        for run in self.runs:
            run.end()
        self.runs.clear()

    def collect(self):
        """CLS sent again after the pool of ste-bench had them all; nobody else reads that queue."""
        late = os.path.join(self.folder, "late.ledger")
        wait_for(lambda: not any(self.lab.query_all("SELECT 1 FROM outbox LIMIT 1")), 30,
                 "outboxes are empty")
        with self.lab.channel("clearing") as channel, open(late, "a", encoding="ascii") as ledger:
            while True:
                method, properties, _ = channel.basic_get("ste.cls")
                if method is None:
                    return late
                ledger.write("C %s %d\n" % (properties.message_id, time.monotonic_ns() // 1000))
                ledger.flush()
                channel.basic_ack(method.delivery_tag)

    def check(self):
        """Nothing lost, twice, phantom, missing or misplaced. First without the broker, whose
        statistics lag by seconds: what is clean then has nothing left in a queue either."""
        result = self.judge("--no-queues", "--wait", "0", status=None)
        return result if result is None or result["clean"] else self.judge(status=0)

    def judge(self, *options, status=0, sent=(), cls=()):
        """What the independent checker says of everything so far."""
        sent, cls = existing([*self.sent, *sent]), existing([*self.cls, *cls])
        if not sent or not cls:
            return None
        path = os.path.join(self.folder, "check.json")
        done = self.lab.admin("check", "--sent", *sent, "--cls", *cls, self.collect(), "--json", path,
                              *options, check=False)
        assert status in (None, done.returncode), done.stdout + done.stderr
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
        result["clean"] = done.returncode == 0
        result["text"] = done.stdout
        return result


def existing(files):
    """A run that was refused has left none."""
    return [f for f in files if os.path.exists(f)]


class Run:
    def __init__(self, records, folder, trades, options):
        self.lab, self.folder, self.trades = records.lab, folder, trades
        self.sent, self.cls, self.json, self.log = (
            os.path.join(folder, n) for n in ("sent.ledger", "cls.ledger", "run.json", "run.log"))
        records.sent.append(self.sent)
        records.cls.append(self.cls)
        words = [self.lab.program("ste-bench"), "run", "--config", self.lab.config, "--set", folder,
                 "--ledger", self.sent, "--cls-ledger", self.cls, "--json", self.json,
                 "--idle", str(options.pop("idle", 45))]
        for key, value in options.items():
            words += ["--" + key.replace("_", "-"), str(value)]
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.begin = time.monotonic()

    def ended(self):
        return self.process.poll() is not None

    def running_for(self, seconds):
        return time.monotonic() - self.begin > seconds

    def cleared(self):
        """CLS lines so far."""
        try:
            with open(self.cls, "rb") as file:
                return file.read().count(b"\n")
        except FileNotFoundError:
            return 0

    def wait_cleared(self, count, seconds=60):
        wait_for(lambda: self.cleared() >= count or self.ended(), seconds,
                 "%d of %d CLS, there are %d" % (count, self.trades, self.cleared()))
        assert self.cleared() >= count, self.text()

    def text(self):
        with open(self.log, encoding="utf-8") as file:
            return file.read()

    def finish(self, seconds=120):
        """Every trade has its CLS; returns what ste-bench measured."""
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError("%d of %d CLS after %d s\n%s" % (
                self.cleared(), self.trades, seconds, self.text())) from None
        assert status == 0, self.text()
        with open(self.json, encoding="utf-8") as file:
            result = json.load(file)
        assert result["cls_trades"] == self.trades and result["conflicts"] == 0, result
        print("%d trades in %.1f s, %d repeats, %d resent" % (
            self.trades, result["seconds"], result["repeats"], result["resent"]))
        return result

    def end(self):
        if not self.ended():
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
