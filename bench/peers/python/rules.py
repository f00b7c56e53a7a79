# SPDX-License-Identifier: Apache-2.0
"""What the plain service knows of trades: reading a message, checking it, comparing, clearing. Pure."""
import base64
import datetime
import hashlib
import hmac
import re
import xml.etree.ElementTree as ElementTree
from decimal import Decimal

NAMESPACE = "urn:ste:trade:1"
COMMON = ("Reference", "Sender", "TradeReference", "TradeDate", "Broker", "Manager", "SettlementDate",
          "Direction", "Payment", "Instrument", "Quantity", "Quantity.unit")
LEG = COMMON + ("Account",)
PRICE = ("Price", "Price.type")
AGENTS = ("DeliveringAgent", "ReceivingAgent", "PlaceOfSettlement")
NEEDED = {"NOE": COMMON + PRICE, "ALB": LEG + PRICE, "NPR": LEG + PRICE, "SET": LEG + AGENTS}
MONEY = ("GrossAmount", "Commission", "SettlementAmount", "AccruedInterest", "OtherCharges")
NUMBER = re.compile(r"-?\d{1,18}(\.\d{1,18})?")
BLOCK_EQUAL = ("Direction", "Payment", "Instrument", "SettlementDate", "Quantity.unit", "Price.type")
LEG_EQUAL = BLOCK_EQUAL + ("SettlementCurrency", "SettlementAmount.currency", "Commission.currency",
                           "AccruedInterest.currency")
LEG_NUMBERS = ("Quantity", "Price", "Commission", "AccruedInterest")


class Refused(Exception):
    """The message itself is wrong: stored as such, never tried again."""


# ---- one message ----

def verified_participant(config, headers, body):
    key = config["keys"].get(headers.get("ste-key-id"))
    if key is None:
        raise Refused("unknown key")
    right = hmac.new(base64.b64decode(key["secret"]), b"ste1\n" + body, hashlib.sha256).digest()
    if not hmac.compare_digest(base64.b64encode(right).decode(), headers.get("ste-signature") or ""):
        raise Refused("wrong signature")
    return key["participant"]


def parse(body):
    """Element texts by name, attributes as Element.attribute."""
    try:
        root = ElementTree.fromstring(body)
    except ElementTree.ParseError as error:
        raise Refused("not well-formed: %s" % error) from error
    prefix = "{%s}" % NAMESPACE
    if root.tag.removeprefix(prefix) != "TradeMessage":
        raise Refused("not a TradeMessage")
    message = {"type": root.get("type"), "function": root.get("function")}
    for element in root:
        name = element.tag.removeprefix(prefix)
        text = (element.text or "").strip()
        if text and name not in message:
            message[name] = text
            for attribute, value in element.items():
                message["%s.%s" % (name, attribute)] = value.strip()
    return message


def date_of(text):
    try:
        return datetime.date.fromisoformat(text)
    except ValueError as error:
        raise Refused("no date: %s" % text) from error


def check_numbers(config, message):
    for name in MONEY + ("Quantity", "Price"):
        if name in message and not NUMBER.fullmatch(message[name]):
            raise Refused("%s: not a number" % name)
    for name in MONEY:
        if name in message:
            decimals = config["currencies"].get(message.get(name + ".currency"))
            if decimals is None:
                raise Refused("%s: unknown currency" % name)
            if len(message[name].partition(".")[2]) > decimals:
                raise Refused("%s: too many decimals" % name)
    if Decimal(message["Quantity"]) <= 0:
        raise Refused("quantity is not above 0")


def check_parties(config, message, signer):
    participants = config["participants"]
    sender, broker, manager = (message[name][:8] for name in ("Sender", "Broker", "Manager"))
    sends_for = participants[signer].get("sends_for", [])
    if sender != signer and sender not in sends_for and "*" not in sends_for:
        raise Refused("%s may not send for %s" % (signer, sender))
    unknown = [bic for bic in (sender, broker, manager) if bic not in participants]
    if unknown:
        raise Refused("unknown participant: %s" % " ".join(unknown))
    if message["type"] == "SET":
        right = sender == manager or "custodian" in participants[sender]["roles"]
    else:
        right = sender == (manager if message["type"] == "ALB" else broker)
    if not right:
        raise Refused("sender's role")


