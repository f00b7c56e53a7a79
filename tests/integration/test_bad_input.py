# SPDX-License-Identifier: Apache-2.0
"""Every code that bad input can earn, with its place; good neighbours in the same delivery and the
same stream come through; what was refused is kept, byte for byte, and its repetitions are counted."""
import hashlib
import itertools
import time

import pytest

import messages
from lab import wait_for
from wire import hub_signature, sender, tap

START = int(time.time()) % 10000000
numbers = itertools.count(1)
MESSAGE_BYTES_MAX = 64 << 10
DELIVERY_BYTES_MAX = 4 << 20
RAW_BYTES_MAX = 64 << 10


def fresh():
    return "BAD%d-%04d" % (START, next(numbers))


class Bad:
    """One delivery that earns one refusal at `index`.

    kept: the bytes that the exception must hold. to: who is told, None for nobody. place: the text,
    or the name of an element whose start tag it is. neighbours: messages of the delivery that must
    stand all the same."""

    def __init__(self, label, code, body, kind="EXC", index=0, kept=None, place=None, to="STEHSGSG",
                 element=None, neighbours=(), length=None, **sending):
        self.label, self.code, self.kind, self.index, self.to = label, code, kind, index, to
        self.body = body.encode() if isinstance(body, str) else body
        self.kept = self.body if kept is None else kept.encode() if isinstance(kept, str) else kept
        self.length = length  # where `kept` is only its beginning
        self.place, self.element, self.neighbours, self.sending = place, element, neighbours, sending
        self.trade = None
        self.message_id = None


def noe(**changes):
    """No two have the same bytes, whatever is left out."""
    return messages.message("single", "NOE", fresh(), namespace=False,
                            **{"Narrative": fresh(), **changes})


def among(label, code, text, at, kind="REJ", to="BROKSGSG", element=None, **sending):
    """The bad message between good ones of another trade; `at` names an element, `message`, or is the
    place itself when it begins with =."""
    trade = fresh()
    good = messages.trade("single", trade, namespace=False)
    body = messages.batch([good["NOE"], text, good["ALB"]])
    place = at[1:] if at.startswith("=") else messages.place(body, 1, at)
    assert place, label
    one = Bad(label, code, body, kind, 1, text, place, to, element, (0, 2), **sending)
    one.trade = trade
    one.rest = [good["NPR"], good["SET"]]
    return one


def field(name, code, text, **more):
    return among("%s is %s" % (name, text[:20]), code, noe(**{name: text}), name, element=name, **more)


def edited(label, code, find, put, at, name="NOE", **more):
    text = messages.message("single", name, fresh(), namespace=False,
                            edits=[{"find": find, "put": put}])
    return among(label, code, text, at, **more)


def signed():
    two = messages.batch([noe(), noe()])
    yield Bad("signature of other bytes", "XSIG", two, to=None, signature="A" * 43 + "=")
    yield Bad("signature is no base64", "XSIG", two.replace("</", " </"), to=None, signature="?!")
    yield Bad("no signature", "XSIG", two.replace("<R", " <R"), to=None, signature="")
    yield Bad("no key", "XKEY", noe(), to=None, key=None, place="0")
    yield Bad("unknown key", "XKEY", noe(), to=None, key="STEHSGSG/nobody", place="0")
    yield Bad("expired key", "XKEY", noe(), to=None, key="OLDKSGSG/h1", place="0")
    yield Bad("key of tomorrow", "XKEY", noe(), to=None, key="NEWKSGSG/h1", place="0")
    yield Bad("participant is not active", "XKEY", noe(), to=None, key="OFFKSGSG/h1", place="0")
    yield Bad("broker user of another", "XKEY", noe(), to=None, key="BROKSGSG/h1", place="0",
              user_id="STEHSGSG")


