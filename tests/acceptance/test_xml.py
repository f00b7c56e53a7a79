# SPDX-License-Identifier: Apache-2.0
"""MESSAGES sections 1 and 11: XML as it comes, limits on both sides, and what breaks a delivery.
Each body is one file, and each file one delivery, byte for byte."""
import itertools

from market import HUB, NAMESPACE, batch, position, single

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
MESSAGE_BYTES, DEPTH, UNKNOWN, NARRATIVE = 65536, 8, 64, 2000


def noe(**changes):
    return single().noe(**changes)


def prefixed(prefix, messages):
    text = batch(messages, namespace=False)
    for name in ["TradeMessages", "TradeMessage", *{n for m in messages for n in m.values}]:
        text = text.replace("<%s>" % name, "<%s:%s>" % (prefix, name)).replace(
            "<%s " % name, "<%s:%s " % (prefix, name)).replace("</%s>" % name,
                                                               "</%s:%s>" % (prefix, name))
    return text.replace("TradeMessages", 'TradeMessages xmlns:%s="%s"' % (prefix, NAMESPACE), 1)


def test_forms(talk):
    """All of these are two messages, or one."""
    def two():
        trade = single()
        return [trade.noe(), trade.alb(Narrative="\u7532\u4e59 \u4e19")]
    bodies = [
        batch(two()), batch(two(), namespace=False), batch(two(), HEAD), prefixed("t", two()),
        prefixed("ste-1.x", two()), prefixed("\u4e2d", two()),
        b"\xef\xbb\xbf" + batch(two(), HEAD).encode(), batch(two(), HEAD).replace("\n", "\r\n"),
        b"\xef\xbb\xbf" + batch(two()).replace("\n", "\r\n").encode(),
        batch(two(), "<?xml version='1.0'?>\n<!-- x --><?x y?>\n") + "<!-- end --> <?end?>\n",
        batch(two(), '<?xml version="1.0" encoding="utf-8" standalone="yes"?>'),
        batch(two()).replace("<Payment>APMT", "<Payment><![CDATA[AP]]>M<!-- c -->T<?x?>"),
        batch(two()).replace(">APMT<", ">&#65;&#x50;MT<"),
        batch(two()).replace("><", ">\n\t<").replace("<TradeMessages", "<TradeMessages id='1'", 1),
        batch([m.xml(namespace=True) for m in two()]),
        batch(two()).replace("</TradeMessage>", "</TradeMessage> stray text &amp; ", 1),
        batch(two()).replace("<Payment>", "stray<Payment color='red'>"),
        batch(two()).replace('"', "'"), batch(two()).replace("\n", ""),
    ]
    ones = [noe().xml(namespace=True), noe().xml(), HEAD + noe().xml(),
            b"\xef\xbb\xbf" + noe(Narrative="\u4e2d" * 700).xml().encode(),
            " \n" + noe().xml() + "\n\n"]
    answers = talk.files(bodies + ones)
    for body, answer in zip(bodies + ones, answers):
        kinds = [(line["kind"], line["reasons"]) for line in answer.lines]
        assert kinds == [("ACK", [])] * (2 if body in bodies else 1), (body[:200], kinds)


def test_unknown_elements(talk):
    """Kept, ignored and listed: also of another namespace, also a message inside a message."""
    inside = ["<Strange a='1'>x<y/></Strange>", '<o:Price xmlns:o="urn:other">7</o:Price>',
              '<TradeMessage type="NOE" function="NEWM"><Reference>X</Reference></TradeMessage>',
              '<Price xmlns="urn:other">7</Price>', "<price>7</price>"]
    body = batch([noe(inside=text) for text in inside])
    answer, = talk.files([body])
    for n, text in enumerate(inside):
        line = answer.answer(n)
        assert line["kind"] == "ACK", line
        reason, = line["reasons"]
        assert (reason["code"], reason["level"]) == ("XUNK", "warn")
        assert reason["place"] == position(body, body.index(text)), (text, reason)


