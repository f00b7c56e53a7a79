# SPDX-License-Identifier: Apache-2.0
"""MESSAGES section 7: keys, signatures, senders; and limits of deliveries, which ste-submit would
split."""
import hashlib

from broker import broker, take_exceptions
from market import BROKER, HUB, MANAGER, batch, position, single

DELIVERY_BYTES, DELIVERY_MESSAGES = 4 << 20, 1000


def rows(lab, delivery):
    return lab.query_all("SELECT * FROM exception WHERE last_delivery_id = %s", (delivery,))


def code_of(row):
    return row["code"].decode() if isinstance(row["code"], bytes) else row["code"]


def refused(lab, b, cases):
    """Sends (label, code, body, how) and waits until each is one exception with the raw body."""
    sent = [(label, code, body.encode() if isinstance(body, str) else body, b.send(body, **how))
            for label, code, body, how in cases]
    b.wait(lambda: all(rows(lab, delivery) for *_, delivery in sent),
           [label for label, _, _, d in sent if not rows(lab, d)])
    for label, code, body, delivery in sent:
        row, = rows(lab, delivery)
        assert code_of(row) in (code if isinstance(code, tuple) else (code,)), (label, row["code"])
        assert bytes(row["raw"]) == body, label
    return sent


def test_signatures_that_do_not_fit(lab):
    """One exception with the raw body; nobody is told, nothing of it counts."""
    def noes():
        return batch([single().noe(), single().noe()])
    with broker(lab) as b:
        a, c, d, e, f = (noes() for _ in range(5))
        hub = b.sign("STEHSGSG/hub", d.encode())
        cases = [
            ("no signature", "XSIG", noes(), {"signature": None}),
            ("empty", "XSIG", noes(), {"signature": ""}),
            ("no base64", "XSIG", noes(), {"signature": "?!"}),
            ("of other bytes", "XSIG", noes(), {"signature": b.sign("STEHSGSG/hub", b"x")}),
            ("without its prefix", "XSIG", a,
             {"signature": b.sign("STEHSGSG/hub", a.encode(), b"")}),
            ("of another key", "XSIG", c, {"signature": b.sign("BROKSGSG/h1", c.encode())}),
            ("of another algorithm", "XSIG", d, {"key_id": "BROKSGSG/k1", "signature": hub}),
            ("one bit more", "XSIG", e, {"signature": b.sign("STEHSGSG/hub", e.encode() + b" ")}),
            ("ed25519 of other bytes", "XSIG", noes(), {"key_id": "BROKSGSG/k1",
                                                        "signature": b.sign("BROKSGSG/k1", b"y")}),
            ("unknown key", "XKEY", noes(), {"key_id": "STEHSGSG/none"}),
            ("unknown participant", "XKEY", noes(), {"key_id": "NONESGSG/hub"}),
            ("key id without participant", "XKEY", noes(), {"key_id": "hub"}),
            ("no key id", "XKEY", noes(), {"key_id": None}),
            ("broken too", "XSIG", "<Trade", {"signature": "AAAA"}),
            ("wrong user-id", ("XSIG", "XKEY", "XSND"), f,
             {"key": "BROKSGSG/h1", "user_id": "STEHSGSG"}),
        ]
        sent = refused(lab, b, cases)
        for label, code, body, delivery in sent:
            row, = rows(lab, delivery)
            assert row["place"] == b"0" or label in ("no base64", "wrong user-id"), (label, row)
        b.ask(single().noe().xml())
        told = {h.get("delivery") for h in b.heard}
    assert not [label for label, *_,
                delivery in sent if delivery in told and label != "wrong user-id"]


def test_signatures_that_fit(lab):
    with broker(lab) as b:
        one = single()
        assert [a.kind for a in b.ask(one.noe().xml(), key="BROKSGSG/k1")] == ["ACK"]
        assert [a.kind for a in b.ask(one.alb().xml(), key="INVMSGSG/h1")] == ["ACK"]
        assert [a.kind for a
                in b.ask(one.npr(Sender="BROKSGSGXXX").xml(), key="BROKSGSG/h1")] == ["ACK"]
        assert [a.kind for a in b.ask(one.set().xml(), user_id="STEHSGSG")] == ["ACK"]
        assert [a.kind for a in b.ask(batch([one.noe(), one.alb()]), 2)] == ["ACK"] * 2


def test_senders_that_the_key_does_not_allow(lab):
    """EXC XSND to the signer for that message alone."""
    trade = single()
    text = batch([trade.noe(), trade.alb(), trade.npr(), trade.set().but(Sender=None),
                  trade.set(Sender="brok"), trade.alb(Sender="ZZZZSGSG", Price="x")])
    with broker(lab) as b:
        answers = b.ask(text, 6, key="BROKSGSG/h1")
    said = [(a.kind, a.text("To"), [r.get("code") for r in a.all("Reason")]) for a in answers]
    assert said[:3] == [("ACK", BROKER, []), ("EXC", BROKER, ["XSND"]), ("ACK", BROKER, [])]
    assert said[3][:2] == said[4][:2] == ("EXC", BROKER)
    assert said[3][2][0] in ("XMIS", "XSND") and said[4][2][0] in ("XFMT", "XSND")
    assert said[5] == ("EXC", BROKER, ["XSND"])
    starts = [i for i in range(len(text)) if text.startswith("<Sender>", i)]
    assert answers[1].all("Reason")[0].get("place") == position(text, starts[1])


def padded(body, size):
    rest = size - len(body.encode())
    return body.replace("</TradeMessages>", "<!--%s--></TradeMessages>" % ("x" * (rest - 7)))


