# SPDX-License-Identifier: Apache-2.0
"""ste-submit as a person uses it: keys, splitting, waiting, --check; faults of a cluster map."""
import contextlib
import json
import os
import shutil
import subprocess
import threading
import time

import yaml

from broker import broker
from talk import BIN, Answers
from market import BROKER, CUSTODIAN, HUB, MANAGER, batch, place, position, single

COMMON = {"to", "kind", "trade_reference", "stage", "account", "code", "place", "text", "then"}
ANSWER = COMMON | {"delivery", "index", "reference", "reasons"}


def test_keys_of_the_lines(talk):
    """Every line has the keys of its kind, and no line another shape."""
    good, bad = single(), single()
    answers = talk.send(good.all(), bad.noe(inside="<Strange/>"), bad.alb(), bad.npr(),
                        bad.set(Direction="SELL"), bad.noe(Reference="N2"), bad.alb(Narrative="x"))
    seen = {}
    for line in answers.lines:
        seen.setdefault(line["kind"], []).append(line)
    assert set(seen) == {"ACK", "REJ", "EXC", "NMA", "MAC", "CLS"}
    for kind in ("ACK", "REJ", "EXC"):
        for line in seen[kind]:
            assert ANSWER <= set(line), (kind, set(line) ^ ANSWER)
            for reason in line["reasons"]:
                assert {"code", "element", "place", "level", "text"} <= set(reason)
    for line in seen["NMA"]:
        assert COMMON | {"references", "conditions"} <= set(line)
        for condition in line["conditions"]:
            assert {"code", "element", "account", "values"} <= set(condition)
            assert all(set(v) == {"value", "sender", "reference"} for v in condition["values"])
    for line in seen["MAC"] + seen["CLS"]:
        assert COMMON | {"references", "version", "legs"} <= set(line)
        assert all(set(leg) == {"account", "quantity", "settlement_amount", "currency"}
                   for leg in line["legs"])
    assert seen["CLS"][0]["action"] == "NEWM"
    assert answers.summary == {"submitted": 10, "ack": 8, "rej": 1, "exc": 1, "dupl": 0, "nma": 3,
                               "mac": 3, "cls": 1}


def test_each_with_his_own_key(talk, lab):
    """--keys: every Sender's own key; who is not allowed is told so."""
    trade, keys = single(), lab.path("keys")
    answers = talk.file(batch(trade.all()), "--keys", keys)
    assert answers.summary == {"submitted": 4, "ack": 4, "rej": 0, "exc": 0, "dupl": 0, "nma": 0,
                               "mac": 3, "cls": 1}
    assert {m["to"] for m in answers.of("MAC")} == {BROKER, MANAGER, CUSTODIAN}
    stored = lab.query_all("SELECT sender, key_id FROM message WHERE LOCATE(%s, body) > 0",
                           (trade.reference.encode(),))
    assert len(stored) == 4
    assert all(row["key_id"].startswith(row["sender"][:8] + b"/") for row in stored), stored
    trade = single()
    answers = talk.file(batch(trade.all()), "--hub", "BROKSGSG/h1")
    assert [answers.answer(n)["kind"] for n in range(4)] == ["ACK", "EXC", "ACK", "EXC"]
    assert all((line["code"], line["to"]) == ("XSND", BROKER) for line in answers.of("EXC"))
    wrong = os.path.join(talk.folder, "keys")
    os.makedirs(os.path.join(wrong, BROKER))
    shutil.copy(os.path.join(keys, MANAGER, "h1"), os.path.join(wrong, BROKER, "h1"))
    start = time.monotonic()
    answers = talk.file(batch([single().noe()]), "--keys", wrong, wait="1", status=3)
    assert 1 <= time.monotonic() - start < 5 and answers.lines == []
    assert answers.summary["submitted"] == 1


