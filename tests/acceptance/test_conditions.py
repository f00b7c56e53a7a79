# SPDX-License-Identifier: Apache-2.0
"""MESSAGES section 3: each of the 17 conditions, agreeing and differing, and the tolerances."""
from market import ACCOUNTS, BOND, BROKER, CUSTODIAN, MANAGER, Trade, bond, single

LEG = (("BROKSGSG", "NPR-1"), ("CUSTSGSG", "SET-1"), ("INVMSGSG", "ALB-1"))


def values(**by_reference):
    """Value list of an NMA: sorted by value, then reference. ALB_1="x" is said by ALB-1."""
    senders = {"N": BROKER, "A": MANAGER, "S": CUSTODIAN}
    said = [(value, BROKER if name[:3] == "NPR" else senders[name[0]], name.replace("_", "-"))
            for name, value in by_reference.items()]
    return sorted(said, key=lambda v: (v[0].encode(), v[2].encode()))


class Case:
    """One account: who says what else, and what the stages must then say."""

    def __init__(self, label, noe=None, alb=None, npr=None, set_=None, block=None, leg=None,
                 trade=None):
        self.label, self.block, self.leg = label, block, leg
        self.trade = trade or single()
        self.messages = [self.trade.noe(**noe or {}), self.trade.alb(**alb or {}),
                         self.trade.npr(**npr or {}), self.trade.set(**set_ or {})]

    def check(self, answers):
        for message in self.messages:
            assert answers.answer(message)["kind"] == "ACK", (self.label, answers.answer(message))
        expected = []
        if self.block:
            expected += [("BLOCK", "", BROKER, ("NOE",)), ("BLOCK", "", MANAGER, ("ALB-1",))]
        if self.leg:
            lent = any(said[2] == "NOE" for shown in self.leg.values() for said in shown)
            expected += [("LEG", ACCOUNTS[0], to, ("NOE",) * (lent and to == BROKER) + (own,))
                         for to, own in LEG]
        assert answers.nmas(self.trade) == sorted(expected), (self.label,
                                                              answers.of("NMA", self.trade))
        for stage in ("block", "leg"):
            if getattr(self, stage):
                said = answers.conditions(self.trade, stage.upper())
                assert said == getattr(self, stage), (self.label, stage, said)
        clear = not (self.block or self.leg)
        assert answers.cleared(self.trade) == int(clear), self.label
        assert {m["to"] for m in answers.of("MAC", self.trade)} == (
            {BROKER, MANAGER, CUSTODIAN} if clear else set()), self.label


def check(talk, cases):
    answers = talk.send([m for case in cases for m in case.messages])
    for case in cases:
        case.check(answers)
    count = {kind: len(answers.of(kind.upper())) for kind in ("rej", "exc", "nma", "mac", "cls")}
    assert answers.summary == {"submitted": 4 * len(cases), "ack": 4 * len(cases), "dupl": 0,
                               **count}


def test_equal_trades_clear(talk):
    """Optional elements that agree, and the same value written otherwise, are no difference."""
    everywhere = {"SettlementAmount": "37557.52", "SettlementAmount_currency": "SGD",
                  "Commission": "37.52", "Commission_currency": "SGD", "AccruedInterest": "-0.5",
                  "AccruedInterest_currency": "SGD", "DeliveringAgent": "CUSBSGSG",
                  "ReceivingAgent": "CUSTSGSG", "PlaceOfSettlement": "CDPLSGSG"}
    price = {"Price": "37.520", "Price_type": "ACTU", "Price_currency": "USD"}
    check(talk, [
        Case("as it is"),
        Case("all that is optional",
             noe={"PlaceOfSettlement": "CDPLSGSG", "SettlementCurrency": "SGD"},
             alb=everywhere, npr=everywhere, set_={**everywhere, **price, "Price_currency": "SGD"}),
        Case("written otherwise", npr={"Quantity": "1000.00000", "Price": "37.5200000000"},
             alb={"Quantity": "01000", "Price": "037.520", "Commission": "37.520"[:5],
                  "Commission_currency": "SGD"}, noe={"Quantity": "1000.0"}),
        Case("11 letters and 8", noe={"PlaceOfSettlement": "CDPLSGSGABC"},
             npr={"DeliveringAgent": "CUSBSGSGXXX", "ReceivingAgent": "CUSTSGSG123"},
             alb={"Broker": "BROKSGSGXXX", "Manager": "INVMSGSG001"},
             set_={"Sender": "CUSTSGSGXXX"}),
        Case("the currency of a price does not count", set_=price),
        Case("the NOE's FREE does not count in LEG", noe={"Payment": "FREE"},
             set_={"SettlementAmount":
             "37600.00"}, block={("FRAP", "Payment"): values(NOE="FREE", ALB_1="APMT")},
             leg={("DMON", "SettlementAmount"): values(NPR_1="37557.52", SET_1="37600.00")}),
    ])