def test_limits_of_a_message(talk):
    def sized(size):
        message = noe()
        rest = size - len(message.xml().encode())
        return message.but(inside="<!--%s-->" % ("x" * (rest - 7)))

    def deep(depth, above):
        names = ["e%d" % n for n in range(depth - above)]
        return noe(inside="".join("<%s>" % n for n in names)
                   + "".join("</%s>" % n for n in names[::-1]))

    def unknown(count):
        return noe(inside="".join("<u%d/>" % n for n in range(count)))

    inside = [sized(MESSAGE_BYTES), sized(MESSAGE_BYTES + 1), noe(), deep(DEPTH, 2),
              deep(DEPTH + 1, 2),
              noe(), unknown(UNKNOWN), unknown(UNKNOWN + 1), noe(Narrative="\u4e2d" * NARRATIVE),
              noe(Narrative=" " + "\U0001f600" * NARRATIVE + " "),
              noe(Narrative="x" * (NARRATIVE + 1)),
              noe(inside="<u>" + "<v/>" * 100 + "</u>")]
    body = batch(inside)
    alone = [sized(MESSAGE_BYTES).xml(), sized(MESSAGE_BYTES + 1).xml(), deep(DEPTH, 1).xml(),
             deep(DEPTH + 1, 1).xml(), "\n" * 5000 + sized(MESSAGE_BYTES).xml() + " " * 5000]
    answers = talk.files([body, *alone])
    expected = ["ACK", "EXC", "ACK", "ACK", "EXC", "ACK", "ACK", "REJ", "ACK", "ACK", "REJ", "ACK"]
    for n, kind in enumerate(expected):
        line = answers[0].answer(n)
        assert (line["kind"], line["code"]) == (kind, None if kind == "ACK" else "XLIM"), (n, line)
    assert len(answers[0].lines) == len(expected)
    assert len(answers[0].answer(6)["reasons"]) == UNKNOWN
    starts = [i for i in range(len(body)) if body.startswith("<TradeMessage ", i)]
    too_deep = body.index("<e%d>" % (DEPTH - 2), starts[4])
    assert answers[0].answer(1)["place"] == position(body, starts[1])
    assert answers[0].answer(4)["place"] == position(body, too_deep)
    assert answers[0].answer(10)["place"] == position(body, body.index("<Narrative", starts[10]))
    for answer, kind in zip(answers[1:], ("ACK", "EXC", "ACK", "EXC", "ACK")):
        assert [line["kind"] for line in answer.lines] == [kind]
    assert answers[2].answer(0)["place"] == "1:1"


class Broken:
    """A body of which `stand` messages count and the rest is one EXC at index `stand`, kept as
    it is (? where no message begins it)."""

    def __init__(self, code, body, stand=0, place=None, kept=None):
        self.code, self.stand, self.place = code, stand, place
        self.body = body.encode() if isinstance(body, str) else body
        self.kept = self.body if kept is None else kept.encode() if isinstance(kept, str) else kept


def cut(code, change, of=2, place=None, total=4):
    """A batch whose message number `of` is changed to bytes that break it."""
    messages = [noe() for _ in range(total)]
    texts = [m.xml().encode() for m in messages]
    texts[of] = change(texts[of])
    head = ('<TradeMessages xmlns="%s">\n' % NAMESPACE).encode()
    body = head + b"\n".join(texts) + b"\n</TradeMessages>\n"
    start = len(head) + sum(len(t) + 1 for t in texts[:of])
    return Broken(code, body, of, place(body) if place else None, body[start:])