def test_batches(talk):
    """--batch K: deliveries of K messages, every one answered; without it a file goes as it is."""
    trades = [single() for _ in range(10)]
    messages = [m for t in trades for m in t.all()]
    for options, sizes in ((("--batch", "7"), [7] * 5 + [5]), (("--batch", "1"), [1] * 40),
                           ((), [40])):
        answers = talk.file(batch(messages), *options)
        deliveries = {}
        for line in answers.of("ACK"):
            deliveries.setdefault(line["delivery"], []).append(line["index"])
        assert sorted(map(sorted, deliveries.values()), key=len, reverse=True) == sorted(
            map(list, map(range, sizes)), key=len, reverse=True)
    assert answers.summary["dupl"] == 40
    answers = talk.file(batch([single().alb() for _ in range(1001)]), "--batch", "2000")
    assert answers.summary["ack"] == 1001
    assert max(line["index"] for line in answers.of("ACK")) < 1000


def test_bytes_are_kept(talk, lab):
    """A file within the limits is sent as it is, a split one keeps each message's bytes."""
    odd = '<TradeMessage  type = "NOE"   function="NEWM" >'
    for options in ((), ("--batch", "1")):
        texts = [single().noe(inside="<!-- \u4e2d -->\r\n").xml().replace(
            '<TradeMessage type="NOE" function="NEWM">', odd) for _ in range(3)]
        answers = talk.file(batch(texts), *options)
        assert answers.summary["ack"] == 3
        for text in texts:
            reference = text.split("<TradeReference>")[1].split("<")[0]
            row, = lab.query_all("SELECT body FROM message WHERE LOCATE(%s, body) > 0",
                                 (reference.encode(),))
            assert bytes(row["body"]) == text.encode()


def test_several_files_and_standard_input(talk, lab):
    paths = [talk.write(batch([single().noe()])) for _ in range(3)]
    status, output, _ = talk.run("--config", lab.config, "--wait", "20", "--json", *paths)
    assert status == 0 and json.loads(output.splitlines()[-1])["summary"]["ack"] == 3
    done = subprocess.run([os.path.join(BIN, "ste-submit"), "--config", lab.config, "--wait", "20",
                           "--json", "-"], input=single().noe().xml().encode(),
                           stdout=subprocess.PIPE,
                          check=False)
    assert done.returncode == 0 and json.loads(done.stdout.splitlines()[-1])["summary"]["ack"] == 1
    assert talk.run("--config", lab.config, talk.write(batch([single().noe()])))[0] == 0
    assert talk.run("--nonsense")[0] == 2 and talk.run("--help")[0] == 0
    assert talk.run("--config", lab.config, "/nonexistent")[0] == 1


def test_only_what_was_asked(talk, lab):
    """Answers and outcomes of others, who use the same parties, are neither shown nor counted."""
    with broker(lab) as b:
        stop, sent = threading.Event(), []

        def others():
            while not stop.is_set():
                trade = single()
                b.send(batch(trade.all()))
                sent.append(trade)
                b.pump(0.005)
        thread = threading.Thread(target=others)
        thread.start()
        try:
            trades = [single() for _ in range(100)]
            answers = talk.send([m for t in trades for m in t.all()])
        finally:
            stop.set()
            thread.join()
    assert sent
    assert answers.summary == {"submitted": 400, "ack": 400, "rej": 0, "exc": 0, "dupl": 0,
                               "nma": 0,
                               "mac": 300, "cls": 100}


class Watched:
    """A run of ste-submit and the most memory it had, in kB."""

    def __init__(self, *words):
        process = subprocess.Popen([os.path.join(BIN, "ste-submit"), *words],
                                   stdout=subprocess.PIPE)
        self.peak_kb = 0
        thread = threading.Thread(target=self.watch, args=(process,))
        thread.start()
        self.output = process.stdout.read().decode()
        thread.join()
        self.status = process.returncode

    def watch(self, process):
        while process.poll() is None:
            with contextlib.suppress(OSError), open("/proc/%d/status" % process.pid,
                                                    encoding="ascii") as file:
                for line in file:
                    if line.startswith("VmHWM"):
                        self.peak_kb = max(self.peak_kb, int(line.split()[1]))
            time.sleep(0.005)


def test_twenty_thousand_messages(talk, lab):
    """One file of 5,000 trades: every message answered, every trade cleared, in little memory."""
    path = talk.write(batch([m for _ in range(5000) for m in single().all()]))
    run = Watched("--config", lab.config, "--wait", "60", "--json", path)
    assert run.status == 0
    assert json.loads(run.output.splitlines()[-1])["summary"] == {
        "submitted": 20000, "ack": 20000, "rej": 0, "exc": 0, "dupl": 0, "nma": 0, "mac": 15000,
        "cls": 5000}
    assert run.peak_kb < 64000


