# SPDX-License-Identifier: Apache-2.0
"""MESSAGES section 5: repetition, reuse of a reference, lateness; and what the shards keep."""
from market import BROKER, HUB, MANAGER, batch, place, single


def test_repetition_is_answered_again(talk):
    """Same identity and content: the first answer with code DUPL and nothing else, in the same
    delivery and later, cleared or not."""
    trade = single()
    messages = trade.all()
    answers = talk.send(messages, messages[0].but())
    pair = [answers.answer(0), answers.answer(4)]
    assert sorted(str(line["code"]) for line in pair) == ["DUPL", "None"]
    assert answers.summary == {"submitted": 5, "ack": 4, "rej": 0, "exc": 0, "dupl": 1, "nma": 0,
                               "mac": 3, "cls": 1}
    answers = talk.send(messages)
    assert answers.summary == {"submitted": 4, "ack": 0, "rej": 0, "exc": 0, "dupl": 4, "nma": 0,
                               "mac": 0, "cls": 0}
    for n, message in enumerate(messages):
        line = answers.answer(n)
        assert (line["kind"], line["code"], line["then"], line["to"], line["reference"]) == (
            "ACK", "DUPL", [], message.Sender, message.Reference)


def test_repetition_repeats_warnings_and_not_nma(talk):
    """The first answer again: warnings too; what else the first caused is not sent again."""
    trade = single()
    messages = [trade.noe(), trade.alb(), trade.npr(inside="<Strange>x</Strange>"),
                trade.set(SettlementDate="2026-12-03")]
    first = talk.send(messages)
    assert len(first.nmas(trade)) == 3
    second = talk.send(messages)
    assert second.summary["dupl"] == 4 and second.summary["nma"] == 0
    assert [r["code"] for r in second.answer(2)["reasons"]] == ["XUNK"]


def test_what_makes_no_difference(talk):
    """Written otherwise: numbers, order, CreatedAt, unknown elements, space, CDATA, form."""
    trade = single()
    more = {"Factor": "1.0", "CreatedAt": "2026-11-30T09:15:02Z", "GrossAmount": "37520",
            "GrossAmount_currency": "SGD"}
    base = trade.npr(**more)
    variants = [
        base.but(Price="37.520000"), base.but(Price="0037.52"), base.but(Quantity="1000.000"),
        base.but(Factor="1"), base.but(GrossAmount="37520.00"),
        base.but(SettlementAmount="037557.52"),
        base.but(CreatedAt="2026-11-30T17:15:02.5+08:00"), base.but(CreatedAt=None),
        base.but(inside="<Strange>x</Strange><!-- c --><?p i?>"),
        base.but(Country="", Narrative="", PreviousReference=""),
        base.but(Account=" SAFE-0001\n\t", Price_type=" ACTU "),
        base.but(Sender="BROKSGSGXXX", Broker="BROKSGSG123", Manager="INVMSGSGABC"),
        type(base)("NPR", dict(reversed(base.values.items()))),
    ]
    cdata = base.xml().replace(">SAFE-0001<", "><![CDATA[SAFE]]>-<![CDATA[0001]]><")
    answers = talk.file(batch([base, *variants, cdata]))
    assert answers.summary["ack"] == 1 and answers.summary["dupl"] == len(variants) + 1, [
        line for line in answers.lines if line["kind"] == "EXC"]


def test_what_makes_a_difference(talk):
    """Any known element but CreatedAt, and the type; EXC REFE to the signer, the first stands."""
    trade = single()
    base = trade.alb()
    changes = [{"Price": "37.53"}, {"Narrative": "x"}, {"Country": "SG"}, {"Account": "safe-0001"},
               {"Receiver": BROKER}, {"Price_currency": "USD"}, {"Quantity": "1000.00001"},
               {"GrossAmount": "1", "GrossAmount_currency": "SGD"}, {"SettlementAmount": "1",
               "SettlementAmount_currency": "SGD"}, {"PreviousReference": "X"}]
    others = [base.but(**change) for change in changes]
    others.append(trade.set(Reference="ALB-1", Sender=MANAGER))
    answers = talk.send(base)
    assert answers.codes(0) == ("ACK", [])
    answers = talk.send(others)
    assert answers.summary["exc"] == len(others), answers.lines
    for n in range(len(others)):
        line = answers.answer(n)
        assert (line["code"], line["to"], line["reference"], line["then"]) == (
            "REFE", HUB, "ALB-1", []), (n, line)
    rest = talk.send(trade.noe(), trade.npr(), trade.set())
    assert rest.cleared(trade) == 1  # the first stands


def test_identity_before_content_and_place(talk):
    """A used reference is REFE whatever else is wrong with it; XFUN comes before."""
    trade = single()
    base = trade.alb()
    talk.send(base)
    answers = talk.send(base.but(Price="x", Quantity=None), trade.alb(Reference="ALB-2", Price="x"),
                        base.but(function="AMND", PreviousReference="ALB-1"))
    assert answers.answer(0)["kind"] == "EXC" and answers.answer(0)["code"] == "REFE"
    assert answers.codes(1) == ("REJ", ["DDEA"])
    assert answers.codes(2) == ("REJ", ["XFUN"])


