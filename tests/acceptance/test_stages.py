# SPDX-License-Identifier: Apache-2.0
"""MESSAGES section 4: when a stage is judged, who is told, what takes a place. What shall arrive
first is sent first and answered before the next: queues keep no order between types."""
import random

from market import ACCOUNTS, BROKER, CUSTODIAN, MANAGER, Trade, fresh, single

FIRST, SECOND = ACCOUNTS
OTHER_DATE = {"SettlementDate": "2026-12-03"}


def block(*allocations):
    return [("BLOCK", "", BROKER, ("NOE",)), ("BLOCK", "", MANAGER, allocations)]


def leg(account, n):
    return [("LEG", account, BROKER, ("NPR-%d" % n,)), ("LEG", account, CUSTODIAN, ("SET-%d" % n,)),
            ("LEG", account, MANAGER, ("ALB-%d" % n,))]


def test_block_waits_for_its_allocations(talk):
    """While the ALBs are below the NOE nothing is compared or said; then all of them are."""
    trade = Trade()
    answers = talk.send(trade.noe(), trade.alb(1, **OTHER_DATE))
    assert not answers.of("NMA") and all(a["then"] == [] for a in answers.of("ACK"))
    answers = talk.hear(trade.alb(2))
    assert answers.nmas(trade) == block("ALB-1", "ALB-2")
    assert answers.answer(0)["then"] == ["NMA"]
    assert answers.conditions(trade, "BLOCK") == {("DDAT", "SettlementDate"): [
        ("2026-12-02", MANAGER, "ALB-2"), ("2026-12-02", BROKER, "NOE"),
        ("2026-12-03", MANAGER, "ALB-1")]}
    # What BLOCK has said is not said again; the legs agree, and nothing clears.
    answers = talk.hear(trade.npr(1), trade.npr(2), trade.set(1, **OTHER_DATE),
                        trade.set(2))
    assert answers.nmas(trade) == leg(FIRST, 1)
    assert not answers.of("CLS") and not answers.of("MAC")


def test_too_much_allocated(talk):
    """DQUA lists the NOE's and each ALB's value, the sum stands in the text only; one ALB more is
    another NMA."""
    trade = Trade(("600", "400.5", "1"), ("1", "1", "1"), ("0",) * 3, accounts=("A", "B", "C"))
    answers = talk.send(trade.noe(), trade.alb(1), trade.alb(2))
    assert answers.nmas(trade) == block("ALB-1", "ALB-2")
    assert answers.conditions(trade, "BLOCK") == {("DQUA", "Quantity"): [
        ("1000", BROKER, "NOE"), ("400.5", MANAGER, "ALB-2"), ("600", MANAGER, "ALB-1")]}
    for line in answers.of("NMA"):
        assert "1000.5" in line["conditions"][0].get("text", "") + (line["text"] or ""), line
    answers = talk.hear(trade.alb(3))
    assert answers.nmas(trade) == block("ALB-1", "ALB-2", "ALB-3")
    assert answers.conditions(trade, "BLOCK") == {("DQUA", "Quantity"): [
        ("1", MANAGER, "ALB-3"), ("1000", BROKER, "NOE"), ("400.5", MANAGER, "ALB-2"),
        ("600", MANAGER, "ALB-1")]}


def test_leg_needs_the_notice_and_all_three(talk):
    """A leg is judged once the NOE and all three are there, whether or not BLOCK is whole."""
    trade = Trade()
    for messages, told in (([trade.alb(1)], []), ([trade.npr(1)], []),
                           ([trade.set(1, Instrument="SG1S04926220")], []),
                           ([trade.noe()], leg(FIRST, 1))):
        answers = talk.hear(messages)
        assert answers.nmas(trade) == told
        assert answers.answer(0)["then"] == (["NMA"] if told else [])