def deliveries():
    good = noe()
    yield Bad("plain text", "XWEL", "NOE 1000 shares of %s" % fresh())
    yield Bad("only half", "XWEL", messages.message("single", "NOE", fresh())[:-40])
    broken = noe().replace("</Reference>", "</Referenz>")
    yield Bad("broken in the middle", "XWEL", messages.batch([good, broken, noe()]), index=1,
              kept=None, neighbours=(0,))
    yield Bad("document type", "XDTD", '<!DOCTYPE a [<!ENTITY b "%s">]>\n%s' % (fresh(), noe()),
              place="1:1")
    yield Bad("another encoding", "XENC", '<?xml version="1.0" encoding="UTF-16"?>' + noe())
    latin = messages.batch([noe(), noe(Narrative="M~nchen"), noe()]).encode().replace(b"~", b"\xfc")
    yield Bad("latin-1 in the middle", "XENC", latin, index=1, kept=None, neighbours=(0,),
              place=str(latin.index(b"\xfc")))
    null = messages.batch([noe(), noe(Narrative="a~b"), noe()]).encode().replace(b"~", b"\0")
    yield Bad("NUL in the middle", "XENC", null, index=1, kept=None, neighbours=(0,),
              place=str(null.index(b"\0")))
    yield Bad("another root", "XNSP", "<Order><Reference>%s</Reference></Order>" % fresh(), place="1:1")
    yield Bad("another namespace", "XNSP", messages.message("single", "NOE", fresh()).replace(
        "urn:ste:trade:1", "urn:ste:trade:2"), place="1:1")
    yield Bad("empty batch", "XEMP", "<!-- %s --><TradeMessages></TradeMessages>" % fresh())
    many = messages.batch(["<TradeMessage type=\"STQ\"/>"] * 1001 + ["<!-- %s -->" % fresh()])
    yield Bad("1,001 messages", "XLIM", many)
    huge = (noe() + " " * DELIVERY_BYTES_MAX)[:DELIVERY_BYTES_MAX + 1].encode()
    yield Bad("4 MiB and a byte", "XLIM", huge, kept=huge[:RAW_BYTES_MAX], length=len(huge),
              place="1:1")
    deep = "<d>" * 8 + "</d>" * 8
    yield Bad("nine deep", "XLIM", noe().replace("  <Sender>", deep + "  <Sender>"))


def before_the_line():
    """EXC of one message, its neighbours stand."""
    exc = {"kind": "EXC", "to": "STEHSGSG"}
    large = noe().replace("</TradeMessage>", "<x>" + "y" * MESSAGE_BYTES_MAX + "</x></TradeMessage>")
    yield among("64 KiB are passed", "XLIM", large, "message", **exc)
    other = noe().replace("<TradeMessage", "<Order").replace("</TradeMessage", "</Order")
    foreign = among("foreign child", "XNSP", noe(), "message", **exc)
    foreign.body = foreign.body.replace(foreign.kept, other.encode())
    foreign.kept = other.encode()
    yield foreign
    yield among("unknown type", "XTYP", noe(type="TRADE"), "message", **exc)
    yield among("unknown function", "XTYP", noe(function="NEW"), "message", **exc)
    for name in ("Reference", "Sender", "TradeReference", "TradeDate", "Manager"):
        yield among("no " + name, "XMIS", noe(**{name: ""}), "=" + name, element=name, **exc)
    yield edited("no Broker", "XMIS", "  <Broker>BROKSGSG</Broker>\n", "", "=Broker", **exc)
    yield edited("two TradeDates", "XREP", "  <TradeDate>", "  <TradeDate>2026-11-30</TradeDate><TradeDate>",
                 "=TradeDate", **exc)
    yield field("Reference", "XFMT", "R_1", **exc)
    yield field("TradeReference", "XFMT", "x" * 36, **exc)
    yield field("TradeDate", "XFMT", "2026-11-31", **exc)
    yield field("Manager", "XFMT", "INVM", **exc)
    yield among("sender of another", "XSND", noe(Sender="INVMSGSG"), "Sender", kind="EXC",
                to="BROKSGSG", key="BROKSGSG/h1", element="Sender")