def test_memory_does_not_grow_with_the_file(talk):
    peaks = []
    for count in (4000, 80000):
        text = single().noe().xml() + "\n"
        path = talk.write("<TradeMessages>" + text * count + "</TradeMessages>")
        run = Watched("--check", path)
        assert run.status == 0 and "%d messages" % count in run.output
        peaks.append(run.peak_kb)
        os.unlink(path)
    assert peaks[1] < peaks[0] + 2000, peaks


def test_neighbours_of_a_huge_message(talk):
    """A message of more than a delivery is one EXC; those around it come through."""
    for filler in ("<!--%s-->", "<Narrative>%s</Narrative>", "<u><![CDATA[%s]]></u>", "<u>%s</u>",
                   "<u a='%s'/>"):
        messages = [single().noe(), single().noe(inside=filler % ("x" * (5 << 20))), single().noe()]
        answers = talk.file(batch(messages))
        assert answers.summary["submitted"] == 3, filler
        assert (answers.summary["ack"], answers.summary["exc"]) == (2, 1), filler
        assert answers.of("EXC")[0]["code"] == "XLIM"
        assert {a["trade_reference"] for a in answers.of("ACK")} == {
            messages[0].TradeReference, messages[2].TradeReference}


def test_what_cannot_be_passed_over(talk):
    """A token without an end in sight: an error, told as such; what stood before it is sent,
    answered and summed up all the same."""
    before = [single().noe() for _ in range(3)]
    text = batch(before + [single().noe(inside="<!--%s-->" % ("x" * (20 << 20))), single().noe()])
    answers = talk.file(text, status=1)
    assert answers.errors and answers.summary["exc"] == 1
    assert {a["trade_reference"] for a in answers.of("ACK")} >= {m.TradeReference for m in before}


def test_check_explains_a_file(talk, lab):
    """Findings with line and column, without a broker; exit 0 only when nothing is refused."""
    trade = single()
    wrong = [trade.noe(Price="x", Country="ZZ"), trade.alb(Quantity=None, Quantity_unit=None),
             trade.npr(inside="<Strange/>"), trade.set(Reference=None), "<Order/>"]
    text = batch(trade.all()[:1] + wrong)
    status, output, _ = talk.run("--check", "--json", "--config", lab.config, talk.write(text))
    lines = [json.loads(line) for line in output.splitlines()]
    found = [(f["index"], f["code"], f["place"]) for f in lines if "summary" not in f]
    assert found == [(1, "DDEA", place(text, 1, "Price")), (1, "XFMT", place(text, 1, "Country")),
                     (2, "XMIS", "Quantity"), (3, "XUNK", place(text, 3, "Strange")),
                     (4, "XMIS", "Reference"), (5, "XNSP", position(text, text.index("<Order/>")))]
    assert status == 1
    path = talk.write(batch(single().all()))
    assert talk.run("--check", "--config", lab.config, path)[0] == 0
    assert talk.run("--check", path)[0] == 0
    status, output, _ = talk.run("--check", talk.write("<TradeMessages>\n <TradeMessage>\n"))
    assert status == 1 and ":2:2: EXC XWEL" in output or ":3:1: EXC XWEL" in output


DAYS = [  # the market days of section 6: place, trade date, what lies between, settlement date
    ("CDPLSGSG", "2018-12-07", [], "2018-12-12"), ("CDPLSGSG", "2018-12-10", [], "2018-12-12"),
    ("DTCYUS33", "2017-09-01", ["2017-09-04"], "2017-09-07"),
    ("SICVFRPP", "2019-04-18", ["2019-04-19", "2019-04-22"], "2019-04-24"),
    ("CRSTGB22", "2022-06-01", ["2022-06-02", "2022-06-03"], "2022-06-07"),
    ("CDPLSGSG", "2024-02-08", ["2024-02-10", "2024-02-12"], "2024-02-13"),
    ("JASDJPJT", "2019-04-26",
     ["2019-04-29", "2019-04-30", "2019-05-01", "2019-05-02", "2019-05-03",
                                "2019-05-06"], "2019-05-09"),
]


