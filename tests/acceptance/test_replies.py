# SPDX-License-Identifier: Apache-2.0
"""MESSAGES section 9: replies and the clearing message, as XML from the broker."""
from broker import broker, take_cls, tree
from market import (ACCOUNTS, BOND, BROKER, CUSTODIAN, HUB, MANAGER, Trade, batch, bond, place,
                    single)

KEY_VECTOR = "69be3502f79f1528f9ffb5adbdf2f779"


def test_trade_key(lab):
    """The vectors of section 2, new or repeated; it is stored on the shard they say."""
    noe = single(TradeReference="SGX20261130000123").noe()
    with broker(lab) as b:
        ack, = b.ask(noe.xml())
    assert ack.kind == "ACK" and ack.text("TradeKey") == KEY_VECTOR
    rows = lab.query_all("SELECT HEX(trade_key) AS k FROM trade WHERE trade_reference = %s",
                         ("SGX20261130000123",))
    shard = {2: 0, 4: 2, 8: 2, 16: 10}[lab.shard_count()]
    assert [(r["shard"], r["k"].lower()) for r in rows] == [(shard, KEY_VECTOR)]
    rows = lab.query_all("SELECT HEX(match_hash) AS k, slot FROM trade WHERE trade_reference = %s",
                         ("SGX20261130000123",))
    assert rows[0]["k"].lower() == "667d61eeb0b7aaf59d16ddb9165fc2ea"
    assert rows[0]["slot"] == int("9d16ddb9165fc2ea", 16) % 720720


def test_reply_elements(lab):
    """ACK with a warning, ACK that announces, NMA, REJ, EXC."""
    trade = single()
    messages = [trade.noe(inside="<Strange/>"), trade.alb(), trade.npr()]
    with broker(lab) as b:
        first = b.send(batch(messages))
        b.wait(lambda: len(b.answers(first)) == 3, "three answers")
        late = b.send(trade.set(SettlementDate="2026-12-03").xml())
        b.wait(lambda: len(b.of("NMA", trade)) == 3, "three NMA")
        wrong = [trade.noe(Price="x"), trade.noe(Reference="W", Price="x", Country="ZZ"),
                 "<Order/>"]
        text = batch(wrong)
        bad = b.ask(text, 3)
        b.pump(0.2)
    ack = b.answers(first)[0]
    assert (ack.get("index"), ack.key, ack.text("To")) == ("0", "reply.BROKSGSG", BROKER)
    assert ack.texts("Reference") == ["NOE"] and ack.text("TradeReference") == trade.reference
    reason, = ack.all("Reason")
    assert (reason.get("code"), reason.get("element"), reason.get("level"),
            reason.get("place")) == (
        "XUNK", "Strange", "warn", place(batch(messages), 0, "Strange"))
    last, = b.answers(late)
    assert last.get("then") == "NMA"
    assert b.answers(first)[1].get("then") in (None, "")
    nmas = {n.text("To"): n for n in b.of("NMA", trade)}
    assert {k: n.key for k, n in nmas.items()} == {
        who: "reply." + who for who in (BROKER, MANAGER, CUSTODIAN)}
    for who, own in ((BROKER, "NPR-1"), (MANAGER, "ALB-1"), (CUSTODIAN, "SET-1")):
        nma = nmas[who]
        assert (nma.get("stage"), nma.get("account")) == ("LEG", ACCOUNTS[0])
        assert nma.texts("Reference") == [own] and nma.text("TradeKey") == ack.text("TradeKey")
        reason, = nma.all("Reason")
        assert (reason.get("code"), reason.get("element"), reason.get("account"),
                reason.get("level")) == (
            "DDAT", "SettlementDate", ACCOUNTS[0], "differs")
        assert [(v.get("sender"), v.get("reference"), v.text) for v in reason] == [
            (MANAGER, "ALB-1", "2026-12-02"), (BROKER, "NPR-1", "2026-12-02"),
            (CUSTODIAN, "SET-1", "2026-12-03")]
    refe, rej, order = bad
    assert (refe.kind, refe.key, refe.text("To"), refe.get("index")) == (
        "EXC", "reply." + HUB, HUB, "0")
    assert [r.get("code") for r in refe.all("Reason")] == ["REFE"]
    assert (rej.kind, rej.key, rej.text("To")) == ("REJ", "reply.BROKSGSG", BROKER)
    assert [(r.get("code"), r.get("level"), r.get("place")) for r in rej.all("Reason")] == [
        ("DDEA", "reject", place(text, 1, "Price")), ("XFMT", "reject", place(text, 1, "Country"))]
    assert (order.kind, order.key, [r.get("code") for r in order.all("Reason")]) == (
        "EXC", "reply." + HUB, ["XNSP"])


