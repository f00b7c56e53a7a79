# SPDX-License-Identifier: Apache-2.0
"""ste-bench's flawed trades: what a set says of itself is what the engine makes of it, to the last
message, whether the set is on disk or made while it is sent."""
import collections
import json
import time

from lab import wait_for
from wire import read_set, tap

TRADES = 500
UNMATCHED, CLEARED = 2, 3
SHARES = ("--share-mismatch", "10", "--share-invalid", "2.5", "--share-duplicate", "5", "--share-late", "5")


def plan():
    """Trades that no other test of this instance has."""
    return ("--seed", "77", "--first", str(int(time.time()) % 1000000 * 900), *SHARES)


def rows_of(lab, run_id, sql):
    return lab.query_all(sql, (run_id + "-%",))


def counted(rows, key):
    out = collections.Counter()
    for row in rows:
        out[row[key]] += row["n"]
    return out


def test_what_a_set_says_is_what_is_found(lab, tmp_path):
    options, run_id = plan(), "shares%d" % (time.time_ns() // 1000000)
    lab.bench("gen", "--trades", str(TRADES), "--out", str(tmp_path / "set"), *options)
    said = json.loads((tmp_path / "set" / "set.json").read_text())
    assert min(said[k] for k in ("mismatched", "refused", "duplicates", "late")) > 0
    assert sum(said["refused_by"].values()) == said["refused"]
    assert sum(said["mismatched_by"].values()) == said["mismatched"]
    assert said["messages"] == said["stored"] + said["refused"] + said["duplicates"]
    sent = read_set(str(tmp_path / "set"))
    assert len(sent) == said["messages"] and len(set(sent)) == said["messages"] - said["duplicates"]

    with tap(lab, ["cls.*", "reply.*"]) as ears:
        lab.bench("run", "--generate", str(TRADES), *options, "--batch", "16", "--drivers", "2", "--run-id",
                  run_id, "--ledger", str(tmp_path / "sent"), "--cls-ledger", str(tmp_path / "cls"),
                  "--json", str(tmp_path / "run.json"), "--csv", str(tmp_path / "run.csv"))
        found = json.loads((tmp_path / "run.json").read_text())
        assert found["passed"] and found["cls_trades"] == found["cls_expected"] == said["cls"]
        assert [found[k] for k in ("cls_missing", "cls_unexpected", "conflicts", "unknown")] == [0] * 4
        assert found["sent_messages"] == said["messages"] and found["drivers"] == 2
        heading, values = (tmp_path / "run.csv").read_text().splitlines()
        assert dict(zip(heading.split(","), values.split(",")))["cls_trades"] == str(said["cls"])
        check_rows(lab, run_id, said)
        ears.wait(lambda: len(unmatched_by(ears)) == said["mismatched"], 20, "an NMA a trade")
        ears.drain()
    by_code = collections.Counter(c for codes in unmatched_by(ears).values() for c in codes)
    assert by_code == said["mismatched_by"]
    cls = {r.trade_key for r in ears.of("CLS")}
    assert len(cls) == said["cls"] and not cls & set(unmatched_by(ears))

    lines = collections.Counter(line[0] for line in (tmp_path / "sent").read_text().splitlines())
    assert lines["M"] == said["messages"] and lines["D"] == found["deliveries"]


def check_rows(lab, run_id, said):
    """Every message is a row of one kind, or a repeat; every trade stands as it should."""
    def refused():
        return counted(rows_of(lab, run_id, "SELECT code, COUNT(*) AS n FROM exception "
                               "WHERE delivery_id LIKE %s GROUP BY code"), "code")
    wait_for(lambda: sum(refused().values()) >= said["refused"], 20, "all exceptions")
    assert {code.decode(): n for code, n in refused().items()} == said["refused_by"]
    stored = rows_of(lab, run_id, "SELECT COUNT(*) AS n FROM message WHERE delivery_id LIKE %s")
    assert sum(row["n"] for row in stored) == said["stored"]
    status = counted(rows_of(lab, run_id, "SELECT status, COUNT(*) AS n FROM trade WHERE trade_key IN "
                             "(SELECT trade_key FROM message WHERE delivery_id LIKE %s) GROUP BY status"),
                     "status")
    assert status[CLEARED] == said["cls"] and status[UNMATCHED] == said["mismatched"]


def unmatched_by(ears):
    """trade key -> the codes of its NMAs"""
    out = {}
    for reply in ears.of("NMA"):
        out.setdefault(reply.trade_key, set()).update(r["code"] for r in reply.reasons)
    return out