def test_market_days(talk, lab):
    """What is no business day between trade and settlement; --check knows the calendars."""
    messages, closed = [], []
    for where, traded, holidays, settled in DAYS:
        for day in [*holidays, settled]:
            closed += [len(messages)] * (day in holidays)
            messages.append(single(TradeDate=traded).noe(PlaceOfSettlement=where,
                                                         SettlementDate=day))
    _, output, _ = talk.run("--check", "--json", "--config", lab.config,
                            talk.write(batch(messages)))
    found = [json.loads(line) for line in output.splitlines()]
    assert [f["index"] for f in found if f.get("code") == "DDAT"] == closed


def test_what_the_lab_ships(lab):
    """Section 10: participants and their roles, instruments, calendars, rates."""
    people = {p["id"]: p for p in yaml.safe_load(lab.read("participants.yaml"))["participants"]}
    roles = {"BROKSGSG": "broker", "BROKGB2L": "broker", "INVMSGSG": "manager",
             "INVMGB2L": "manager",
             "CUSTSGSG": "custodian", "CUSBSGSG": "custodian", "CUSTGB2L": "custodian",
             "CUSBGB2L": "custodian", "CDPLSGSG": "csd", "CRSTGB22": "csd"}
    for bic, role in roles.items():
        assert role in people[bic]["roles"], bic
    assert len(people) == len(roles) + 100 + 1 and people["STEHSGSG"]["sends_for"] == ["*"]
    instruments = {line.split(",")[0]
                   for line in lab.read("reference", "instruments.csv").split("\n")[1:]}
    assert {"US0378331005", "GB0002634946", "SG1L01001701", "IE00B4L5Y983", "LU1597245148",
            "SG1S04926220", "GB00B16NNR78"} <= instruments and len(instruments) > 2000
    rates = dict(line.split(",")[1:]
                 for line in lab.read("reference", "rates.csv").split("\n") if line[:2] == "20")
    assert {c: float(r) for c, r in rates.items()} == {
        "USD": 1.10, "GBP": 0.85, "SGD": 1.45, "JPY": 160, "CHF": 0.95, "HKD": 8.50}
    assert {n[:-4] for n in os.listdir(lab.path("reference", "calendars"))} >= {
        "SG", "US", "GB", "TARGET", "JP", "HK"}


FAULTS = [("shard_count: ", "shard_count: 99"),
          ("business_date: 2026-11-30", "business_date: 2026-11-31"),
          ("retention: 3", "retention: x"), ("heartbeat_s: 5", "heartbeat_s: 0"),
          ("window: 512", "windows: 512"), ("name: ste\n", "name: [ste]\n"),
          ("number: 1, host: 127.0.0.1, port: ", "number: 1, host: 127.0.0.1, port: 9"),
          ("health_port: ", "health_port: 9"), ("rule: band, low: 2", "rule: bond, low: 2"),
          ("isin: reject", "isin: maybe"), ("rates: reference/rates", "rates: reference/none"),
          ("id: lab", "id: ''")]


def test_all_faults_of_a_map_at_once(lab):
    """A file with 12 faults prints 12 lines: file:line:column."""
    text = lab.read("cluster.yaml")
    path = lab.path("acceptance-faults.yaml")
    lines = set()
    for right, wrong in FAULTS:
        assert right in text, right
        lines.add(text[:text.index(right)].count("\n") + 1)
        text = text.replace(right, wrong, 1)
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        for program in ("ste-router", "ste-node"):
            done = subprocess.run([os.path.join(BIN, program), "--config", path, "--check-config"],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  check=False)
            said = [line for line in done.stdout.splitlines() if ": " in line
                    and line.split(": ")[0].rsplit(":", 2)[1:2]]
            places = [line.split(": ")[0].split(":") for line in done.stdout.splitlines()
                      if line.startswith(path + ":")]
            assert done.returncode == 1 and len(places) == 12, said
            assert {int(p[1]) for p in places} == lines and all(int(p[2]) > 0 for p in places)
    finally:
        os.unlink(path)
    done = subprocess.run([os.path.join(BIN, "ste-node"), "--config", lab.config, "--check-config"],
                          check=False)
    assert done.returncode == 0