def test_matching_needs_every_allocated_account(talk):
    """MAC and CLS with the last leg of a whole block, not before: each sender once."""
    trade = Trade()
    answers = talk.send(trade.noe(), trade.leg(1))
    assert not answers.of("NMA") and not answers.of("MAC") and not answers.of("CLS")
    answers = talk.send(trade.alb(2), trade.npr(2))
    assert not answers.of("NMA") and not answers.of("MAC") and not answers.of("CLS")
    answers = talk.send(trade.set(2, Sender="CUSBSGSG"))
    assert answers.answer(0)["then"] == ["MAC"]
    assert answers.summary == {"submitted": 1, "ack": 1, "rej": 0, "exc": 0, "dupl": 0, "nma": 0,
                               "mac": 1, "cls": 1}  # only the signer's own senders are listened to
    assert answers.of("MAC")[0]["to"] == "CUSBSGSG"


def test_mac_names_every_sender_once(talk):
    trade = Trade()
    answers = talk.send(trade.noe(), trade.leg(1), trade.alb(2), trade.npr(2),
                        trade.set(2, Sender="CUSBSGSG"))
    macs = answers.of("MAC", trade)
    assert sorted((m["to"], tuple(m["references"])) for m in macs) == [
        (BROKER, ("NOE", "NPR-1", "NPR-2")), ("CUSBSGSG", ("SET-2",)), (CUSTODIAN, ("SET-1",)),
        (MANAGER, ("ALB-1", "ALB-2"))]
    legs = [{"account": FIRST, "quantity": "600", "settlement_amount": "22534.51",
             "currency": "SGD"},
            {"account": SECOND, "quantity": "400", "settlement_amount": "15023.01",
             "currency": "SGD"}]
    cls, = answers.of("CLS", trade)
    assert (cls["action"], cls["version"], cls["legs"]) == ("NEWM", 1, legs)
    assert cls["references"] == ["ALB-1", "ALB-2", "NOE", "NPR-1", "NPR-2", "SET-1", "SET-2"]
    assert all((m["version"], m["legs"]) == (1, legs) for m in macs)


def test_accounts_without_allocation(talk):
    """SAFE, one NMA per message, to its sender and the Manager; nothing else is blocked, and strays
    have their MAC."""
    trade = Trade(("600", "400", "5"), ("22534.51", "15023.01", "1.00"), ("22.51", "15.01", "0"),
                  accounts=(*ACCOUNTS, "STRAY"))
    answers = talk.send(trade.npr(3), trade.set(3, Sender="CUSBSGSG"))
    assert not answers.of("NMA")
    answers = talk.send(trade.noe(), trade.alb(1))
    assert not answers.of("NMA")
    answers = talk.hear(trade.alb(2), single().set(Sender="CUSBSGSG"))
    told = [("ACCOUNT", "STRAY", BROKER, ("NPR-3",)), ("ACCOUNT", "STRAY", "CUSBSGSG", ("SET-3",))]
    assert [n for n in answers.nmas(trade) if n[2] != MANAGER] == told
    to_manager = [n for n in answers.of("NMA", trade) if n["to"] == MANAGER]
    assert [(n["stage"], n["account"]) for n in to_manager] == [("ACCOUNT", "STRAY")] * 2
    said = sorted((c["code"], c["element"], v["value"], v["sender"], v["reference"])
                  for n in to_manager for c in n["conditions"] for v in c["values"])
    assert said == [("SAFE", "Account", "STRAY", BROKER, "NPR-3"),
                    ("SAFE", "Account", "STRAY", "CUSBSGSG", "SET-3")]
    answers = talk.send(trade.npr(1), trade.npr(2), trade.set(1), trade.set(2))
    assert answers.cleared(trade) == 1
    cls, = answers.of("CLS", trade)
    assert cls["references"] == ["ALB-1", "ALB-2", "NOE", "NPR-1", "NPR-2", "SET-1", "SET-2"]
    assert [leg["account"] for leg in cls["legs"]] == list(ACCOUNTS)


