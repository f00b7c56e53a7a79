# SPDX-License-Identifier: Apache-2.0
"""MESSAGES sections 1 and 6: what is malformed, missing, warned about; code and place of each."""
from market import BROKER, CUSTODIAN, HUB, MANAGER, batch, bond, place, single

ATTRIBUTES = ("unit", "type", "currency")


def base(kind):
    """A good message of a trade of its own."""
    return getattr(single(), kind.lower())()


def judged(talk, cases):
    """Sends (kind of message, changes, what is expected) as one delivery; expected is a kind and a
    set of codes. Yields each with its answer and the text that was sent."""
    messages = [c[0] if not isinstance(c[0], str) else base(c[0]) for c in cases]
    messages = [m.but(**c[1]) for m, c in zip(messages, cases)]
    text = batch(messages)
    answers = talk.file(text, messages=messages)
    wrong = []
    for n, (message, case) in enumerate(zip(messages, cases)):
        line = answers.answer(n)
        codes = {r["code"] for r in line["reasons"] if line["kind"] == "ACK"
                 or r["level"] == "reject"}
        if (line["kind"], codes) != case[2]:
            wrong.append((message.kind, case[1], line["kind"], line["reasons"]))
        yield message, case, line, text, n
    assert not wrong, "\n".join(map(str, wrong))


def good(kind, **changes):
    return kind, changes, ("ACK", set())


def warn(code, kind, **changes):
    return kind, changes, ("ACK", {code})


def bad(code, kind, **changes):
    return kind, changes, ("REJ", {code})


def exc(code, kind, **changes):
    return kind, changes, ("EXC", {code})


def check(talk, *cases):
    for message, case, line, text, n in judged(talk, cases):
        element = next(iter(case[1]), "").split("_")[0]
        for reason in line["reasons"]:
            expected = element if reason["code"] in ("XMIS", "XREP") else (
                place(text, n, element) if element in message.values else None)
            assert reason["element"] == element, (case, reason)
            assert expected in (None, reason["place"]), (case, expected, reason)
            assert reason["level"] == ("warn" if line["kind"] == "ACK" else "reject"), (case,
                                                                                        reason)
            assert reason["text"], case
        assert line["to"] == (HUB if line["kind"] == "EXC" else message.Sender[:8]), (case, line)
        if line["kind"] != "ACK":
            assert line["code"] == line["reasons"][0]["code"] and line["text"], line
            assert line["place"] == line["reasons"][0]["place"], line
            assert line["then"] == [], line


def test_quantities(talk):
    check(talk, *[good("NOE", Quantity=q) for q in (
        "1", "0.00001", "1000.0", "000001", "999999999999999999", "9999999999999.99999",
        "0000000000000.00001", " \n7\t", "1.50000")])
    check(talk, *[bad("DQUA", "NOE", Quantity=q) for q in (
        "0", "0.0", "0.000001", "1.000000", "-1", "+1", "1e3", "1,000", "1 000", "1.", ".5", "1.5.",
        "x",
        "1000000000000000000", "0000000000000000001", "9999999999999.999999", "0x1", "\u0661",
        "1_0",
        "NaN", "1.2.3")])
    check(talk, bad("DQUA", "NOE", Quantity_unit=None), bad("DQUA", "NOE", Quantity_unit="unit"),
          bad("DQUA", "NOE", Quantity_unit="LOTS"), bad("DQUA", "NOE", Quantity_unit=""),
          good("NOE", Quantity_unit=" UNIT "))


def test_prices(talk):
    check(talk, *[good("NOE", Price=p) for p in (
        "0", "0.0000000001", "101.001283", "99999999.9999999999", "1.0000000000")])
    check(talk, *[bad("DDEA", "NOE", Price=p) for p in (
        "-1", "0.00000000001", "1.00000000000", "1e2", "37,52", "999999999.9999999999", "$1")])
    check(talk, bad("DDEA", "NOE", Price_type=None), bad("DDEA", "NOE", Price_type="YIEL"),
          bad("DDEA", "NOE", Price_currency="sgd"), bad("DDEA", "NOE", Price_currency="ZZZ"),
          good("NOE", Price_currency=None), bad("DDEA", "NOE", Price_type="PRCT"),
          good("NOE", Price_type="PRCT", Price_currency=None))