BLOCK_AND_LEG = [
    ("DELN", "Direction", "BUYI", "SELL"),
    ("FRAP", "Payment", "APMT", "FREE"),
    ("DSEC", "Instrument", "SG1L01001701", "SG1S04926220"),
    ("DDAT", "SettlementDate", "2026-12-02", "2026-12-03"),
    ("DQUA", "Quantity", "1000", "1000.00001"),
    ("DDEA", "Price", "37.52", "37.5200000001"),
]


def test_what_block_compares(talk):
    """The NOE against the ALB; LEG does not look at the NOE's."""
    cases = [Case("BLOCK " + code, noe={element: other},
                  block={(code, element): values(NOE=other, ALB_1=usual)})
             for code, element, usual, other in BLOCK_AND_LEG if code != "DQUA"]
    cases.append(Case("values as sent", noe={"Price": "037.5300"},
                      block={("DDEA", "Price"): values(NOE="037.5300", ALB_1="37.52")}))
    cases.append(Case("too much allocated", noe={"Quantity": "999.99999"},
                      block={("DQUA", "Quantity"): values(NOE="999.99999", ALB_1="1000")}))
    check(talk, cases)


def test_what_leg_compares(talk):
    """ALB, NPR and SET with each other, no vote: whoever stands alone, all are shown."""
    cases = []
    for code, element, usual, other in BLOCK_AND_LEG:
        for alone in ("npr", "set_"):
            change = {element: other}
            if element == "Price" and alone == "set_":
                change.update(Price_type="ACTU", Price_currency="SGD")
            said = {"ALB_1": usual, "NPR_1": usual, "SET_1": usual}
            if element == "Price" and alone == "npr":
                del said["SET_1"]  # it carries none
            said["NPR_1" if alone == "npr" else "SET_1"] = other
            cases.append(Case("LEG %s by %s" % (code, alone), **{alone: change},
                              leg={(code, element): values(**said)}))
    for code, element, usual, other in [("DEAG", "DeliveringAgent", "CUSBSGSG", "CUSBGB2L"),
                                        ("REAG", "ReceivingAgent", "CUSTSGSG", "CUSTGB2LXXX"),
                                        ("DEPT", "PlaceOfSettlement", "CDPLSGSG", "CRSTGB22")]:
        cases.append(Case(code, npr={element: other},
                          leg={(code, element): values(NPR_1=other, SET_1=usual)}))
        cases.append(Case(code + " by ALB", alb={element: other}, npr={element: usual},
                          leg={(code, element): values(ALB_1=other, SET_1=usual, NPR_1=usual)}))
    cases.append(Case("the NOE lends its place", noe={"PlaceOfSettlement": "CRSTGB22"},
                      leg={("DEPT", "PlaceOfSettlement"): values(NOE="CRSTGB22",
                                                                 SET_1="CDPLSGSG")}))
    money = [("EXEC", "Commission", "37.53"), ("ACRU", "AccruedInterest", "0.01")]
    for code, element, other in money:
        usual = {"EXEC": "37.52", "ACRU": "0"}[code]
        for alone, name in (("alb", "ALB_1"), ("set_", "SET_1")):
            cases.append(Case("%s by %s" % (code, alone),
                              npr={element: usual, element + "_currency": "SGD"},
                              **{alone: {element: other, element + "_currency": "SGD"}},
                              leg={(code, element): values(NPR_1=usual, **{name: other})}))
    cases.append(Case("accrued below zero", npr={"AccruedInterest": "-0.01",
                                                 "AccruedInterest_currency": "SGD"},
                      set_={"AccruedInterest": "0.01", "AccruedInterest_currency": "SGD"},
                      leg={("ACRU", "AccruedInterest"): values(NPR_1="-0.01", SET_1="0.01")}))
    check(talk, cases)


def test_several_at_once(talk):
    """All that differs stands in one NMA, in the order of the table."""
    trade = single()
    other = {"Direction": "SELL", "Instrument": "SG1S04926220", "Quantity": "1001",
             "SettlementAmount": "1.00", "PlaceOfSettlement": "CRSTGB22"}
    answers = talk.send(trade.noe(PlaceOfSettlement="CDPLSGSG"), trade.alb(), trade.npr(),
                        trade.set(**other))
    for line in answers.of("NMA", trade):
        assert [c["code"] for c in line["conditions"]] == ["DELN", "DSEC", "DQUA", "DMON", "DEPT"]
    assert len(answers.of("NMA", trade)) == 3