def test_stray_in_one_delivery(talk):
    """The same in one go: who hears what, MAC for the stray's sender too, and of the Manager's own
    SET there is one NMA."""
    trade = Trade(("600", "400", "5", "6"), ("22534.51", "15023.01", "1.00", "1.00"),
                  ("22.51", "15.01", "0", "0"), accounts=(*ACCOUNTS, "STRAY", "STRAY2"))
    answers = talk.send(trade.noe(), trade.leg(1), trade.leg(2), trade.npr(3),
                        trade.set(3, Sender="CUSBSGSG"), trade.set(4, Sender=MANAGER))
    nmas = [n[:3] for n in answers.nmas(trade)]
    expected = [("ACCOUNT", "STRAY", BROKER), ("ACCOUNT", "STRAY", "CUSBSGSG"),
                ("ACCOUNT", "STRAY", MANAGER), ("ACCOUNT", "STRAY", MANAGER),
                ("ACCOUNT", "STRAY2", MANAGER)]
    assert nmas == expected, nmas
    assert {m["to"] for m in answers.of("MAC")} >= {BROKER, MANAGER, CUSTODIAN}
    assert answers.cleared(trade) == 1


def test_stray_sender_gets_its_mac(talk):
    trade = Trade(("1000", "5"), ("37557.52", "1.00"), ("37.52", "0"), accounts=(FIRST, "STRAY"))
    talk.send(trade.set(2, Sender="CUSBSGSG"))
    answers = talk.send(trade.noe(), trade.leg(1), single().set(1, Sender="CUSBSGSG"))
    assert {m["to"] for m in answers.of("MAC", trade)} == {BROKER, MANAGER, CUSTODIAN, "CUSBSGSG"}


def test_then_lists_what_follows(talk):
    """What the same message also sends to this receiver; nothing twice."""
    trade = Trade(("1000", "5"), ("37557.52", "1.00"), ("37.52", "0"), accounts=(FIRST, "STRAY"))
    talk.send(trade.noe(), trade.npr(1), trade.set(1), trade.npr(2), trade.set(2))
    answers = talk.hear(trade.alb(1))
    assert sorted(answers.answer(0)["then"]) == ["MAC", "NMA"]
    assert answers.cleared(trade) == 1 and len(answers.of("MAC", trade)) == 3
    assert len([n for n in answers.of("NMA", trade) if n["to"] == MANAGER]) == 2
    trade = single()
    talk.send(trade.alb(), trade.npr(), trade.set(Direction="SELL"))
    answers = talk.hear(trade.noe(Payment="FREE"))
    assert answers.answer(0)["then"] == ["NMA"]
    assert answers.nmas(trade) == sorted(block("ALB-1") + leg(FIRST, 1))


def test_large_quantities_are_added_exactly(talk):
    """18 digits and 5 decimals, more than 64 bits hold."""
    most, least = "9" * 18, "0.00001"
    trade = Trade((most, least), ("1", "1"), ("0", "0"), total=most)
    equal = Trade(("9999999999999.99999", least), ("1", "1"), ("0", "0"), total="10000000000000")
    answers = talk.send(trade.noe(), trade.alb(1), trade.alb(2), equal.noe(), equal.leg(1),
                        equal.leg(2))
    line = answers.of("NMA", trade)[0]
    assert most + ".00001" in line["conditions"][0]["text"]
    assert not answers.of("NMA", equal) and answers.cleared(equal) == 1


def test_order_does_not_matter(talk):
    """The same messages in forty orders: the same NMA, the same CLS."""
    random.seed(17)
    trades, messages = [], []
    for n in range(40):
        trade = Trade(("600", "400", "7"), ("22534.51", "15023.01", "1"), ("22.51", "15.01", "0"),
                      accounts=(*ACCOUNTS, "STRAY"))
        group = [trade.noe(), trade.alb(1), trade.npr(1), trade.set(1), trade.alb(2), trade.npr(2),
                 trade.set(2), trade.npr(3)]
        if n % 2:
            group[2] = trade.npr(1, SettlementDate="2026-12-03")
        random.shuffle(group)
        trades.append(trade)
        messages += group
    answers = talk.send(messages)
    stray = [("ACCOUNT", "STRAY", BROKER, ("NPR-3",)), ("ACCOUNT", "STRAY", MANAGER)]
    for n, trade in enumerate(trades):
        expected = sorted(stray + (leg(FIRST, 1) if n % 2 else []))
        told = sorted(t[:3] if t[0] == "ACCOUNT" and t[2] == MANAGER else t
                      for t in answers.nmas(trade))
        assert told == expected, (n, told)
        assert answers.cleared(trade) == 1 - n % 2
    legs = [c["legs"] for c in answers.of("CLS")]
    assert legs == [legs[0]] * 20