def test_limits_of_a_delivery(lab):
    """4 MiB and 1,000 messages are taken; more is one EXC for the whole; of over 4 MiB the first
    64 kB are kept, with length and SHA-256."""
    crowd = [single().alb() for _ in range(DELIVERY_MESSAGES)]
    with broker(lab) as b:
        most = b.ask(batch(crowd), DELIVERY_MESSAGES)
        assert [a.get("index") for a in most] == [str(n) for n in range(DELIVERY_MESSAGES)]
        assert {a.kind for a in most} == {"ACK"}
        more = batch([m.but(Reference="R") for m in crowd] + [single().noe()])
        answer, = b.ask(more)
        said, = answer.all("Reason")
        at = more.rindex("<TradeMessage ")
        assert (answer.kind, said.get("code"), answer.get("index"), said.get("place")) == (
            "EXC", "XLIM", "0", position(more, at))
        large = padded(batch([single().noe()]), DELIVERY_BYTES)
        assert [a.kind for a in b.ask(large)] == ["ACK"]
        larger = padded(batch([single().noe()]), DELIVERY_BYTES + 1)
        answer, = b.ask(larger)
        said, = answer.all("Reason")
        assert (answer.kind, answer.text("To"), said.get("code"), answer.get("index")) == (
            "EXC", HUB, "XLIM", "0")
        row, = rows(lab, answer.get("delivery"))
        assert bytes(row["raw"]) == larger.encode()[:65536]
        assert row["raw_bytes_total"] == DELIVERY_BYTES + 1
        digest = hashlib.sha256(larger.encode()).digest()
        assert digest in [v for v in row.values()
                          if isinstance(v, bytes)] or digest.hex() in str(row)
        # The limit is the first thing that counts, and then nobody can be told.
        silent = b.send(padded(batch([single().noe()]), DELIVERY_BYTES + 2), signature="AAAA")
        b.wait(lambda: rows(lab, silent), "exception")
        assert code_of(rows(lab, silent)[0]) == "XLIM"
        b.ask(single().noe().xml())
        assert not b.answers(silent)


def test_odd_deliveries(lab):
    with broker(lab) as b:
        empty, = b.ask(b"")
        assert (empty.kind, empty.text("To"), empty.all("Reason")[0].get("code")) == ("EXC", HUB,
                                                                                      "XWEL")
        unnamed = single()
        b.send(unnamed.alb().xml(), message_id=None)
        b.wait(lambda: b.of("ACK", unnamed), "an answer without message-id")
        assert b.of("ACK", unnamed)[0].get("delivery")
        assert b.of("ACK", unnamed)[0].text("To") == MANAGER


def test_same_delivery_twice(lab):
    """Repetition inside the engine: message-id and index known, nothing new is said; of what was
    refused, too, one row is kept."""
    trade = single()
    body = batch([trade.noe(), trade.alb(Price="x"), "<Order>%s</Order>" % trade.reference])
    with broker(lab) as b:
        first = b.ask(body, 3)
        delivery = first[0].get("delivery")
        b.send(body, message_id=delivery)
        end = single()
        b.ask(batch([end.noe(), end.alb()]), 2)
        b.pump(0.3)
        noes = [a for a in b.answers(delivery) if a.get("index") == "0"]
    assert [a.get("code") for a in noes] == [None] * len(noes)
    assert len({a.message_id for a in noes}) == 1
    kept = lab.query_all("SELECT raw FROM exception WHERE LOCATE(%s, raw) > 0",
                         (trade.reference.encode(),))
    assert len(kept) == 2
    stored = lab.query_all("SELECT id FROM message WHERE LOCATE(%s, body) > 0",
                           (trade.reference.encode(),))
    assert len(stored) == 1


def test_exceptions_are_kept_by_key_code_and_bytes(lab):
    """The same bytes by another key are another exception; the same again only count."""
    body = batch([single().alb(Price="x"), "<Order>%s</Order>" % single().reference])
    with broker(lab) as b:
        for key in ("STEHSGSG/hub", "STEHSGSG/hub", "STEHSGSG/hub", "INVMSGSG/h1"):
            b.ask(body, 2, key=key)
    mark = body.split("<TradeReference>")[1].split("<")[0].encode()
    order = body.split("<Order>")[1].split("<")[0].encode()
    kept = lab.query_all("SELECT key_id, code, repeats FROM exception WHERE LOCATE(%s, raw) > 0 "
                         "OR LOCATE(%s, raw) > 0", (mark, order))
    assert sorted((r["key_id"], r["code"], r["repeats"]) for r in kept) == [
        (b"INVMSGSG/h1", b"DDEA", 0), (b"INVMSGSG/h1", b"XNSP", 0), (b"STEHSGSG/hub", b"DDEA", 2),
        (b"STEHSGSG/hub", b"XNSP", 2)]


def test_operators_have_a_copy(lab):
    """Every EXC is copied to ste.exception, also what nobody is told; a REJ is not."""
    with broker(lab) as b:
        mixed = b.send(batch([single().alb(Price="x"), "<Order/>"]))
        silent = b.send(single().noe().xml(), signature="AAAA")
        last = b.send("<garbage")
        b.wait(lambda: b.answers(last), "an answer")
    said = {(c.get("delivery"), c.get("index"), c.text("To"), c.all("Reason")[0].get("code"))
            for c in take_exceptions(lab, [mixed, silent, last])}
    assert said == {(mixed, "1", HUB, "XNSP"), (silent, "0", None, "XSIG"),
                    (last, "0", HUB, "XWEL")}
