# SPDX-License-Identifier: Apache-2.0
"""Every case of tests/cases through the lab: step by step, all cases side by side, sent by
ste-submit wherever it can send that at all."""
import os
import time

import pytest

import casefile
import messages
from lab import wait_for
from wire import sender, tap

CASES = casefile.load("%05X" % (int(time.time() * 10) & 0xfffff))
DELIVERY_BYTES_MAX = 4 << 20
DELIVERY_MESSAGES_MAX = 1000


class Replay:
    def __init__(self, lab, folder, ears):
        self.lab = lab
        self.folder = folder
        self.tap = ears
        self.lines = []  # of ste-submit
        self.sent = 0
        self.begin = self.counters()

    def counters(self):
        total = lambda kind, metric: sum(self.lab.metric(n, metric) for n in self.lab.components(kind))
        return {"taken": total("routers", "ste_stage_arrivals_total"),
                "routed": total("routers", "ste_stage_completions_total"),
                "read": total("routers", "ste_stage_records_total"),
                "done": total("nodes", "ste_stage_completions_total")}

    def at_rest(self):
        now = {k: v - self.begin[k] for k, v in self.counters().items()}
        return now["taken"] == self.sent and now["read"] == now["routed"] == now["done"]

    def send_round(self, number):
        deliveries = [d for case in CASES if number < len(case.rounds) for d in case.rounds[number]]
        by_hand = [d for d in deliveries if needs_hand(d)]
        for who in {casefile.signer(d) for d in deliveries if not needs_hand(d)}:
            self.submit([d for d in deliveries
                         if not needs_hand(d) and casefile.signer(d) == who], who, number)
        with sender(self.lab) as hand:
            for delivery in by_hand:
                self.send_by_hand(hand, delivery)
        self.sent += len(deliveries)
        wait_for(self.at_rest, 30, "round %d is decided" % number)

    def submit(self, deliveries, who, number):
        """One file a delivery, in order: ste-submit numbers its deliveries so."""
        files = []
        for i, delivery in enumerate(deliveries):
            path = os.path.join(self.folder, "%s-%d-%d.xml" % (who or "hub", number, i))
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(delivery.body)
            files.append(path)
        options = ["--hub", who + "/k1"] if who else []
        done = self.lab.submit(*files, wait=30, options=options)
        assert done.status == 0, (done.stderr, done.summary)
        prefix = next(l for l in done.replies if "index" in l)["delivery"].rpartition(".")[0]
        for i, delivery in enumerate(deliveries):
            delivery.message_id = "%s.%d" % (prefix, i)
        self.lines += done.replies

    def send_by_hand(self, hand, delivery):
        step = delivery.step
        body = delivery.body.encode()
        options = {"message_id": delivery.message_id}
        if step.get("signature"):
            options["signature"] = {"none": "", "wrong": "AAAA" * 10 + "AAA="}[step["signature"]]
        if step.get("key"):
            options["key"] = step["key"]
        delivery.message_id = hand.send(body, **options)


def needs_hand(delivery):
    """ste-submit waits for answers, chooses its own ids, cuts what is too large and signs right."""
    return delivery.message_id is not None or \
        any(w["kind"] == "none" for w in delivery.wanted) or \
        len(delivery.body.encode()) > DELIVERY_BYTES_MAX or \
        delivery.body.count("<TradeMessage ") > DELIVERY_MESSAGES_MAX or \
        "key" in delivery.step or "signature" in delivery.step