# A taken place.


def test_taken_places(talk):
    """REJ PODU naming the holder, before and after the CLS; it is never compared."""
    for cleared in (False, True):
        trade = single()
        answers = talk.send(trade.noe(), trade.alb(), trade.npr(),
                            trade.set(SettlementDate="2026-12-02" if cleared else "2026-12-03"))
        assert answers.cleared(trade) == int(cleared)
        late = [getattr(trade, kind)(Reference="AGAIN-" + kind.upper())
                for kind in ("noe", "alb", "npr", "set")]
        late.append(trade.set(Reference="AGAIN-SET", Sender="CUSBSGSG", Direction="SELL"))
        answers = talk.send(late)
        for message in late:
            line = answers.answer(message)
            assert (line["kind"], [r["code"] for r in line["reasons"]]) == ("REJ", ["PODU"]), line
            assert line["to"] == message.Sender
            holder = "NOE" if message.kind == "NOE" else message.kind + "-1"
            told = (line["text"] or "") + line["reasons"][0]["text"]
            assert holder in told, told
        assert answers.summary["rej"] == 5 and answers.summary["nma"] == 0


def test_places_are_taken_by_what_is_accepted(talk):
    """A refused message holds no place, and a message with findings is told those, not PODU."""
    trade = single()
    answers = talk.send(trade.noe(Price="-1"))
    assert answers.codes(0) == ("REJ", ["DDEA"])
    answers = talk.send(trade.noe(Reference="NOE-2"))
    assert answers.codes(0) == ("ACK", [])
    answers = talk.send(trade.noe(Reference="NOE-3", Price="-1", SettlementDate="2026-12-05",
                                  Country="SG"))
    assert answers.codes(0) == ("REJ", ["DDAT", "DDEA"])


def test_allocation_after_the_clearing(talk):
    """With a live CLS a new account's ALB is REJ LATE; its NPR and SET are strays."""
    trade = Trade(("1000", "5"), ("37557.52", "1.00"), ("37.52", "0"), accounts=(FIRST, "MORE"))
    answers = talk.send(trade.noe(), trade.leg(1))
    assert answers.cleared(trade) == 1
    answers = talk.send(trade.leg(2))
    assert answers.codes(0) == ("REJ", ["LATE"])
    assert answers.answer(1)["kind"] == answers.answer(2)["kind"] == "ACK"
    assert [n[:3] for n in answers.nmas(trade)] == [
        ("ACCOUNT", "MORE", BROKER), ("ACCOUNT", "MORE", CUSTODIAN), ("ACCOUNT", "MORE", MANAGER),
        ("ACCOUNT", "MORE", MANAGER)]
    assert not answers.of("CLS") and not answers.of("MAC")


def test_two_hundred_accounts(talk):
    """They clear; the 201st is REJ XLIM, counted over ALB, NPR and SET."""
    accounts = tuple("A%03d" % n for n in range(201))
    trade = Trade(("5",) * 201, ("1.00",) * 201, ("0",) * 201, accounts=accounts, total="1000")
    crowd = Trade(("5",) * 201, ("1.00",) * 201, ("0",) * 201, accounts=accounts, total="1000")
    answers = talk.send(trade.noe(), [m for n in range(1, 201) for m in trade.leg(n)],
                        [crowd.alb(n) for n in range(1, 71)],
                        [crowd.npr(n) for n in range(71, 141)],
                        [crowd.set(n) for n in range(141, 201)])
    assert answers.summary["ack"] == 801 and answers.cleared(trade) == 1
    cls, = answers.of("CLS", trade)
    assert [leg["account"] for leg in cls["legs"]] == list(accounts[:200])
    answers = talk.send(crowd.alb(201), crowd.npr(201), crowd.set(201), crowd.npr(1),
                        trade.npr(201),
                        crowd.set(201, Quantity="0"))
    for n in (0, 1, 2, 4):
        assert answers.codes(n) == ("REJ", ["XLIM"]), n
    assert answers.answer(3)["kind"] == "ACK" and answers.codes(5) == ("REJ", ["DQUA"])


# Stage KEY.