def test_money(talk):
    """At most the currency's minor units as written; SettlementAmount > 0, others >= 0."""
    def money(element, value, currency="SGD"):
        return {element: value, element + "_currency": currency}
    codes = {"SettlementAmount": "DMON", "Commission": "EXEC", "AccruedInterest": "ACRU",
             "GrossAmount": "XFMT", "OtherCharges": "XFMT"}
    cases = []
    for element, code in codes.items():
        kind = "SET" if element in ("SettlementAmount", "Commission", "AccruedInterest") else "ALB"
        cases += [good(kind, **money(element, v, c)) for v, c in (
            ("5000", "JPY"), ("5000.00", "SGD"), ("5000.5", "SGD"), ("5000.123", "KWD"),
            ("5000.1234", "CLF"), ("9999999999999999.99", "SGD"))]
        cases += [bad(code, kind, **money(element, v, c)) for v, c in (
            ("5000.00", "JPY"), ("5000.0", "JPY"), ("5000.001", "SGD"), ("5000.000", "SGD"),
            ("5000.1234", "KWD"), ("5000", None), ("5000", "sgd"), ("5000", "ZZZ"), ("5000", "SG"),
            ("5000", "XXXX"), ("5,000", "SGD"), ("+1", "SGD"), ("99999999999999999.99", "SGD"))]
        zero = good if element != "SettlementAmount" else lambda k, **c: bad("DMON", k, **c)
        cases += [zero(kind, **money(element, "0")), zero(kind, **money(element, "0.00"))]
        less = good if element == "AccruedInterest" else lambda k, **c: bad(code, k, **c)
        cases += [less(kind, **money(element, "-1")), less(kind, **money(element, "-0.01"))]
    # A second currency in a message is a warning of its own: not here.
    for n, (kind, changes, expected) in enumerate(cases):
        if expected == ("ACK", set()) and not {"SGD", "SettlementAmount"} & {*changes,
                                                                             *changes.values()}:
            cases[n] = (kind, changes, ("ACK", {"NCRR"}))
    for message, case, line, text, n in judged(talk, cases):
        element = next(iter(case[1]))
        if line["kind"] == "REJ":
            assert [(r["element"], r["place"])
                    for r in line["reasons"] if r["level"] == "reject"] == [
                (element, place(text, n, element))], case
    check(talk, bad("ACRU", "SET", AccruedInterest="--1", AccruedInterest_currency="SGD"),
          bad("ACRU", "SET", AccruedInterest="1-", AccruedInterest_currency="SGD"),
          bad("ACRU", "SET", AccruedInterest="- 1", AccruedInterest_currency="SGD"))


def test_codes_of_the_17_elements(talk):
    check(talk,
          bad("DELN", "NOE", Direction="buyi"), bad("DELN", "NOE", Direction="BUY"),
          bad("FRAP", "NOE", Payment="apmt"), bad("FRAP", "NOE", Payment="APMTX"),
          bad("DDAT", "NOE", SettlementDate="2026-02-30"),
          bad("DDAT", "NOE", SettlementDate="2027-02-29"),
          bad("DDAT", "NOE", SettlementDate="2026-12-2"),
          bad("DDAT", "NOE", SettlementDate="20261202"),
          bad("DDAT", "NOE", SettlementDate="2026-12-02Z"),
          bad("DDAT", "NOE", SettlementDate="2026-13-01"),
          bad("DDAT", "NOE", SettlementDate="2026-00-01"),
          bad("DDAT", "NOE", SettlementDate="02-12-2026"),
          bad("DDAT", "NOE", SettlementDate="2026-12-02T00:00:00"),
          bad("DDAT", "NOE", SettlementDate="2026-11-29"), good("NOE", SettlementDate="2026-11-30"),
          good("NOE", SettlementDate="2028-02-29"),
          bad("NCRR", "NOE", SettlementCurrency="sgd"),
          bad("NCRR", "NOE", SettlementCurrency="ZZZ"),
          bad("SAFE", "ALB", Account="x" * 36), good("ALB", Account="x" * 35),
          bad("SAFE", "ALB", Account="SAFE_1"), bad("SAFE", "ALB", Account="S\u00c4FE"),
          good("ALB", Account="a b/-?:().,'+Z  9"), bad("SAFE", "ALB", Account="a&b"),
          bad("SAFE", "ALB", Account="a\nb"), bad("SAFE", "ALB", Account="a\tb"))
    for element, code in (("DeliveringAgent", "DEAG"), ("ReceivingAgent", "REAG"),
                          ("PlaceOfSettlement", "DEPT")):
        check(talk, *[bad(code, "SET", **{element: bic}) for bic in (
            "AGRIFRPP8", "AGRIF2PP", "agrifrpp", "AGRIFRP", "AGRIFRPP8822", "AGRIZZPP", "AGRI FRP",
            "AGRIFRPP 88", "AGRIFRPP88-")])