def broken():
    def sub(a, b):
        return lambda text: text.replace(a, b, 1)

    def offset(mark, plus=0):
        return lambda body: str(body.index(mark) + plus)
    one = noe().xml()
    yield cut("XWEL", sub(b"</Payment>", b"</Paiement>"))
    yield cut("XWEL", sub(b"<Payment>", b"<Payment a=1>"))
    yield cut("XWEL", sub(b">APMT<", b">A & B<"))
    yield cut("XWEL", sub(b">APMT<", b">&unknown;<"))
    yield cut("XWEL", sub(b">APMT<", b">\x01<"))
    yield cut("XWEL", sub(b">APMT<", b">&#1;<"))
    yield cut("XWEL", sub(b"<Payment>", b"<o:Payment>"), of=0)
    yield cut("XWEL", sub(b' type="NOE"', b' type="NOE" type="NOE"'), of=3)
    yield cut("XENC", sub(b">APMT<", b">\xff<"), place=offset(b"\xff"))
    yield cut("XENC", sub(b">APMT<", b">\xc3<"), of=1, place=offset(b"\xc3"))
    yield cut("XENC", sub(b">APMT<", b">\xc0\xaf<"), place=offset(b"\xc0"))
    yield cut("XENC", sub(b">APMT<", b">\xed\xa0\x80<"), place=offset(b"\xed"))
    yield cut("XENC", sub(b">APMT<", b">\xf4\x90\x80\x80<"), place=offset(b"\xf4"))
    yield cut("XENC", sub(b">APMT<", b">AP\x00MT<"), place=offset(b"\x00"))
    yield Broken("XENC", b"\x00" + one.encode(), place="0")
    yield Broken("XENC", one.encode("utf-16"), place="0")
    yield Broken("XENC", noe().xml().encode("utf-16-le"))
    yield Broken("XENC", noe().xml().encode("utf-32"))
    yield Broken("XENC", '<?xml version="1.0" encoding="ISO-8859-1"?>' + noe().xml(), place="0")
    yield Broken("XENC", '<?xml version="1.0" encoding="UTF-16"?>' + noe().xml(), place="0")
    yield Broken("XENC", noe(Narrative="\u00e4").xml().encode("latin-1"))
    text = '<?xml version="1.0"?>\n  <!DOCTYPE TradeMessage [<!ENTITY e "x">]>\n'
    text += noe(Narrative="&e;").xml()
    yield Broken("XDTD", text, place="2:3")
    yield Broken("XDTD", '<!DOCTYPE TradeMessages SYSTEM "file:///etc/passwd">' + batch([noe()]),
                 place="1:1")
    yield Broken("XNSP", noe().xml().replace("<TradeMessage ",
                                             '<TradeMessage xmlns="urn:ste:trade:2" '),
                 place="1:1")
    yield Broken("XNSP", "\n " + batch([noe()]).replace(NAMESPACE, "urn:other"), place="2:2")
    yield Broken("XNSP", "<Order>%s</Order>" % noe().xml(), place="1:1")
    yield Broken("XNSP", "<tradeMessages>%s</tradeMessages>" % noe().xml(), place="1:1")
    yield Broken("XEMP", "<TradeMessages/>", place="1:1")
    yield Broken("XEMP", HEAD + '<TradeMessages xmlns="%s"> <!-- %s --> </TradeMessages>' % (
        NAMESPACE, noe().Reference), place="2:1")
    yield Broken("XWEL", "garbage")
    yield Broken("XWEL", "{}\n")
    yield Broken("XWEL", "   \n")
    one, other = noe(), noe()
    yield Broken("XWEL", batch([one, other])[:-len("</TradeMessages>\n")], 2, kept="?")
    yield Broken("XWEL", batch([noe()]) + "<x/>", 1, kept="?")
    yield Broken("XWEL", batch([noe(), other.but(Reference="O")])[:-30], 1,
                 kept=other.but(Reference="O").xml()[:-12])
    yield Broken("XWEL", noe().xml() + one.xml(), 1, kept=one.xml())