def check(config, message, signer):
    if message["type"] not in NEEDED or message["function"] != "NEWM":
        raise Refused("type or function not handled")
    missing = [name for name in NEEDED[message["type"]] if name not in message]
    if missing:
        raise Refused("missing: %s" % " ".join(missing))
    if any(len(message.get(n, "")) > 35 for n in ("Reference", "TradeReference", "Account")):
        raise Refused("a reference is too long")
    check_parties(config, message, signer)
    if date_of(message["SettlementDate"]) < date_of(message["TradeDate"]):
        raise Refused("settlement before trade date")
    if "Country" in message and message["Country"] not in config["countries"]:
        raise Refused("unknown country")
    check_numbers(config, message)


# ---- the messages of a trade ----

def by_account(messages, wanted):
    return {m.get("Account", ""): m for m in messages if m["type"] == wanted}


def quantity_of(messages):
    return sum(Decimal(m["Quantity"]) for m in messages)


def is_complete(messages):
    """The execution, allocations of its whole quantity, and all three messages of every account."""
    noe = [m for m in messages if m["type"] == "NOE"]
    albs, nprs, sets = (by_account(messages, t) for t in ("ALB", "NPR", "SET"))
    return bool(noe) and albs.keys() == nprs.keys() == sets.keys() and (
        quantity_of(albs.values()) >= quantity_of(noe))


def within_tolerance(config, messages):
    """EUR 2 up to 100,000 and EUR 25 above, at the rate of the currency; exact without a rate."""
    amounts = [Decimal(m["SettlementAmount"]) for m in messages if "SettlementAmount" in m]
    if not amounts:
        return True
    rate = Decimal(config["rates"].get(messages[-1].get("SettlementAmount.currency"), 0))
    allowed = (2 if min(amounts) <= 100000 * rate else 25) * rate
    return max(amounts) - min(amounts) <= allowed


def differing(messages, forms):
    """Names whose values, each in its form, are not all one; a message without the name has none."""
    return [name for name, form in forms.items()
            if len({form(m[name]) for m in messages if name in m}) > 1]


BLOCK_FORMS = dict.fromkeys(BLOCK_EQUAL, str) | {"Price": Decimal}
LEG_FORMS = (dict.fromkeys(LEG_EQUAL, str) | dict.fromkeys(LEG_NUMBERS, Decimal)
             | dict.fromkeys(AGENTS, lambda bic: bic[:8]))


def differences(config, messages):
    noe, albs = by_account(messages, "NOE")[""], by_account(messages, "ALB")
    nprs, sets = by_account(messages, "NPR"), by_account(messages, "SET")
    found = differing([noe, *albs.values()], BLOCK_FORMS)
    if quantity_of(albs.values()) != Decimal(noe["Quantity"]):
        found.append("Quantity")
    for account, alb in albs.items():
        leg = [alb, nprs[account], sets[account]]
        found += differing(leg, LEG_FORMS)
        if not within_tolerance(config, leg):
            found.append("SettlementAmount")
    return found


def clearing_message(messages):
    root = ElementTree.Element("ClearingSettlement", xmlns=NAMESPACE, action="NEWM", version="1")
    noe, nprs, sets = (by_account(messages, t) for t in ("NOE", "NPR", "SET"))

    def add(parent, message, *names):
        for name in names:
            if name in message:
                attributes = {k.partition(".")[2]: v for k, v in message.items()
                              if k.startswith(name + ".")}
                ElementTree.SubElement(parent, name, attributes).text = message[name]
    add(root, noe[""], "TradeReference", "TradeDate", "SettlementDate", "Direction", "Payment",
        "Instrument", "Quantity", "Price", "Broker", "Manager", "PlaceOfSettlement")
    for account in sorted(nprs):
        leg = ElementTree.SubElement(root, "Leg", account=account)
        deliverer = nprs if noe[""]["Direction"] == "BUYI" else sets
        add(leg, nprs[account], "Quantity")
        add(leg, deliverer[account], "SettlementAmount")
        add(leg, nprs[account], "Commission", "AccruedInterest")
        add(leg, sets[account], "DeliveringAgent", "ReceivingAgent")
    for reference in sorted(m["Reference"] for m in messages):
        ElementTree.SubElement(root, "Reference").text = reference
    return ElementTree.tostring(root)