def test_instruments(talk):
    """Shape and check digit; the prefix is not checked; what is in no list is a warning."""
    check(talk, *[good("NOE", Instrument=i) for i in (
        "US0378331005", "GB0002634946", "SG1L01001701", "IE00B4L5Y983", "LU1597245148",
        "SG1S04926220", "GB00B16NNR78")])
    check(talk, *[bad("DSEC", "NOE", Instrument=i) for i in (
        "US0378331003", "JP000K0VF054", "us0378331005", "US037833100", "US03783310055",
        "SG1L01001702",
        "US037833100X", "1S0378331005", "US0378331 05", "US037833-005")])
    check(talk, *[warn("DSEC", "NOE", Instrument=isin(i)) for i in (
        "XS012345678", "EU000A1G0AE", "XA0123456AB", "XD0123456AB", "ZZ012345678", "US000000000")])


def isin(eleven):
    """With its check digit."""
    digits = "".join(str(int(c, 36)) for c in eleven)
    total = sum(sum(divmod(int(d) * (2 if n % 2 == 0 else 1), 10))
                for n, d in enumerate(digits[::-1]))
    return eleven + str(-total % 10)


def test_strangers_are_warnings(talk):
    assert isin("US037833100") == "US0378331005"
    check(talk, warn("DEAG", "SET", DeliveringAgent="AGRIFRPP"),
          warn("DEAG", "SET", DeliveringAgent="AGRIFRPP882"),
          warn("REAG", "SET", ReceivingAgent="AGRIFRPP"),
          warn("DEPT", "SET", PlaceOfSettlement="MGTCBEBE"),
          warn("DEPT", "NOE", PlaceOfSettlement="MGTCBEBEECL"),
          warn("XUNK", "NOE", Account="x"), warn("XUNK", "SET", PreviousReference="x"),
          warn("XUNK", "NOE", SettlementAmount="not a number"),
          warn("XUNK", "NOE", DeliveringAgent="not a bic"),
          good("NOE", Account="", PreviousReference=" "))
    cases = [("NPR", {"Commission_currency": "USD", "SettlementAmount": "37557.52"},
              ("ACK", {"NCRR"})),
             ("ALB", {"SettlementCurrency": "USD"}, ("ACK", {"NCRR"})),
             ("SET", {"Strange": "x", "Other": "", "Third_unit": None}, ("ACK", {"XUNK"}))]
    assert sum(1 for _ in judged(talk, cases)) == 3


def test_other_elements(talk):
    check(talk, *[good("NOE", CreatedAt=c) for c in (
        "2026-11-30T09:15:02Z", "2026-11-30T09:15:02.123456Z", "2026-11-30T09:15:02+08:00",
        "2026-11-30T23:59:60Z", "1999-01-01T00:00:00.1-05:30")])
    check(talk, *[bad("XFMT", "NOE", CreatedAt=c) for c in (
        "2026-11-30", "2026-11-30T09:15:02", "2026-11-30T25:00:00Z", "2026-02-30T00:00:00Z", "now",
        "2026-11-30T09:60:00Z", "2026-11-30T09:15Z", "2026-11-30T09:15:02.Z")])
    check(talk, good("NOE", Country="DE"), bad("XFMT", "NOE", Country="ZZ"),
          bad("XFMT", "NOE", Country="sg"), bad("XFMT", "NOE", Country="SGP"),
          good("NOE", Receiver="INVMSGSGXXX"), bad("XFMT", "NOE", Receiver="somebody"),
          bad("XFMT", "NPR", Factor="0"), bad("XFMT", "NPR", Factor="-1"),
          bad("XFMT", "NPR", Factor="x"),
          good("NPR", Factor="1.000"),
          good("NOE", Narrative="\u4e2d\u6587 \u00e4\u00f6\u00fc \U0001f600 & < > \" '"))