def test_what_breaks_a_delivery(talk, lab):
    """The messages closed before it stand, the rest from the start of the broken one is one EXC,
    to the signer, and kept byte for byte."""
    cases = list(broken())
    answers = talk.files([case.body for case in cases])
    wrong = []
    for case, answer in zip(cases, answers):
        said = sorted((line["index"], line["kind"], line["code"], line["to"])
                      for line in answer.lines)
        expected = [(n, "ACK", None, "BROKSGSG") for n in range(case.stand)]
        if said != expected + [(case.stand, "EXC", case.code, HUB)]:
            wrong.append((case.code, case.body[:150], said))
            continue
        line = answer.answer(case.stand)
        if case.place and line["place"] != case.place:
            wrong.append((case.code, case.body[:150], "place", line["place"], case.place))
        rows = lab.query_all("SELECT raw FROM exception WHERE last_delivery_id = %s AND "
                             "last_delivery_index = %s", (line["delivery"], case.stand))
        if case.kept != b"?" and [bytes(row["raw"]) for row in rows] != [case.kept]:
            wrong.append((case.code, case.body[:150], "kept", rows, case.kept))
    assert not wrong, "\n".join(map(str, wrong))


def test_foreign_children(talk):
    """One EXC XNSP each, its neighbours stand."""
    body = batch([noe(), "<Order><x/></Order>", noe(), '<TradeMessage xmlns="urn:x" type="NOE"/>',
                  noe(), "<TradeMessages/>", noe()])
    answer, = talk.files([body])
    assert [answer.answer(n)["kind"] for n in range(7)] == ["ACK", "EXC"] * 3 + ["ACK"]
    for n, mark in ((1, "<Order"), (3, '<TradeMessage xmlns="urn:x"'), (5, "<TradeMessages/>")):
        line = answer.answer(n)
        assert (line["code"], line["to"]) == ("XNSP", HUB)
        assert line["place"] == position(body, body.index(mark)), line


def test_places_count_characters(talk):
    """line:column of the start tag, from 1, in characters; CR LF is one line end."""
    text = ('<TradeMessages>\r\n<!-- \u4e2d\U0001f600 -->'
            + noe(Price="x").xml().replace("\n", "\r\n")
            + "<!-- \u00e4 -->\r\n\r\n\t" + noe(Country="ZZ").xml().replace("\n  ", "\u4e2d")
            + "</TradeMessages>")
    bom = "\ufeff" + noe(Price="x").xml().replace("\n", "")
    answers = talk.files([text, bom])
    flat = text.replace("\r\n", "\n")
    assert answers[0].answer(0)["place"] == position(flat, flat.index("<Price"))
    assert answers[0].answer(1)["place"] == position(flat, flat.index("<Country"))
    assert answers[1].answer(0)["place"] == position(bom[1:], bom[1:].index("<Price"))


def test_values_lose_outer_space_only(talk):
    accounts = [(" SAFE\n", "ACK"), ("SA  FE", "ACK"), ("SA\u00a0FE", "REJ"), ("\u00a0SAFE", "REJ"),
                ("\u3000SAFE", "REJ")]
    answers = talk.send([single().alb(Account=a) for a, _ in accounts])
    assert [answers.answer(n)["kind"] for n in range(len(accounts))] == [k for _, k in accounts]


def test_bad_neighbours(talk):
    """Good trades clear among refused messages of every sort."""
    trades = [single() for _ in range(20)]
    rotten = itertools.cycle([noe(Price="x"), noe(Reference=None), "<Order/>",
                              noe().but(kind="ZZZ"),
                              noe(Sender="INVMSGSG"), noe().but(function="AMND")])
    messages = [m for trade in trades for good in trade.all() for m in (good, next(rotten))]
    answers = talk.file(batch(messages))
    assert answers.summary["cls"] == 20 and answers.summary["mac"] == 60
    assert answers.summary["ack"] == 80 and answers.summary["rej"] + answers.summary["exc"] == 80
