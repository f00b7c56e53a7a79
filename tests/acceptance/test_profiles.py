# SPDX-License-Identifier: Apache-2.0
"""MESSAGES sections 3, 6 and 7 where the configuration decides: profiles, levels of checks, keys by
date, who may send for whom, who is told what. The lab's files are changed here and put back.
"""
import contextlib
import re

import pytest

from broker import broker
from lab import wait_for
from test_checks import money
from market import BROKER, MANAGER, batch, bond, single

GB = {"Broker": "BROKGB2L", "Manager": "INVMGB2L"}
PROFILES = """  - name: pair
    pair: [BROKGB2L, INVMGB2L]
    conditions:
      SettlementDate: { rule: not_used }
      Price: { rule: absolute, amount: 0.01 }
      Commission: { rule: absolute, amount: 1.00 }
      AccruedInterest: { rule: percent, percent: 10 }
      SettlementAmount: { rule: percent_capped, percent: 1, cap: 5 }
      ReceivingAgent: { rule: if_present }
    checks: { isin: warn, arithmetic: reject }
  - name: london
    place: CRSTGB22
    conditions:
      SettlementAmount: { rule: exact }
    checks: { isin: off, arithmetic: off }
"""
KEYS = "".join(
    "      - { id: %s, algorithm: hmac-sha256, file: keys/BROKSGSG/h1, from: %s, to: %s }\n" % key
    for key in (("past", "2020-01-01", "2026-11-29"), ("soon", "2026-12-01", "2099-12-31"),
                ("day", "2026-11-30", "2026-11-30")))


def edited(text, bic, find, put):
    """The participants file with one change within one participant."""
    start = text.index("- id: %s\n" % bic)
    at = text.index(find, start)
    return text[:at] + put + text[at + len(find):]


def restart(lab):
    for kind in ("routers", "nodes"):
        for name in lab.components(kind):
            lab.end(name)
    for kind in ("routers", "nodes"):
        for name in lab.components(kind):
            lab.launch(name)
    for kind in ("routers", "nodes"):
        for name in lab.components(kind):
            wait_for(lambda n=name: lab.is_ready(n), 30, "%s ready" % name)


@pytest.fixture(scope="module", autouse=True)
def changed(lab):
    files = {name: lab.read(name) for name in ("cluster.yaml", "participants.yaml")}
    people = files["participants.yaml"]
    people = edited(people, "BROKSGSG", "    keys:\n",
                    "    sends_for: [INVMSGSG]\n    keys:\n" + KEYS)
    people = edited(people, "INVMSGSG", "    replies: all", "    active: false\n    replies: all")
    people = edited(people, "CUSTGB2L", "replies: all", "replies: exceptions")
    people = edited(people, "CUSBGB2L", "replies: all", "replies: none")
    changes = {"participants.yaml": people, "cluster.yaml": re.sub(
        r"^profiles:\n", "profiles:\n" + PROFILES, files["cluster.yaml"], flags=re.MULTILINE)}
    try:
        write(lab, changes)
        restart(lab)
        yield
    finally:
        write(lab, files)
        restart(lab)


def write(lab, files):
    for name, text in files.items():
        with open(lab.path(name), "w", encoding="utf-8") as file:
            file.write(text)


def gb(amount="4000.00", **more):
    return bond(amount, "GBP", **GB, **more)


def codes(answers, trade):
    return sorted({c["code"] for n in answers.of("NMA", trade) for c in n["conditions"]})


def test_rules(talk):
    """absolute, percent, percent capped, not used, required if present; exact by the place."""
    every = {"ReceivingAgent": "CUSTSGSG"}
    def of(trade, set_=None, npr=None, noe=None, alb=None):
        return trade, [trade.noe(**noe or {}), trade.alb(**{**every, **(alb or {})}),
                       trade.npr(**{**every, **(npr or {})}), trade.set(**set_ or {})]

    def fee(value):
        return {"Commission": value, "Commission_currency": "GBP"}

    def accrued(value):
        return {"AccruedInterest": value, "AccruedInterest_currency": "GBP"}
    share = {"Payment": "FREE"}
    cases = [
        (of(gb()), []),
        (of(gb(), set_={"SettlementDate": "2026-12-03"}, noe={"SettlementDate": "2026-12-04"}), []),
        (of(gb(), noe={"Price": "100.01"}, **{"npr": {"Price": "100.01", **accrued("0.40"),
            "SettlementAmount": "4000.80"}},
            set_={"SettlementAmount": "4000.80", **accrued("0.40")}), []),
        (of(gb(), noe={"Price": "100.0100000001"}), ["DDEA"]),
        (of(gb(), npr={"Commission": "0"}, set_=fee("1.00")), []),
        (of(gb(), npr={"Commission": "0"}, set_=fee("1.01")), ["EXEC"]),
        (of(gb("4100.00"), npr=accrued("100"), set_=accrued("110.00")), []),
        (of(gb("4100.00"), npr=accrued("100"), set_=accrued("110.01")), ["ACRU"]),
        (of(gb(), set_={"SettlementAmount": "4005.00"}), []),
        (of(gb(), set_={"SettlementAmount": "4005.01"}), ["DMON"]),
        (of(gb("100.00", Price="2.5"), set_={"SettlementAmount": "101.00"}), []),
        (of(gb("100.00", Price="2.5"), set_={"SettlementAmount": "101.01"}), ["DMON"]),
        (of(gb(), npr={"ReceivingAgent": None}), ["REAG"]),
        (of(gb(), npr={"ReceivingAgent": "CUSTGB2L"}), ["REAG"]),
        (of(bond("4000.00", "GBP"),
            set_={"PlaceOfSettlement": "CRSTGB22", "SettlementAmount": "4000.01"}),
         ["DMON"]),
        (of(bond("4000.00", "GBP"), set_={"PlaceOfSettlement": "CRSTGB22XXX"}), []),
        (of(bond("4000.00", "GBP"), set_={"SettlementAmount": "4000.01"}), []),
        (of(gb(), set_={"PlaceOfSettlement": "CRSTGB22", "SettlementAmount": "4005.00"}), []),
        (of(single(**GB, **share), noe={"SettlementDate": "2026-12-04"}), []),
    ]
    answers = talk.send([m for (_, messages), _ in cases for m in messages])
    assert answers.summary["ack"] == 4 * len(cases), [l
                                                      for l in answers.lines if l["kind"] == "REJ"]
    for (trade, _), expected in cases:
        assert codes(answers, trade) == expected, (expected, answers.of("NMA", trade)[:1])
        assert answers.cleared(trade) == (not expected), (expected, trade.common)