def after_the_line():
    """REJ, told to the Sender."""
    yield field("Direction", "DELN", "SIDEWAYS")
    yield field("Payment", "FRAP", "CASH")
    yield field("Instrument", "DSEC", "US0378331003")
    yield field("TradeDate", "DTRD", "2026-12-01")
    yield field("TradeDate", "LATE", "2026-10-30")
    yield field("SettlementDate", "DDAT", "2026-02-30")
    yield field("Quantity", "DQUA", "1e3")
    yield field("Price", "DDEA", "-1")
    yield field("SettlementCurrency", "NCRR", "SGX")
    yield field("PlaceOfSettlement", "DEPT", "CDPLXXSG")
    for name, message, code, text in (
            ("SettlementAmount", "NPR", "DMON", "37557.525"), ("Commission", "NPR", "EXEC", "1.001"),
            ("AccruedInterest", "NPR", "ACRU", "+3"), ("DeliveringAgent", "SET", "DEAG", "AGRIFRPP8"),
            ("ReceivingAgent", "SET", "REAG", "AGRIF2PP"), ("Account", "ALB", "SAFE", "SAFE_1")):
        text = messages.message("single", message, fresh(), namespace=False, **{
            name: text, **({name + "__currency": "SGD"} if message == "NPR" else {})})
        to = {"NPR": "BROKSGSG", "ALB": "INVMSGSG", "SET": "CUSTSGSG"}[message]
        yield among("bad " + name, code, text, name, element=name, to=to)
    yield among("no Price", "XMIS", noe(Price=""), "=Price", element="Price")
    yield edited("two Prices", "XREP", "  <Price ", '  <Price type="ACTU">1</Price>\n  <Price ', "=Price")
    yield field("CreatedAt", "XFMT", "yesterday")
    yield field("Narrative", "XLIM", "n" * 2001)
    yield edited("65 unknown elements", "XLIM", "  <Sender>", "<x>1</x>" * 64 + "<y>1</y><Sender>",
                 "y", element="y")
    yield among("role of a custodian", "XROL", noe(Sender="CUSTSGSG"), "Sender", element="Sender",
                to="CUSTSGSG")
    for function in ("AMND", "CANC", "TRIA"):
        yield among(function, "XFUN", noe(function=function, PreviousReference="P"), "message")
    for kind, who in (("STQ", "BROKSGSG"), ("AFF", "INVMSGSG"), ("NAF", "INVMSGSG")):
        yield among(kind, "XFUN", noe(type=kind, function="none", Sender=who, PreviousReference="P"),
                    "message", to=who)


BAD = [*signed(), *deliveries(), *before_the_line(), *after_the_line()]
PARTIES = ["STEHSGSG", "BROKSGSG", "INVMSGSG", "CUSTSGSG"]


class Storm:
    def __init__(self, lab, ears, hand):
        self.lab, self.tap, self.hand = lab, ears, hand

    def answers(self, message_id, index):
        return [r for r in self.tap.replies
                if r.queue.startswith("reply.") and (r.delivery, r.index) == (message_id, index)]

    def copies(self, message_id, index):
        return [r for r in self.tap.replies
                if r.queue == "exc.*" and (r.delivery, r.index) == (message_id, index)]

    def row(self, message_id, index):
        rows = self.lab.query_all("SELECT * FROM exception WHERE delivery_id = %s AND "
                                  "delivery_index = %s", (message_id, index))
        assert len(rows) == 1, rows
        return rows[0]


@pytest.fixture(scope="module")
def storm(lab):
    """All of it in one stream, once; then the other halves of the good trades."""
    keys = ["cls.*", "exc.*"] + ["reply." + p for p in PARTIES]
    pids = lab.pids()
    with tap(lab, keys) as ears, sender(lab) as hand:
        one = Storm(lab, ears, hand)
        for bad in BAD:
            send(hand, bad)
        for bad in BAD:
            if bad.trade and "key" not in bad.sending:
                hand.send(messages.batch(bad.rest))
        wanted = {b.trade for b in BAD if b.trade and "key" not in b.sending}
        ears.wait(lambda: wanted <= {r.trade_reference for r in ears.of("CLS")}, 30, "all good trades")
        wait_for(lambda: kept(lab) >= {b.message_id.encode() for b in BAD}, 30, "all exceptions")
        quiet(lab, ears)
        yield one
    assert lab.pids() == pids, "bad input ended a process"
    assert lab.ready("ste.dead", *["ste.suspect.%02d" % s for s in range(lab.shard_count())]) == 0