def test_needed_elements(talk):
    """XMIS with the element's name, for each type what it needs."""
    block = ["SettlementDate", "Direction", "Payment", "Instrument", "Quantity"]
    needed = {"NOE": [*block, "Price"], "ALB": [*block, "Price", "Account"],
              "NPR": [*block, "Price", "Account", "SettlementAmount", "Commission"],
              "SET": [*block, "Account", "SettlementAmount", "DeliveringAgent", "ReceivingAgent",
                      "PlaceOfSettlement"]}
    cases = []
    for kind, elements in needed.items():
        for element in elements:
            gone = {element: None, **{element + "_" + a: None for a in ATTRIBUTES}}
            cases += [bad("XMIS", kind, **gone), bad("XMIS", kind, **{element: ""})]
            if element != "Quantity":
                cases.append(bad("XMIS", kind, **{element: " \n "}))
    check(talk, *cases)


def test_what_is_not_needed(talk):
    """FREE needs no money; a bond's NPR needs its accrued interest, and 0 is a value."""
    accrued = {"AccruedInterest": None, "AccruedInterest_currency": None}
    money = {k + c: None for k in ("SettlementAmount", "Commission") for c in ("", "_currency")}
    trade = bond("4000.00", "GBP")
    check(talk, bad("XMIS", trade.npr(), **accrued), good(bond("4000.00", "GBP").npr()),
          good(bond("4000.00", "GBP").npr(), **accrued, **money, Payment="FREE"),
          good("NPR", Payment="FREE", **money), good("SET", Payment="FREE", **money),
          good("NOE", Receiver=None, CreatedAt=None))


def test_all_findings_are_listed(talk):
    trade = single()
    answers = talk.send(
        trade.npr(Direction="X", Payment="Y", Instrument="US0378331003", Quantity="0", Price="-1",
                  SettlementAmount="0", Commission="-1", Account="_", PlaceOfSettlement="ZZZZ",
                  Country="ZZ", SettlementDate="2026-02-30", inside="<Price>1</Price>"),
        trade.npr(Sender=MANAGER, Price=None, Price_type=None, Price_currency=None, Quantity="x"),
        trade.set(inside="<Quantity>1</Quantity>", DeliveringAgent="x", Receiver="y",
                  CreatedAt="z"))
    assert answers.codes(0) == ("REJ", sorted(
        ["DELN", "FRAP", "DSEC", "DQUA", "DDEA", "DMON", "EXEC", "SAFE", "DEPT", "XFMT", "DDAT",
         "XREP"]))
    assert answers.codes(1) == ("REJ", ["DQUA", "XMIS", "XROL"])
    assert answers.answer(1)["to"] == MANAGER
    assert answers.codes(2) == ("REJ", ["DEAG", "XFMT", "XFMT", "XREP"])


def test_repeated_elements(talk):
    twice = "<Price type='ACTU'>1</Price><Instrument>SG1L01001701</Instrument>"
    answers = talk.send(single().noe(inside=twice),
                        single().noe(inside="<Price/><Instrument> </Instrument>"),
                        single().noe(inside="<Narrative>1</Narrative><Narrative>1</Narrative>"))
    line = answers.answer(0)
    assert [(r["code"], r["place"], r["element"]) for r in line["reasons"]] in (
        [("XREP", "Price", "Price"), ("XREP", "Instrument", "Instrument")],
        [("XREP", "Instrument", "Instrument"), ("XREP", "Price", "Price")]), line
    assert answers.codes(1) == ("ACK", [])  # an empty element is an absent one
    assert answers.codes(2) == ("REJ", ["XREP"])


def test_element_with_children_is_malformed(talk):
    noe = single().noe(Price=None, Price_type=None, Price_currency=None,
                       inside='<Price type="ACTU"><b>37.52</b></Price>')
    answers = talk.send(noe, single().noe(Narrative=None, inside="<Narrative>a<b/>c</Narrative>"),
                        single().noe(inside="<Strange><Price>7</Price></Strange>"))
    assert answers.codes(0) == ("REJ", ["DDEA"])
    assert answers.codes(1) == ("REJ", ["XFMT"])
    assert answers.codes(2) == ("ACK", ["XUNK"])