def test_units_and_types_are_shown_where_they_differ(talk):
    """Unit and type are compared even where the number is the same."""
    trades = [bond("4000.00", "GBP"), bond("4000.00", "GBP"), single()]
    answers = talk.send(
        trades[0].noe(), trades[0].alb(), trades[0].npr(), trades[0].set(Quantity_unit="UNIT"),
        trades[1].noe(Price_type="ACTU"), trades[1].alb(), trades[1].npr(), trades[1].set(),
        trades[2].noe(Quantity_unit="FAMT"), trades[2].leg())
    said = answers.conditions(trades[0], "LEG")
    assert list(said) == [("DQUA", "Quantity")]
    assert [(set(v.split()), r) for v, _, r in said["DQUA", "Quantity"]] == [
        ({"4000", "FAMT"}, "ALB-1"), ({"4000", "FAMT"}, "NPR-1"), ({"4000", "UNIT"}, "SET-1")]
    said = answers.conditions(trades[1], "BLOCK")
    assert list(said) == [("DDEA", "Price")]
    assert [(set(v.split()), r) for v, _, r in said["DDEA", "Price"]] == [
        ({"100", "ACTU"}, "NOE"), ({"100", "PRCT"}, "ALB-1")]
    said = answers.conditions(trades[2], "BLOCK")
    assert list(said) == [("DQUA", "Quantity")]
    assert [(set(v.split()), r) for v, _, r in said["DQUA", "Quantity"]] == [
        ({"1000", "FAMT"}, "NOE"), ({"1000", "UNIT"}, "ALB-1")]


def test_settlement_currency_is_derived(talk):
    """SettlementAmount's, else SettlementCurrency, else the price's where it is ACTU, else absent;
    where it differs, amounts are not compared."""
    plain = {"Price_currency": None}
    one, two = {"SettlementCurrency": "USD"}, {"SettlementCurrency": "SGD"}
    ncrr = ("NCRR", "SettlementCurrency")
    check(talk, [
        Case("by SettlementAmount",
             set_={"SettlementAmount_currency": "USD", "SettlementAmount": "1"},
             leg={ncrr: values(NOE="SGD", ALB_1="SGD", NPR_1="SGD", SET_1="USD")}),
        Case("by SettlementCurrency of the NOE", noe=one,
             leg={ncrr: values(NOE="USD", ALB_1="SGD", NPR_1="SGD", SET_1="SGD")}),
        Case("by SettlementCurrency of the ALB", alb=one,
             leg={ncrr: values(NOE="SGD", ALB_1="USD", NPR_1="SGD", SET_1="SGD")}),
        Case("SettlementCurrency before the price's", noe={**two, "Price_currency": "USD"},
             alb={**two, "Price_currency": "USD"}),
        Case("SettlementAmount before SettlementCurrency", npr=one, set_=one,
             alb={**one, "SettlementAmount": "37557.52", "SettlementAmount_currency": "SGD"}),
        Case("by the ACTU price", noe={"Price_currency": "USD"},
             leg={ncrr: values(NOE="USD", ALB_1="SGD", NPR_1="SGD", SET_1="SGD")}),
        Case("absent says nothing", noe=plain, alb=plain, npr=plain),
        Case("a bond's price has none", trade=bond("4000.00", "GBP")),
        Case("9 to 11 are left out",
             alb={"SettlementAmount": "1.00", "SettlementAmount_currency": "USD",
             "Commission": "1", "Commission_currency": "SGD", "AccruedInterest": "1",
             "AccruedInterest_currency": "SGD"}, npr={"AccruedInterest": "2",
             "AccruedInterest_currency": "SGD"},
             leg={ncrr: values(NOE="SGD", ALB_1="USD", NPR_1="SGD", SET_1="SGD")}),
    ])


def test_free_leaves_money_out(talk):
    """Where any message of a stage says FREE, 8-11 are neither needed nor compared."""
    nothing = {k + c: None for k in ("SettlementAmount", "Commission") for c in ("", "_currency")}
    free = {"Payment": "FREE"}
    check(talk, [
        Case("no money at all", noe=free, alb=free, npr={**free, **nothing},
             set_={**free, **nothing}),
        Case("money that differs", noe=free, alb=free, npr={**free, "SettlementAmount": "1.00"},
             set_={**free, "SettlementAmount_currency": "USD"}),
        Case("only one says so", set_={**free, **nothing},
             leg={("FRAP", "Payment"): values(ALB_1="APMT", NPR_1="APMT", SET_1="FREE")}),
        Case("only one says so, and the amounts differ", npr={"Payment": "FREE", "Commission": None,
             "Commission_currency": None}, set_={"SettlementAmount": "1.00"},
             leg={("FRAP", "Payment"): values(ALB_1="APMT", NPR_1="FREE", SET_1="APMT")}),
    ])