def children(element, name):
    return [tree(e) for e in element.all(name)]


def amount(name, value, currency="SGD"):
    return (name, {"currency": currency}, value, [])


def test_clearing_message(lab):
    """Every element of a CLS, its order, its message-id, its copies; MAC says the same amounts."""
    accounts = ("b", "B", "a-10", "a-9")
    trade = Trade(("100.50", "200.0", "300", "400"), ("3771.1", "7504", "11256.00", "15008.00"),
                  ("0.34", "0", "0.0", "0"), accounts=accounts, total="1000.500")
    references = ["r-10", "r-9", "R", "a"]
    messages = [trade.noe(Price="37.5200")]
    for n in range(1, 5):
        messages += [trade.alb(n, Reference="ALB/%s" % references[n - 1]),
                     trade.npr(n, Price="37.520"),
                     trade.set(n, Sender=MANAGER if n == 2 else CUSTODIAN)]
    with broker(lab) as b:
        b.send(batch(messages))
        b.wait(lambda: len(b.of("MAC", trade)) == 3 and len(b.of("CLS", trade)) == 3,
               "MAC and copies")
        b.pump(0.2)
    cls, = take_cls(lab, [trade])
    assert cls.key in ["cls.%02d" % shard for shard in range(lab.shard_count())]
    assert (cls.get("action"), cls.get("version")) == ("NEWM", "1")
    assert cls.message_id == cls.text("TradeKey") + ".1"
    for name, value in (("TradeReference", trade.reference), ("TradeDate", "2026-11-30"),
                        ("SettlementDate", "2026-12-02"), ("Direction", "BUYI"),
                        ("Payment", "APMT"),
                        ("Instrument", "SG1L01001701"), ("Broker", BROKER), ("Manager", MANAGER)):
        assert cls.text(name) == value, name
    assert children(cls, "Quantity") == [("Quantity", {"unit": "UNIT"}, "1000.5", [])]
    assert children(cls, "Price") == [("Price", {"type": "ACTU", "currency": "SGD"}, "37.52", [])]
    assert cls.texts("Reference") == sorted(m.Reference for m in messages)
    assert [leg.get("account") for leg in cls.all("Leg")] == ["B", "a-10", "a-9", "b"]
    amounts = {"b": ("100.5", "3771.10", "0.34"), "B": ("200", "7504.00", "0.00"),
               "a-10": ("300", "11256.00", "0.00"), "a-9": ("400", "15008.00", "0.00")}
    for leg in cls.all("Leg"):
        quantity, net, fee = amounts[leg.get("account")]
        inside = tree(leg)[3]
        for expected in (("Quantity", {"unit": "UNIT"}, quantity, []),
                         amount("SettlementAmount", net),
                         amount("Commission", fee), ("DeliveringAgent", {}, "CUSBSGSG", []),
                         ("ReceivingAgent", {}, "CUSTSGSG", [])):
            assert expected in inside, (expected, inside)
        n = accounts.index(leg.get("account")) + 1
        assert [e[2] for e in inside if e[0] == "Reference"] == sorted(
            ["ALB/" + references[n - 1], "NPR-%d" % n, "SET-%d" % n])
        assert "AccruedInterest" not in [e[0] for e in inside]
    copies = b.of("CLS", trade)
    assert {c.key for c in copies} == {"reply." + w for w in (BROKER, MANAGER, CUSTODIAN)}
    assert all(c.body == cls.body and c.message_id == cls.message_id for c in copies)
    for mac in b.of("MAC", trade):
        assert mac.get("version") == "1" and mac.text("TradeKey") == cls.text("TradeKey")
        assert [leg.get("account") for leg in mac.all("Leg")] == ["B", "a-10", "a-9", "b"]
        assert amount("SettlementAmount", "3771.10") in tree(mac.all("Leg")[3])[3]
    macs = {m.text("To"): m.texts("Reference") for m in b.of("MAC", trade)}
    assert sorted(macs[MANAGER]) == sorted(["ALB/" + r for r in references] + ["SET-2"])
    assert sorted(macs[CUSTODIAN]) == ["SET-1", "SET-3", "SET-4"]