def test_identity_fields(talk):
    """EXC: missing, repeated, empty or malformed identity fields."""
    cases, more = [], []
    for element in ("Reference", "TradeReference", "TradeDate", "Broker", "Manager"):
        cases += [exc("XMIS", "ALB", **{element: None}), exc("XFMT", "ALB", **{element: ""}),
                  exc("XFMT", "ALB", **{element: " "}), exc("XFMT", "ALB", **{element: "\u00e4_!"})]
        more.append((element,
                     base("ALB").but(inside="<%s>%s</%s>" % (element, base("ALB").values[element],
                                                                       element))))
    for element in ("Reference", "TradeReference"):
        cases += [exc("XFMT", "ALB", **{element: "r" * 36}), exc("XFMT", "ALB", **{element: "a_b"}),
                  good("ALB", **{element: base("ALB").TradeReference[-12:]
                                 + "r/-?:().,'+ Z  a9".ljust(23, "x")})]
    cases += [exc("XFMT", "ALB", TradeDate="2026-02-30"),
              exc("XFMT", "ALB", TradeDate="30.11.2026"),
              exc("XFMT", "ALB", Broker="broksgsg"), exc("XFMT", "ALB", Broker="BROKSGSG1"),
              exc("XFMT", "ALB", Manager="INVM2GSG")]
    check(talk, *cases)
    answers = talk.send([m for _, m in more])
    for n, (element, _) in enumerate(more):
        line = answers.answer(n)
        assert (line["kind"], line["code"], line["place"], line["to"]) == (
            "EXC", "XREP", element, HUB), line
        assert line["reasons"][0]["element"] == element


def test_exc_names_the_first_finding(talk):
    """Sender, type, Reference, TradeReference, TradeDate, Broker, Manager; then content."""
    npr = base("NPR").but(Price="x")
    chain = [("Manager", "x", "XFMT"), ("Broker", "x", "XFMT"), ("TradeDate", "x", "XFMT"),
             ("TradeReference", "x_", "XFMT"), ("Reference", None, "XMIS")]
    messages, expected = [npr], [("REJ", "DDEA", "Price")]
    for element, value, code in chain:
        npr = npr.but(**{element: value})
        messages.append(npr)
        expected.append(("EXC", code, element))
    messages.append(npr.but(function="KILL"))
    expected.append(("EXC", "XTYP", None))
    answers = talk.send(messages)
    for n, (kind, code, element) in enumerate(expected):
        line = answers.answer(n)
        assert (line["kind"], line["code"]) == (kind, code), (n, line)
        assert len(line["reasons"]) == 1 and element in (None, line["reasons"][0]["element"]), line


def test_type_and_function(talk):
    noe = single().noe()
    wrong = [noe.but(kind="XYZ"), noe.but(kind="noe"), noe.but(kind=" "), noe.but(function=""),
             noe.but(function="newm"), noe.but(function="OTHER"), noe.but(kind="EXC")]
    later = [single().noe().but(kind=k, function=f) for k, f in (
        ("NOE", "AMND"), ("ALB", "CANC"), ("NPR", "TRIA"), ("SET", "AMND"), ("AFF", ""),
        ("NAF", ""),
        ("STQ", ""))]
    later.append(later[0].but(Price="x", Quantity=None, SettlementDate="y"))
    unnamed = single().noe().but(kind="AFF", function="", Reference=None)
    answers = talk.send(unnamed)
    assert (answers.answer(0)["kind"], answers.answer(0)["code"]) == ("EXC", "XMIS")
    answers = talk.send(wrong, later)
    for n in range(len(wrong)):
        line = answers.answer(n)
        assert (line["kind"], line["code"], line["place"]) == ("EXC", "XTYP", place_of(wrong, n))
    for n, message in enumerate(later, len(wrong)):
        line = answers.answer(n)
        assert (line["kind"], [r["code"] for r in line["reasons"]], line["to"]) == (
            "REJ", ["XFUN"], BROKER), (message.kind, line)


def place_of(messages, n):
    return place(batch(messages), n)