@pytest.fixture(scope="module")
def replay(lab, tmp_path_factory):
    parties = [p["id"] for p in messages.load("participants.yaml")["participants"]]
    with tap(lab, ["cls.*", "exc.*"] + ["reply." + p for p in parties]) as ears:
        one = Replay(lab, tmp_path_factory.mktemp("cases"), ears)
        for number in range(max(len(case.rounds) for case in CASES)):
            one.send_round(number)
        wait_for(lambda: not any(lab.query(s, "SELECT COUNT(*) AS n FROM outbox")[0]["n"]
                                 for s in range(lab.shard_count())), 20, "everything is said")
        ears.drain()
    one.by_message = {}
    one.by_trade = {}
    for reply in ears.replies:
        if reply.index is not None and reply.queue.startswith("reply."):
            one.by_message.setdefault((reply.delivery, reply.index), []).append(reply)
        elif reply.trade_reference:
            one.by_trade.setdefault(reply.trade_reference, []).append(reply)
    one.stored = rows(lab, "SELECT delivery_id, COUNT(*) AS n FROM message GROUP BY 1")
    one.refused = lab.query_all("SELECT code, place, raw, raw_bytes_total, repeats, delivery_id, "
                                "delivery_index, last_delivery_id, last_delivery_index FROM exception")
    return one


def rows(lab, sql):
    return {row["delivery_id"].decode(): row["n"] for row in lab.query_all(sql)}


def code_of(replay, delivery, index):
    """The exception that this message became, or None."""
    for row in replay.refused:
        if (delivery.message_id.encode(), index) in (
                (row["delivery_id"], row["delivery_index"]),
                (row["last_delivery_id"], row["last_delivery_index"])):
            return row["code"].decode()
    return None


@pytest.mark.parametrize("case", CASES, ids=[case.label for case in CASES])
def test_case(replay, case):
    faults, codes, stored = [], [], 0
    answered = {}
    for delivery in case.deliveries():
        answered.setdefault(delivery.message_id, []).append(delivery)
    for message_id, same in answered.items():
        stored += replay.stored.get(message_id, 0)
        for index in range(max(len(d.wanted) for d in same)):
            wanted = [d.wanted[index] for d in same if index < len(d.wanted)]
            wanted = next((w for w in wanted if w["kind"] != "none"), wanted[0])
            faults += casefile.answer_faults(case, same[0], index, wanted,
                                             replay.by_message.get((message_id, index), []))
            code = code_of(replay, same[0], index)
            codes += [code] if code else []
    said = [r for reference, replies in replay.by_trade.items() for r in replies
            if case.trade_reference in reference.upper().replace(" ", "")]
    faults += casefile.nma_faults(case, [r for r in said if r.kind == "NMA"])
    faults += casefile.cls_faults(case, [r for r in said if r.queue == "cls.*"])
    faults += casefile.receiver_faults(case, "MAC", [r for r in said if r.kind == "MAC"])
    faults += casefile.receiver_faults(
        case, "CLS", [r for r in said if r.kind == "CLS" and r.queue != "cls.*"])
    if "stored" in case.then and stored != int(case.then["stored"]):
        faults.append("%d messages are stored, not %s" % (stored, case.then["stored"]))
    if "exceptions" in case.then and codes != list(case.then["exceptions"]):
        faults.append("exceptions are %r, not %r" % (codes, case.then["exceptions"]))
    assert not faults, "%s\n%s" % (case.name, "\n".join(faults))


def test_submit_prints_what_was_said(replay):
    """Each JSON line of ste-submit against the reply as it lay in the receiver's queue."""
    lines = [l for l in replay.lines if l["kind"] in ("ACK", "REJ", "EXC")]
    assert len(lines) > 400
    for line in lines:
        reply, = replay.by_message[(line["delivery"], line["index"])]
        assert (line["kind"], line["to"], line["then"]) == (reply.kind, reply.to, reply.then)
        assert [tuple(r.get(k) for k in ("code", "element", "place", "level", "text"))
                for r in line["reasons"]] == \
            [(r["code"], r["element"], r["place"], r["level"], r["text"] or None)
             for r in reply.reasons]
        if line["kind"] != "ACK":
            assert (line["code"], line["place"]) == (reply.reasons[0]["code"],
                                                     reply.reasons[0]["place"])