# currency, smaller amount, the largest that still matches, the smallest that does not
EDGES = [
    ("EUR", "100000.00", "100002.00", "100002.01"),
    ("EUR", "100000.01", "100025.01", "100025.02"),
    ("EUR", "99999.00", "100001.00", "100020.00"),
    ("EUR", "0.01", "2.01", "2.02"),
    ("GBP", "85000.00", "85001.70", "85001.71"),
    ("GBP", "85000.01", "85021.26", "85021.27"),
    ("JPY", "16000000", "16000320", "16000321"),
    ("JPY", "16000001", "16004001", "16004002"),
    ("SGD", "145000.00", "145002.90", "145002.91"),
    ("SGD", "145000.01", "145036.26", "145036.27"),
    ("USD", "110000", "110002.20", "110002.21"),
    ("USD", "110000.01", "110027.51", "110027.52"),
    ("CHF", "95000.00", "95001.90", "95001.91"),
    ("CHF", "95000.01", "95023.76", "95023.77"),
    ("HKD", "850000.00", "850017.00", "850017.01"),
    ("HKD", "850000.01", "850212.51", "850212.52"),
    ("AUD", "1000.00", "1000.0", "1000.01"),
    ("KWD", "1000.000", "1000", "1000.001"),
]


def test_tolerance_of_the_settlement_amount(talk):
    """Largest minus smallest, the band by the smallest; whoever names the smaller one."""
    cases = []
    for currency, small, match, other in EDGES:
        trade = bond(small, currency)
        cases.append(Case("%s %s %s" % (currency, small, match), trade=trade,
                          set_={"SettlementAmount": match}))
        cases.append(Case("%s %s %s" % (currency, match, small), trade=bond(match, currency),
                          set_={"SettlementAmount": small}))
        for npr, settled in ((small, other), (other, small)):
            cases.append(Case("%s %s %s" % (currency, npr, settled), trade=bond(npr, currency),
                              set_={"SettlementAmount": settled},
                              leg={("DMON", "SettlementAmount"): values(NPR_1=npr, SET_1=settled)}))
    between = {"SettlementAmount": "100001.00", "SettlementAmount_currency": "EUR"}
    cases.append(Case("three amounts", trade=bond("100000.00", "EUR"), alb=between,
                      set_={"SettlementAmount": "100002.00"}))
    cases.append(Case("three amounts, largest minus smallest", trade=bond("100000.00", "EUR"),
                      alb=between, set_={"SettlementAmount": "100002.01"},
                      leg={("DMON", "SettlementAmount"): values(NPR_1="100000.00",
                                                                ALB_1="100001.00",
                                                                SET_1="100002.01")}))
    check(talk, cases)


def test_amounts_compare_their_currency(talk):
    """Conditions 10 and 11 have a currency of their own."""
    cases = {"EXEC": single(), "ACRU": single()}
    accrued = {"AccruedInterest": "1.00", "AccruedInterest_currency": "SGD"}
    answers = talk.send(
        cases["EXEC"].noe(), cases["EXEC"].alb(), cases["EXEC"].npr(),
        cases["EXEC"].set(Commission="37.52", Commission_currency="USD"),
        cases["ACRU"].noe(), cases["ACRU"].alb(), cases["ACRU"].npr(**accrued),
        cases["ACRU"].set(**{**accrued, "AccruedInterest_currency": "USD"}))
    for code, trade in cases.items():
        said = answers.conditions(trade, "LEG")
        assert [key[0] for key in said] == [code]
        assert not answers.cleared(trade)


def test_bond_of_the_specification(talk):
    """4,000,000 at 101.001283 % for two accounts; the custodian reckons a hundredth less."""
    bonds = {"Price": "101.001283", "Country": "GB", "Broker": "BROKGB2L", "Manager": "INVMGB2L"}
    place = {"PlaceOfSettlement": "CRSTGB22", "DeliveringAgent": "CUSBGB2L",
             "ReceivingAgent": "CUSTGB2L", "Sender": "CUSTGB2L", "SettlementAmount": "2023575.65"}
    trade = Trade(("2000000", "2000000"), ("2023575.66",) * 2, ("50.00",) * 2, {**BOND, **bonds},
                  "GBP",
                  total="4000000")
    messages = [trade.noe()]
    for n in (1, 2):
        messages += [trade.alb(n), trade.npr(n, AccruedInterest="3500.00", GrossAmount="2020025.66",
                                             GrossAmount_currency="GBP"), trade.set(n, **place)]
    answers = talk.send(messages)
    assert all(line["reasons"] == [] for line in answers.of("ACK"))
    cls, = answers.of("CLS", trade)
    assert cls["legs"] == [{"account": a, "quantity": "2000000", "settlement_amount": "2023575.66",
                            "currency": "GBP"} for a in ACCOUNTS]