def other(trade, **changes):
    """A second trade with the same match key."""
    more = single(**changes)
    more.reference = more.common["TradeReference"] = changes.get("TradeReference", trade.reference)
    return more


def keys(answers, trade=None):
    """Each NMA of stage KEY as (receiver, {code: [(value, sender, reference)]})."""
    return sorted((n["to"], sorted((c["code"], c["element"], tuple(sorted(
        (v["value"], v["sender"], v["reference"]) for v in c["values"]))) for c in n["conditions"]))
        for n in answers.of("NMA", trade) if n["stage"] == "KEY")


def test_key_names_what_differs(talk):
    """Both values, one a trade, from the message that created it; receivers by what differs."""
    first = [single(TradeReference=fresh("key")) for _ in range(6)]
    for trade in first:
        trade.reference = trade.common["TradeReference"]
    talk.send([t.noe() for t in first], [t.set() for t in first])
    second = [
        other(first[0], TradeReference=first[0].reference.replace("key", "KEY ")),
        other(first[1], TradeDate="2026-11-23"),
        other(first[2], TradeDate="2026-11-22"),
        other(first[3], Broker="BROKGB2L"),
        other(first[4], Manager="INVMGB2L"),
        other(first[5], Manager="INVMGB2L", Broker="BROKGB2L"),
    ]
    everybody = [BROKER, CUSTODIAN, MANAGER]
    expected = [
        (everybody, [("IIND", "TradeReference", first[0].reference, second[0].reference)]),
        (everybody, [("DTRD", "TradeDate", "2026-11-30", "2026-11-23")]),
        ([], []),
        ([MANAGER], [("IEXE", "Broker", BROKER, "BROKGB2L")]),
        ([BROKER], [("INVE", "Manager", MANAGER, "INVMGB2L")]),
        ([], []),
    ]
    answers = talk.hear([trade.alb() for trade in second])
    for n, (trade, (to, differences)) in enumerate(zip(second, expected)):
        assert answers.answer(n)["kind"] == "ACK"
        told = keys(answers, trade)
        assert [t for t, _ in told] == to, (trade.common, told)
        for _, said in told:
            assert [(c, e, {v[0] for v in vs}) for c, e, vs in said] == [
                (c, e, {a, b}) for c, e, a, b in differences], said
            for _, _, said_by in said:
                assert {(s, r) for _, s, r in said_by} >= {(trade.common["Manager"], "ALB-1")}
    # It is said when the trade is created, never again, and it changes nothing.
    answers = talk.hear([m for trade in second for m in (trade.noe(), trade.npr(), trade.set())])
    assert not keys(answers) and answers.summary["cls"] == len(second)


def test_key_several_differences(talk):
    """Date and Broker, or date and Manager: both named, to the one who is shared alone."""
    one, two = single(), single()
    talk.send(one.noe(), two.noe())
    answers = talk.hear(other(one, Broker="BROKGB2L", TradeDate="2026-11-27").noe())
    (to, said), = keys(answers)
    assert to == MANAGER and [s[0] for s in said] == ["DTRD", "IEXE"]
    answers = talk.hear(other(two, Manager="INVMGB2L", TradeDate="2026-11-27").npr())
    (to, said), = keys(answers)
    assert to == BROKER and [s[0] for s in said] == ["DTRD", "INVE"]


def test_key_leaves_cleared_trades_out(talk):
    trade = single()
    answers = talk.send(trade.all())
    assert answers.cleared(trade) == 1
    answers = talk.send(other(trade, TradeDate="2026-11-27").all())
    assert not answers.of("NMA") and answers.summary["cls"] == 1


def test_key_tells_the_manager_who_sent_nothing(talk):
    """To the Broker and Manager they share, senders or not."""
    trade = single()
    talk.send(trade.noe())
    answers = talk.hear(other(trade, TradeDate="2026-11-27").noe())
    assert [to for to, _ in keys(answers)] == [BROKER, MANAGER]


def test_key_in_one_delivery(talk):
    """Two trades created by the same delivery: the second is told of the first."""
    trade = single()
    answers = talk.hear(trade.noe(), other(trade, TradeDate="2026-11-27").noe(Reference="NOE-2"))
    assert [to for to, _ in keys(answers)] == [BROKER, MANAGER]