def kept(lab):
    return {row["delivery_id"] for row in lab.query_all("SELECT delivery_id FROM exception")}


def quiet(lab, ears):
    wait_for(lambda: not any(lab.query_all("SELECT 1 FROM outbox LIMIT 1")), 20, "everything is said")
    ears.drain()


def send(hand, bad):
    options = dict(bad.sending)
    if bad.sending.get("key") == "BROKSGSG/h1":
        options["signature"] = hub_signature(hand.lab, bad.body, "BROKSGSG/h1")
    bad.message_id = hand.send(bad.body, **options)


def rest_from(bad):
    """Where XML breaks, the delivery from the start of the broken message is kept."""
    at = bad.body.index(b"<TradeMessage ")
    for _ in range(bad.index):
        at = bad.body.index(b"<TradeMessage ", at + 1)
    return bad.body[at:]


@pytest.mark.parametrize("bad", BAD, ids=[b.code + " " + b.label for b in BAD])
def test_refused_with_code_and_place(storm, bad):
    row = storm.row(bad.message_id, bad.index)
    assert (row["code"].decode(), row["kind"]) == (bad.code, {"EXC": 0, "REJ": 1}[bad.kind]), row["text"]
    assert bad.place in (None, row["place"].decode()), row["text"]
    kept = rest_from(bad) if bad.index and not bad.trade else bad.kept
    assert row["raw"] == kept
    assert bad.length or row["raw_bytes_total"] == len(kept)
    assert row["repeats"] == 0
    assert row["signed_sha256"] == hashlib.sha256(bad.body).digest()
    assert str(row["business_day"]) == "2026-11-30"

    said = storm.answers(bad.message_id, bad.index)
    assert [(r.kind, r.to, r.queue) for r in said] == (
        [] if bad.to is None else [(bad.kind, bad.to, "reply." + bad.to)])
    for reply in said:
        first = reply.reasons[0]
        assert (first["code"], first["place"], first["level"]) == (bad.code, row["place"].decode(),
                                                                   "reject")
        assert bad.element in (None, first["element"])
    assert len(storm.copies(bad.message_id, bad.index)) == (1 if bad.kind == "EXC" else 0)


def test_length_of_a_cut_body_is_kept(storm):
    bad, = [b for b in BAD if b.length]
    assert storm.row(bad.message_id, 0)["raw_bytes_total"] == bad.length


@pytest.mark.parametrize("bad", [b for b in BAD if b.neighbours],
                         ids=[b.code + " " + b.label for b in BAD if b.neighbours])
def test_neighbours_come_through(storm, bad):
    if bad.sending.get("key") == "BROKSGSG/h1":  # the ALB is the manager's: not this key's either
        assert [r.kind for r in storm.answers(bad.message_id, 0)] == ["ACK"]
        assert [r.reasons[0]["code"] for r in storm.answers(bad.message_id, 2)] == ["XSND"]
        return
    for index in bad.neighbours:
        assert [r.kind for r in storm.answers(bad.message_id, index)] == ["ACK"]
    if bad.trade:
        assert len([r for r in storm.tap.of("CLS", bad.trade) if r.queue == "cls.*"]) == 1


def test_whole_delivery_is_refused_with_its_signature(storm):
    for bad in BAD:
        if bad.code == "XSIG":
            assert storm.row(bad.message_id, 0)["signer"] == b""
            assert not storm.lab.query_all("SELECT 1 FROM message WHERE delivery_id = %s",
                                           (bad.message_id,))