def agreed(lab, trades, messages):
    with broker(lab) as b:
        b.send(batch(messages))
        return {c.text("TradeReference"): c for c in take_cls(lab, trades)}


def test_agreed_values(lab):
    """Within a tolerance the deliverer's amount counts: BUYI the NPR's, SELL the SET's. FREE: none.
    Money has all its minor units; the first eight of a BIC count, whoever wrote eleven."""
    def settled(amount_, **more):
        return {"SettlementAmount": amount_, **more}
    buy, sell = bond("4000.00", "GBP"), bond("4000.00", "GBP", Direction="SELL")
    free, yen = single(Payment="FREE"), bond("4000", "JPY")
    dinar = bond("4000.5", "KWD", Price="100.0125")
    sold = single(Direction="SELL", amounts=("37482.5",))
    trades = [buy, sell, free, yen, dinar, sold]
    nothing = {k + c: None for k in ("SettlementAmount", "Commission") for c in ("", "_currency")}
    messages = [
        buy.noe(), buy.alb(**settled("3999.00", SettlementAmount_currency="GBP")), buy.npr(),
        buy.set(**settled("4000.5")),
        sell.noe(), sell.alb(**settled("3999.00", SettlementAmount_currency="GBP")), sell.npr(),
        sell.set(**settled("4000.5")),
        free.noe(), free.alb(), free.npr(), free.set(**nothing),
        yen.noe(), yen.alb(), yen.npr(AccruedInterest="-12", AccruedInterest_currency="JPY"),
        yen.set(),
        dinar.noe(), dinar.alb(), dinar.npr(), dinar.set(),
        sold.noe(Quantity="1000.00000", PlaceOfSettlement="CDPLSGSGXXX"),
        sold.alb(Quantity="01000"),
        sold.npr(DeliveringAgent="CUSBSGSGABC"), sold.set()]
    cls = agreed(lab, trades, messages)

    def leg(trade):
        one, = cls[trade.reference].all("Leg")
        return tree(one)[3]
    assert amount("SettlementAmount", "4000.00", "GBP") in leg(buy)
    assert amount("SettlementAmount", "4000.50", "GBP") in leg(sell)
    assert amount("AccruedInterest", "0.00", "GBP") in leg(buy)
    assert amount("Commission", "0.00", "GBP") in leg(sell)
    assert [e[0] for e in leg(free)].count("SettlementAmount") == 0
    assert not {"Commission", "AccruedInterest"} & {e[0] for e in leg(free)}
    assert amount("SettlementAmount", "4000", "JPY") in leg(yen)
    assert amount("AccruedInterest", "-12", "JPY") in leg(yen)
    assert amount("SettlementAmount", "4000.500", "KWD") in leg(dinar)
    assert children(cls[dinar.reference], "Price") == [("Price", {"type": "PRCT"}, "100.0125", [])]
    assert children(cls[yen.reference], "Price") == [("Price", {"type": "PRCT"}, "100", [])]
    assert children(cls[yen.reference], "Quantity") == [("Quantity", {"unit": "FAMT"}, "4000", [])]
    assert amount("SettlementAmount", "37482.50", "SGD") in leg(sold)
    assert cls[free.reference].text("Payment") == "FREE"
    assert ("Quantity", {"unit": "UNIT"}, "1000", []) in leg(sold)