def test_roles(talk):
    """NOE, NPR come from the Broker, ALB from the Manager, SET from the Manager or a custodian."""
    cases = [("NOE", MANAGER), ("NOE", CUSTODIAN), ("NPR", MANAGER), ("ALB", BROKER),
             ("ALB", CUSTODIAN),
             ("SET", BROKER), ("SET", "CDPLSGSG"), ("NOE", "BROKGB2L"), ("SET", "INVMGB2L")]
    messages = [base(kind).but(Sender=sender) for kind, sender in cases]
    fine = [base("SET").but(Sender=MANAGER), base("SET").but(Sender="CUSBGB2L"),
            base("SET").but(Sender="CUSTSGSGABC"),
            base("NOE").but(Broker="INVMSGSG", Sender="INVMSGSG"),
            base("ALB").but(Manager="CUSTSGSG", Sender="CUSTSGSG"),
            base("NPR").but(Broker="CUSTSGSG", Sender="CUSTSGSG"),
            base("NOE").but(Broker="BROKSGSG123", Sender="BROKSGSGXXX")]
    text = batch(messages)
    answers = talk.file(text, messages=messages)
    for n, (kind, sender) in enumerate(cases):
        line = answers.answer(n)
        assert (line["kind"], [r["code"] for r in line["reasons"]], line["to"]) == (
            "REJ", ["XROL"], sender), (kind, sender, line)
        assert line["place"] == place(text, n, "Sender")
    answers = talk.send(fine)
    assert answers.summary["ack"] == len(fine), answers.lines


CHRISTMAS, BOXING = "2026-12-25", "2026-12-28"


def test_settlement_days(talk):
    """The calendar of the place's country, euro countries TARGET; else of Country; else none."""
    def on(day, where=None, country=None):
        return {"SettlementDate": day, "PlaceOfSettlement": where, "Country": country}
    closed = [on("2026-12-05", "CDPLSGSG"), on("2026-12-06", "CDPLSGSG", "JP"),
              on(CHRISTMAS, "CDPLSGSG"),
              on(CHRISTMAS, "CRSTGB22"), on(BOXING, "CRSTGB22"), on(CHRISTMAS, "DTCYUS33"),
              on(CHRISTMAS, "SICVFRPP"), on(CHRISTMAS, "DAKVDEFF"), on(CHRISTMAS, "XHKCHKHH"),
              on("2026-12-31", "JASDJPJT"), on("2026-12-05", "JASDJPJT"), on(CHRISTMAS, None, "SG"),
              on(CHRISTMAS, None, "FR"), on(CHRISTMAS, "INSECHZZ", "SG"),
              on("2027-03-29", "MGTCBEBE"),
              on("2026-12-26", "SICVFRPP"), on("2026-12-05", "VPDKHRXX"),
              on("2026-12-05", "CEDPBGSF")]
    opened = [on(CHRISTMAS, "JASDJPJT", "SG"), on(BOXING, "SICVFRPP"), on(BOXING, "CDPLSGSG", "GB"),
              on("2026-12-31", "CDPLSGSG", "JP"), on("2026-12-05", "INSECHZZ"), on("2026-12-05"),
              on("2026-12-05", "INSECHZZ", "CH"), on("2026-12-05", None, "CH"),
              on(BOXING, "DTCYUS33"),
              on("2026-12-07", None, "SG"), on(BOXING, "INSECHZZ", "SG")]
    messages = [base("NOE").but(**{k: v for k, v in c.items()}) for c in closed + opened]
    answers = talk.send(messages)
    wrong = []
    for n, case in enumerate(closed + opened):
        line = answers.answer(n)
        rejected = [r["code"] for r in line["reasons"] if r["level"] == "reject"]
        if (line["kind"], rejected) != (("REJ", ["DDAT"]) if n < len(closed) else ("ACK", [])):
            wrong.append((case, line["kind"], line["reasons"]))
    assert not wrong, "\n".join(map(str, wrong))


def test_settlement_days_of_every_type(talk):
    saturday = {"SettlementDate": "2026-12-05"}
    answers = talk.send(
        base("NOE").but(**saturday, Country="SG"), base("ALB").but(**saturday, Country="SG"),
        base("NPR").but(**saturday, PlaceOfSettlement="CRSTGB22"), base("SET").but(**saturday))
    assert [answers.codes(n) for n in range(4)] == [("REJ", ["DDAT"])] * 4