def test_refused_by_the_state_of_the_trade(storm):
    """REFE, PODU, LATE of a cleared trade, and the repetition that is none of them."""
    bad = next(b for b in BAD if b.trade and "key" not in b.sending)
    again = messages.trade("single", bad.trade, namespace=False)
    other = fresh()
    tries = [
        ("EXC", "REFE", messages.message("single", "NOE", bad.trade, namespace=False, Price="38"),
         "Reference", "STEHSGSG"),
        ("REJ", "PODU", messages.message("single", "NOE", bad.trade, namespace=False,
                                         Reference="B-2"), "TradeReference", "BROKSGSG"),
        ("REJ", "PODU", messages.message("single", "SET", bad.trade, namespace=False,
                                         Reference="C-2"), "Account", "CUSTSGSG"),
        ("REJ", "LATE", messages.message("single", "ALB", bad.trade, namespace=False,
                                         Reference="M-2", Account="SAFE-0009"), "Account", "INVMSGSG"),
        ("ACK", "DUPL", again["NOE"], None, "BROKSGSG"),
    ]
    body = messages.batch([t[2] for t in tries] + [
        messages.message("single", "NOE", other, namespace=False)])
    message_id = storm.hand.send(body)
    storm.tap.wait(lambda: storm.answers(message_id, len(tries)), 20, "the last answer")
    quiet(storm.lab, storm.tap)
    for index, (kind, code, text, element, to) in enumerate(tries):
        reply, = storm.answers(message_id, index)
        assert (reply.kind, reply.to) == (kind, to)
        if kind == "ACK":
            assert (reply.code, reply.then) == ("DUPL", [])
            continue
        reason, = reply.reasons
        assert (reason["code"], reason["place"]) == (code, messages.place(body, index, element))
        row = storm.row(message_id, index)
        assert (row["code"].decode(), row["raw"].decode()) == (code, text)
    assert [r.kind for r in storm.answers(message_id, len(tries))] == ["ACK"]
    assert len([r for r in storm.tap.of("CLS", bad.trade) if r.queue == "cls.*"]) == 1


def test_repetitions_are_counted(storm):
    """The same bytes again are one row; the same delivery again is no repetition at all."""
    body = "<Order>%s</Order>" % fresh()
    first = storm.hand.send(body)
    for _ in range(3):
        last = storm.hand.send(body)
    storm.hand.send(body, message_id=last)
    wrong = storm.hand.send(body, signature="A" * 43 + "=")  # another first code, another row
    sentinel = storm.hand.send(noe())
    storm.tap.wait(lambda: storm.answers(sentinel, 0), 20, "the sentinel's answer")
    wait_for(lambda: storm.lab.query_all("SELECT 1 FROM exception WHERE delivery_id = %s", (wrong,)),
             20, "the last row")
    wait_for(lambda: storm.row(first, 0)["repeats"] == 3, 10, "three repetitions")
    quiet(storm.lab, storm.tap)
    assert storm.row(first, 0)["repeats"] == 3
    assert storm.row(first, 0)["last_delivery_id"].decode() == last
    assert storm.row(wrong, 0)["repeats"] == 0
    assert len(storm.answers(last, 0)) == 1


def test_a_delivery_repeated_is_answered_once(storm):
    """Refused messages among accepted ones, the same delivery twice and again later: one answer each,
    though the second commit would have other replies to the same parties."""
    body = messages.batch([noe(), "<Order/>", noe().replace("BUYI", "BUY"), noe()])
    first = storm.hand.send(body)
    storm.hand.send(body, message_id=first)
    storm.tap.wait(lambda: storm.answers(first, 3), 20, "the last answer")
    storm.hand.send(body, message_id=first)
    sentinel = storm.hand.send(noe())
    storm.tap.wait(lambda: storm.answers(sentinel, 0), 20, "the sentinel's answer")
    quiet(storm.lab, storm.tap)
    assert [[r.kind for r in storm.answers(first, i)] for i in range(4)] == [
        ["ACK"], ["EXC"], ["REJ"], ["ACK"]]