def test_price_of_the_npr(lab):
    """The agreed price, commission and accrued are the NPR's, as the NPR's currency says."""
    trade = Trade(("2000000",) * 2, ("2023575.66",) * 2, ("50",) * 2,
                  {**BOND, "Price": "101.001283"}, "GBP", total="4000000")
    messages = [trade.noe()]
    for n in (1, 2):
        messages += [trade.alb(n), trade.npr(n, AccruedInterest="3500.0", Price="101.00128300"),
                     trade.set(n, SettlementAmount="2023575.65")]
    one = agreed(lab, [trade], messages)[trade.reference]
    for leg in one.all("Leg"):
        assert amount("SettlementAmount", "2023575.66", "GBP") in tree(leg)[3]
        assert amount("Commission", "50.00", "GBP") in tree(leg)[3]
        assert amount("AccruedInterest", "3500.00", "GBP") in tree(leg)[3]
    assert children(one, "Price") == [("Price", {"type": "PRCT"}, "101.001283", [])]


def test_order_of_arrival_is_not_in_the_clearing_message(lab):
    """The same trade in two orders: the same CLS but for its reference and key."""
    texts = []
    for order in (1, -1):
        trade = Trade()
        one = agreed(lab, [trade], trade.all()[::order])[trade.reference]
        texts.append(one.body.decode().replace(trade.reference, "T").replace(one.text("TradeKey"),
                                                                             "K"))
    assert texts[0] == texts[1]


def test_strays_have_their_copy(lab):
    """MAC and CLS copy also for one whose message is of an account that nobody allocated."""
    trade = Trade(("1000", "5"), ("37557.52", "1.00"), ("37.52", "0"),
                  accounts=(ACCOUNTS[0], "STRAY"))
    with broker(lab) as b:
        b.ask(trade.set(2, Sender="CUSBSGSG").xml())
        b.ask(batch([trade.noe()] + trade.leg(1)), 4)
        everybody = {"reply." + who for who in (BROKER, MANAGER, CUSTODIAN, "CUSBSGSG")}
        b.wait(lambda: {m.key for m in b.of("MAC", trade)} == everybody
               and {c.key for c in b.of("CLS", trade)} == everybody, "MAC and CLS")
        assert [r.get("code") for n in b.of("NMA", trade) for r in n.all("Reason")] == ["SAFE"] * 2
        cls = b.of("CLS", trade)[0]
    assert cls.texts("Reference") == ["ALB-1", "NOE", "NPR-1", "SET-1"]


def test_one_clearing_message_a_trade(lab):
    """Repetitions of everything, and messages that come too late, make no second one."""
    trade = single()
    with broker(lab) as b:
        b.ask(batch(trade.all()), 4)
        b.ask(batch(trade.all() + [trade.noe(Reference="N2")]), 5)
        b.ask(batch([trade.npr(Account="NEW", Reference="N3"),
                     trade.alb(Account="NEW", Reference="N4")]), 2)
        end = single()
        b.ask(batch(end.all()), 4)
    both = take_cls(lab, [trade, end])
    assert [c.text("TradeReference") for c in both].count(trade.reference) == 1


def test_replies_are_repeated_with_their_id(lab):
    """A delivery that comes again (same message-id) is answered with nothing new, whatever became
    of its messages; with another id: DUPL."""
    trade = single()
    body = batch(trade.all() + [trade.noe(Reference="N2"), "<Order/>"])
    with broker(lab) as b:
        delivery = b.send(body)
        b.wait(lambda: len(b.answers(delivery)) == 6 and len(b.of("MAC", trade)) == 3,
               "first answers")
        b.pump(0.2)
        b.send(body, message_id=delivery)
        again = b.ask(body, 6)
        b.pump(0.3)
        said = [(p.message_id, text) for _, p, text in b.deliveries]
    assert [(a.kind, a.get("code")) for a in b.answers(delivery)] == [("ACK", None)] * 4 + [
        ("REJ", None), ("EXC", None)]
    assert len(b.of("MAC", trade)) == 3
    assert [a.get("code") for a in again[:4]] == ["DUPL"] * 4
    assert len({i for i, _ in said}) == len(set(said))  # one id, one content