def test_who_says_it_and_where(talk):
    """The same reference of another sender or trade is another message; BICs count by 8."""
    one, two = single(), single()
    answers = talk.send(one.noe(Reference="R"), one.alb(Reference="R"), two.noe(Reference="R"),
                        one.set(Reference="R"), one.noe(Reference="r"))
    assert [answers.codes(n) for n in range(4)] == [("ACK", [])] * 4
    assert answers.codes(4) == ("REJ", ["PODU"])  # case counts: another reference, the same place
    answers = talk.send(one.noe(Reference="R", Sender="BROKSGSGXXX", Price="1"))
    assert answers.answer(0)["code"] == "REFE"


def test_refused_is_judged_afresh(talk, lab):
    """A refused message uses up no reference; the same bytes again are one row with a count."""
    trade = single()
    wrong = trade.noe(Price="x")
    body = batch([wrong])
    for _ in range(3):
        answers = talk.file(body)
        assert answers.codes(0) == ("REJ", ["DDEA"]) and answers.summary["rej"] == 1
    answers = talk.send(trade.noe())
    assert answers.codes(0) == ("ACK", [])
    rows = lab.query_all("SELECT * FROM exception WHERE LOCATE(%s, raw) > 0",
                         (trade.reference.encode(),))
    assert len(rows) == 1
    row = rows[0]
    assert bytes(row["raw"]) == wrong.xml().encode()
    assert [row[k] for k in row if "repeat" in k] in ([3], [2])
    text = [v.decode("latin-1") if isinstance(v, bytes) else v for v in row.values()]
    assert "DDEA" in text and place(body, 0, "Price") in text, text


def test_lateness(talk):
    """Thirty days back is the last that is taken; tomorrow is not; anything else however late."""
    days = {"2026-10-30": ("REJ", ["LATE"]), "2026-10-31": ("ACK", []), "2026-11-20": ("ACK", []),
            "2026-11-30": ("ACK", []), "2026-12-01": ("REJ", ["DTRD"]),
            "2027-11-30": ("REJ", ["DTRD"]),
            "2017-01-02": ("REJ", ["LATE"]), "1999-12-31": ("REJ", ["LATE"])}
    messages = [single(TradeDate=day, SettlementDate="2027-12-02" if day > "2026-12" else
                       "2026-12-02").noe() for day in days]
    answers = talk.send(messages)
    for message, expected in zip(messages, days.values()):
        assert answers.codes(message) == expected, message.TradeDate
    old = single(TradeDate="2026-10-31", SettlementDate="2026-11-03")
    answers = talk.send(old.all())
    assert answers.cleared(old) == 1


def test_a_purged_day_is_late(talk, lab):
    """REJ LATE from the moment of the purge; nothing of the day is left. A day serves once: where
    all of these are purged already, by earlier runs, only what comes after is seen."""
    rows = {str(r["trade_date"]): r["state"] for r in lab.query(0, "SELECT * FROM day")}
    days = ["2026-11-%02d" % n for n in range(1, 9)]
    day = next((d for d in days if rows[d] == 1), days[-1])
    trade = single(TradeDate=day)
    if rows[day] == 1:
        assert talk.send(trade.noe()).answer(0)["kind"] == "ACK"
        lab.admin("day", "purge", day)
    answers = talk.send(trade.noe(), trade.alb(), single(TradeDate=day).noe(), single().noe())
    assert [answers.codes(n) for n in range(4)] == [("REJ", ["LATE"])] * 3 + [("ACK", [])]
    for table in ("trade", "message"):
        assert not lab.query_all("SELECT 1 FROM %s WHERE trade_date = %%s" % table, (day,))


def test_shards_keep_what_was_accepted(talk, lab):
    """One row a message, as sent; none of what was refused; a trade on the shard its key gives."""
    trade = single()
    good, wrong = trade.all(), [trade.noe(Reference="W1", Price="x"), trade.noe(Reference="W2")]
    talk.send(good)
    talk.send(wrong, good[1], good[2].but(Narrative="other"))
    mark = (trade.reference.encode(),)
    stored = lab.query_all("SELECT * FROM message")
    kept = [row for row in stored
            if any(isinstance(v, bytes) and mark[0] in v for v in row.values())]
    raws = [b"".join(v for v in row.values() if isinstance(v, bytes) and b"<TradeMessage" in v)
            for row in kept]
    if kept:  # bodies may be stored compressed: then only their number is looked at
        assert sorted(raws) == sorted(m.xml().encode() for m in good)
    refused = lab.query_all("SELECT raw FROM exception WHERE LOCATE(%s, raw) > 0", mark)
    assert sorted(bytes(r["raw"]) for r in refused) == sorted(
        m.xml().encode() for m in [*wrong, good[2].but(Narrative="other")])
