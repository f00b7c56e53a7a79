# SPDX-License-Identifier: Apache-2.0
"""The judge is judged: rows that are deleted, copied and misplaced, and ledger lines that are missing,
are each named by the checker, and nothing else is."""
import contextlib
import os

import pytest

KINDS = ("lost", "duplicates", "phantoms", "missing", "misplaced")


@pytest.fixture(scope="module")
def trades(records):
    """Some trades to damage, and one message row of each kind of damage."""
    run = records.start(30)
    run.finish()
    records.end_runs()
    assert records.check()["clean"]
    with open(run.cls, encoding="ascii") as file:
        ids = sorted(line.split()[1] for line in file)
    return [bytes.fromhex(message_id.partition(".")[0]) for message_id in ids]


class Surgeon:
    """Takes rows out and puts them back, as somebody with all rights would."""

    def __init__(self, lab):
        self.lab = lab

    def run(self, shard, sql, arguments=()):
        with contextlib.closing(self.lab.connect(shard, "migrator")) as connection:
            with connection.cursor() as cursor:
                assert cursor.execute(sql, arguments) == 1, sql

    def find(self, table, key):
        rows = self.lab.query_all("SELECT * FROM %s WHERE trade_key = %%s" % table, (key,))
        # A SET where there is a choice: without its NOE a trade's CLS would be a phantom as well.
        row = dict(max(rows, key=lambda row: row.get("type", 0)))
        return row.pop("shard"), row

    def put(self, shard, table, row):
        self.run(shard, "INSERT INTO %s (%s) VALUES (%s)" % (
            table, ",".join("`%s`" % c for c in row), ",".join(["%s"] * len(row))), list(row.values()))

    def take(self, shard, table, row):
        names = ["trade_date", "id"] if table == "message" else ["trade_date", "trade_key"]
        self.run(shard, "DELETE FROM %s WHERE %s" % (table, " AND ".join("%s = %%s" % n for n in names)),
                 [row[n] for n in names])


@pytest.fixture
def surgeon(lab):
    return Surgeon(lab)


def found(records, **wanted):
    """The checker fails with exactly these faults, and names each."""
    result = records.judge("--no-queues", "--wait", "0", status=1)
    assert {k: result[k] for k in KINDS} == {k: wanted.get(k, 0) for k in KINDS}, result["text"]
    for kind in KINDS:
        assert len(result["named"][kind]) == wanted.get(kind, 0)
    return result["named"], result["text"]


def test_deleted_row(records, surgeon, trades):
    shard, row = surgeon.find("message", trades[0])
    surgeon.take(shard, "message", row)
    try:
        named, text = found(records, lost=1)
        for part in (trades[0].hex(), row["reference"].decode(), row["sender"].decode()):
            assert part in named["lost"][0] and part in text
    finally:
        surgeon.put(shard, "message", row)


def test_copied_row(records, surgeon, trades):
    shard, row = surgeon.find("message", trades[1])
    copy = dict(row, id=row["id"] + 10 ** 12)
    surgeon.put(shard, "message", copy)
    try:
        named, text = found(records, duplicates=1)
        for part in (trades[1].hex(), "shard %d" % shard, str(copy["id"])):
            assert part in named["duplicates"][0] and part in text
    finally:
        surgeon.take(shard, "message", copy)


def test_misplaced_row(records, surgeon, trades):
    shard, row = surgeon.find("message", trades[2])
    moved = dict(row, id=row["id"] + 10 ** 12)
    surgeon.take(shard, "message", row)
    surgeon.put(1 - shard, "message", moved)
    try:
        named, text = found(records, misplaced=1)
        for part in (trades[2].hex(), "shard %d" % (1 - shard), str(moved["id"])):
            assert part in named["misplaced"][0] and part in text
    finally:
        surgeon.take(1 - shard, "message", moved)
        surgeon.put(shard, "message", row)


def test_misplaced_trade(records, surgeon, trades):
    """The trade's row alone is elsewhere: it is named, and its messages have no trade beside them."""
    shard, row = surgeon.find("trade", trades[3])
    surgeon.take(shard, "trade", row)
    surgeon.put(1 - shard, "trade", row)
    try:
        named, _ = found(records, misplaced=8)
        assert any("shard %d trade %s" % (1 - shard, trades[3].hex()) in n for n in named["misplaced"])
        assert sum(trades[3].hex() in n for n in named["misplaced"]) == 8
    finally:
        surgeon.take(1 - shard, "trade", row)
        surgeon.put(shard, "trade", row)


def test_changed_bytes(records, surgeon, trades):
    """Nobody has sent what is stored, and what was sent is not there."""
    shard, row = surgeon.find("message", trades[4])
    other_shard, other = surgeon.find("message", trades[5])
    surgeon.run(shard, "UPDATE message SET body = %s, encoding = %s WHERE id = %s AND trade_date = %s",
                (other["body"], other["encoding"], row["id"], row["trade_date"]))
    try:
        result = records.judge("--no-queues", "--wait", "0", status=1)
        assert result["phantoms"] >= 1 and any(trades[4].hex() in n or str(row["id"]) in n
                                               for n in result["named"]["phantoms"]), result["text"]
    finally:
        surgeon.run(shard, "UPDATE message SET body = %s, encoding = %s WHERE id = %s AND "
                    "trade_date = %s", (row["body"], row["encoding"], row["id"], row["trade_date"]))


def test_missing_and_invented_cls(records, surgeon, trades):
    """A CLS that did not arrive, and one that nobody could have sent."""
    path = next(p for p in records.cls if os.path.exists(p) and trades[6].hex() in open(p).read())
    with open(path, encoding="ascii") as file:
        text = file.read()
    line, = [l for l in text.splitlines(True) if trades[6].hex() in l]
    changed = text.replace(line, line.replace(trades[6].hex(), "00" * 16))
    try:
        with open(path, "w", encoding="ascii") as file:
            file.write(changed)
        named, _ = found(records, missing=1, phantoms=1)
        assert trades[6].hex() in named["missing"][0]
        assert "00" * 16 in named["phantoms"][0]
    finally:
        with open(path, "w", encoding="ascii") as file:
            file.write(text)


def test_unsent_message(records, surgeon, trades):
    """A ledger that does not know a delivery: its message is a phantom."""
    path = next(p for p in records.sent if os.path.exists(p) and trades[7].hex() in open(p).read())
    with open(path, encoding="ascii") as file:
        text = file.read()
    pieces = text.split("D ")
    piece = next(p for p in pieces if trades[7].hex() in p)
    try:
        with open(path, "w", encoding="ascii") as file:
            file.write("D ".join(p for p in pieces if p is not piece))
        named, _ = found(records, phantoms=1)
        assert trades[7].hex() in named["phantoms"][0]
    finally:
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
