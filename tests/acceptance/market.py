# SPDX-License-Identifier: Apache-2.0
"""Trades and their messages as a participant writes them, from docs/MESSAGES.md alone.

A change is named by element, or by element and attribute: `Price="37.52"`, `Price_type="PRCT"`;
None leaves it out. Every trade has a reference that no other has, in this run or an earlier one.
"""
import itertools
import re
import time

NAMESPACE = "urn:ste:trade:1"
START = "%08X" % int(time.time())
numbers = itertools.count(1)

BROKER, MANAGER, CUSTODIAN, HUB = "BROKSGSG", "INVMSGSG", "CUSTSGSG", "STEHSGSG"
ACCOUNTS = ("SAFE-0001", "SAFE-0002")
SENDERS = {"NOE": BROKER, "ALB": MANAGER, "NPR": BROKER, "SET": CUSTODIAN}

# One market each: a share in Singapore dollars, and a bond whose price names no currency.
SHARE = {"Instrument": "SG1L01001701", "Quantity_unit": "UNIT", "Price": "37.52",
         "Price_type": "ACTU",
         "Price_currency": "SGD"}
BOND = {"Instrument": "GB00B16NNR78", "Quantity_unit": "FAMT", "Price": "100", "Price_type": "PRCT",
        "Price_currency": None}


def fresh(prefix="ACC"):
    return "%s%s%05d" % (prefix, START, next(numbers))


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"',
                                                                                        "&quot;")


class Message:
    """One TradeMessage. `inside` is put in front of its end tag as it stands."""

    def __init__(self, kind, values, inside="", function="NEWM"):
        self.kind, self.function, self.inside = kind, function, inside
        self.values = {k: v for k, v in values.items() if v is not None}

    def __getattr__(self, name):
        if name[0].isupper():
            return self.values.get(name)
        raise AttributeError(name)

    def but(self, inside=None, function=None, kind=None, **changes):
        """The same with these changes."""
        return Message(kind or self.kind, {**self.values, **changes},
                       self.inside if inside is None else inside,
                       self.function if function is None else function)

    def element(self, name, value):
        attributes = "".join(' %s="%s"' % (key.split("_")[1], escaped(text))
                             for key, text in self.values.items() if key.startswith(name + "_"))
        return "<%s%s>%s</%s>" % (name, attributes, escaped(value), name)

    def xml(self, namespace=False):
        head = ' xmlns="%s"' % NAMESPACE if namespace else ""
        function = ' function="%s"' % self.function if self.function else ""
        lines = [self.element(name, value)
                 for name, value in self.values.items() if "_" not in name]
        return '<TradeMessage%s type="%s"%s>\n  %s\n%s</TradeMessage>' % (
            head, self.kind, function, "\n  ".join(lines), self.inside)


class Trade:
    """The standard trade: a NOE, and per account an ALB, NPR and SET. `changes` are everybody's."""

    def __init__(self, quantities=("600", "400"), amounts=("22534.51", "15023.01"),
                 commissions=("22.51", "15.01"), market=SHARE, currency="SGD", accounts=ACCOUNTS,
                 total="1000", **changes):
        self.reference = fresh()
        self.accounts, self.quantities, self.total = accounts, quantities, total
        self.amounts, self.commissions, self.currency = amounts, commissions, currency
        self.common = {"TradeReference": self.reference, "TradeDate": "2026-11-30",
                       "SettlementDate": "2026-12-02", "Direction": "BUYI", "Payment": "APMT",
                       "Quantity": None, **market, "Broker": BROKER, "Manager": MANAGER, **changes}

    def make(self, kind, number, own, changes):
        name = "%s-%s" % (kind, number) if number else kind
        sender = changes.pop("Sender", SENDERS[kind] if kind == "SET" else None)
        values = {"Reference": name, "Sender": sender, **self.common, **own, **changes}
        if "Sender" not in changes and values["Sender"] is None:
            values["Sender"] = values["Manager"] if kind == "ALB" else values["Broker"]
        inside = values.pop("inside", "")
        return Message(kind, values, inside)

    def noe(self, **changes):
        return self.make("NOE", 0, {"Quantity": self.total}, changes)

    def own(self, n):
        return {"Quantity": self.quantities[n - 1], "Account": self.accounts[n - 1]}

    def money(self, n):
        return {"SettlementAmount": self.amounts[n - 1], "SettlementAmount_currency": self.currency}

    def alb(self, n=1, **changes):
        return self.make("ALB", n, self.own(n), changes)

    def npr(self, n=1, **changes):
        fee = {"Commission": self.commissions[n - 1], "Commission_currency": self.currency}
        if self.common["Quantity_unit"] == "FAMT":
            fee.update(AccruedInterest="0", AccruedInterest_currency=self.currency)
        return self.make("NPR", n, {**self.own(n), **self.money(n), **fee}, changes)

    def set(self, n=1, **changes):
        agents = {"DeliveringAgent": "CUSBSGSG", "ReceivingAgent": "CUSTSGSG",
                  "PlaceOfSettlement": "CDPLSGSG"}
        free = {"Price": None, "Price_type": None, "Price_currency": None}
        return self.make("SET", n, {**self.own(n), **free, **self.money(n), **agents}, changes)

    def leg(self, n=1):
        return [self.alb(n), self.npr(n), self.set(n)]

    def all(self):
        return [self.noe()] + [m for n in range(1, len(self.accounts) + 1) for m in self.leg(n)]


def single(**more):
    """A trade of one account of 1000."""
    return Trade(("1000",), more.pop("amounts", ("37557.52",)), more.pop("commissions", ("37.52",)),
                 accounts=(ACCOUNTS[0],), **more)


def bond(amount, currency, **more):
    """One account of 4,000 face amount at 100 %; both sides may name any amount."""
    return Trade(("4000",), (amount,), ("0",), BOND, currency, (ACCOUNTS[0],), "4000", **more)


def batch(messages, prefix="", namespace=True):
    """A TradeMessages of them, one after the other; texts are taken as they stand."""
    head = ' xmlns="%s"' % NAMESPACE if namespace else ""
    texts = [m if isinstance(m, str) else m.xml() for m in messages]
    return "%s<TradeMessages%s>\n%s\n</TradeMessages>\n" % (prefix, head, "\n".join(texts))


def position(text, at):
    """line:column in characters, from 1."""
    before = text[:at]
    return "%d:%d" % (before.count("\n") + 1, at - (before.rfind("\n") + 1) + 1)


def place(text, index, element=None, nth=0):
    """Where the start tag of the message, or of an element inside it, stands."""
    starts = [m.start() for m in re.finditer(r"<(\w+:)?TradeMessage[ >/]", text)]
    at = starts[index]
    if element:
        found = list(re.finditer(r"<(\w+:)?%s[ >/]" % re.escape(element), text[at:]))
        at += found[nth].start()
    return position(text, at)