def test_new_year(talk):
    days = [("CDPLSGSG", "2026-12-02", True), ("DTCYUS33", "2027-01-01", False),
            ("CRSTGB22", "2027-01-01", False),
            ("SICVFRPP", "2027-01-01", False), ("JASDJPJT", "2027-01-01", False),
            ("SICVFRPP", "2026-12-24", True)]
    answers = talk.send([base("NOE").but(PlaceOfSettlement=p, SettlementDate=d) for p, d,
                         _ in days])
    for n, (where, day, opened) in enumerate(days):
        assert (answers.answer(n)["kind"] == "ACK") == opened, (where, day)


# Derived arithmetic: quantity, price, factor, accrued, commission, others, gross, net, direction.


def money(**amounts):
    out = {}
    for element, value in amounts.items():
        if value is not None:
            out.update({element: value, element + "_currency": "SGD"})
    return out


def test_derived_arithmetic(talk):
    """gross = quantity x price x factor; net = gross + accrued, commission and charges added for
    BUYI, taken off for SELL; DMON when off by more than the tolerance."""
    share, half = single, {"Factor": "0.5"}
    cases = [
        (share, money(SettlementAmount="37557.52"), None),
        (share, money(SettlementAmount="37557.52", GrossAmount="37520.00"), None),
        (share, money(SettlementAmount="37560.42", GrossAmount="37522.90"), None),
        (share, money(SettlementAmount="37554.62", GrossAmount="37517.10"), None),
        (share, money(SettlementAmount="37560.43"), ["SettlementAmount"]),
        (share, money(SettlementAmount="37554.61"), ["SettlementAmount"]),
        (share, money(SettlementAmount="37557.52", GrossAmount="37522.91"), ["GrossAmount"]),
        (share, money(SettlementAmount="37560.43", GrossAmount="37522.91"), ["GrossAmount",
                                                                            "SettlementAmount"]),
        (share, {**money(SettlementAmount="37482.48"), "Direction": "SELL"}, None),
        (share, {**money(SettlementAmount="37557.52"), "Direction": "SELL"}, ["SettlementAmount"]),
        (share, money(SettlementAmount="37667.52", AccruedInterest="10", OtherCharges="100"), None),
        (share, money(SettlementAmount="37547.52", AccruedInterest="-10"), None),
        (share, {**money(SettlementAmount="37392.48", AccruedInterest="10", OtherCharges="100"),
                 "Direction": "SELL"}, None),
        (share, {**money(SettlementAmount="18797.52", GrossAmount="18760"), **half}, None),
        (share, {**money(SettlementAmount="37557.52"), **half}, ["SettlementAmount"]),
    ]
    bonds = [
        ("GBP", "4000.00", None), ("GBP", "4001.70", None),
        ("GBP", "4001.71", ["SettlementAmount"]),
        ("AUD", "4000.01", None), ("AUD", "4000.02", ["SettlementAmount"]),
        ("JPY", "4320", None), ("JPY", "4321", ["SettlementAmount"]),
        ("KWD", "4000.001", None), ("KWD", "4000.002", ["SettlementAmount"]),
    ]
    messages = [make().npr(**changes) for make, changes, _ in cases]
    messages += [bond(amount, currency).npr() for currency, amount, _ in bonds]
    answers = talk.send(messages)
    for message, expected in zip(messages, [c[2] for c in cases] + [b[2] for b in bonds]):
        line = answers.answer(message)
        found = sorted(r["element"] for r in line["reasons"])
        assert line["kind"] == "ACK" and found == (expected or []), (message.values,
                                                                     line["reasons"])
        assert {r["code"] for r in line["reasons"]} <= {"DMON"}
    # NPR only, and no sum across currencies.
    answers = talk.send(
        single().set(SettlementAmount="1.00"),
        single().alb(**money(SettlementAmount="1.00", GrossAmount="1.00", Commission="5")),
        single().npr(**{**money(SettlementAmount="1.00"), "Commission_currency": "USD"}),
        single().npr(Price_currency="USD", SettlementAmount="1.00"))
    assert [answers.codes(n) for n in range(4)] == [
        ("ACK", []), ("ACK", []), ("ACK", ["NCRR"]), ("ACK", ["NCRR"])]