def test_levels(talk):
    """off, warn and reject: by pair, by place, by default."""
    wrong = {"Instrument": "US0378331003"}
    sums = money(SettlementAmount="1.00")
    answers = talk.send(
        single(**GB).noe(**wrong), single().noe(**wrong),
        single().noe(**wrong, PlaceOfSettlement="CRSTGB22"),
        single(**GB).npr(**sums), single().npr(**sums),
        single().npr(**sums, PlaceOfSettlement="CRSTGB22"),
        single(**GB).noe(Instrument="US03783310"))
    found = [(answers.answer(n)["kind"], [r["code"] for r in answers.answer(n)["reasons"]])
             for n in range(7)]
    assert found[0] == ("ACK", ["DSEC"])
    assert found[1] == ("REJ", ["DSEC"])
    assert found[2] in (("ACK", []), ("ACK", ["DSEC"]))  # in no list is a check of its own
    assert found[3] == ("REJ", ["DMON"]) and found[4] == ("ACK", ["DMON"]) and found[5] == ("ACK",
                                                                                            [])


def test_keys_by_date_and_sender(lab):
    """Valid from and to the business date; of one who is not active none; sends_for."""
    with broker(lab) as b:
        assert [a.kind for a
                in b.ask(single().noe().xml(), key="BROKSGSG/h1", key_id="BROKSGSG/day")
                ] == ["ACK"]
        silent = [b.send(single().noe().xml(), key="BROKSGSG/h1", key_id="BROKSGSG/past"),
                  b.send(single().noe().xml(), key="BROKSGSG/h1", key_id="BROKSGSG/soon"),
                  b.send(single().alb().xml(), key="INVMSGSG/h1")]
        def rows():
            return [lab.query_all("SELECT code FROM exception WHERE last_delivery_id = %s", (d,))
                    for d in silent]
        b.wait(lambda: all(rows()), "exceptions")
        assert [r[0]["code"] for r in rows()] == [b"XKEY"] * 3
        one = single()
        answers = b.ask(batch([one.noe(), one.alb(), one.set()]), 3, key="BROKSGSG/h1")
        assert [(a.kind, a.text("To")) for a in answers] == [
            ("ACK", BROKER), ("ACK", MANAGER), ("EXC", BROKER)]
        assert not [a for d in silent for a in b.answers(d)]


def test_replies_that_are_wanted(lab):
    """replies: exceptions = only REJ, EXC and NMA; none; a CLS leaves such receivers out."""
    with broker(lab) as b:
        trade, other, third = (gb(ReceivingAgent="CUSTSGSG") for _ in range(3))
        wrong = trade.set(Sender="CUSTGB2L", Reference="W", Account="X", Quantity="0")
        quiet = other.set(Sender="CUSBGB2L", Reference="W", Account="X", Quantity="0")
        differs = {"Direction": "SELL"}
        b.send(batch([trade.noe(), trade.alb(), trade.npr(), trade.set(Sender="CUSTGB2L"), wrong,
                      other.noe(), other.alb(), other.npr(), other.set(Sender="CUSBGB2L"), quiet,
                      third.noe(), third.alb(), third.npr(),
                      third.set(Sender="CUSTGB2L", **differs)]))
        b.wait(lambda: len(b.of("MAC", trade)) >= 2 and len(b.of("MAC", other)) >= 2
               and len(b.of("NMA", third)) >= 3, "MAC and NMA")
        with contextlib.suppress(AssertionError):
            b.wait(lambda: False, "nothing", seconds=0.5)
        assert {m.key for m in b.of("MAC")} == {"reply.BROKGB2L", "reply.INVMGB2L"}
        assert {c.key for c in b.of("CLS")} == {"reply.BROKGB2L", "reply.INVMGB2L"}
        assert sorted(h.kind for h in b.heard if h.key == "reply.CUSTGB2L") == ["NMA", "REJ"]
        assert not [h for h in b.heard if h.key == "reply.CUSBGB2L"]
