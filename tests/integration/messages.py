# SPDX-License-Identifier: Apache-2.0
"""The text of messages, made from tests/cases/templates.yaml as its README says, and their places."""
import ctypes
import functools
import os
import re

import yaml

CASES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cases")
FIELDS = os.path.join(os.path.dirname(os.path.dirname(CASES)), "lib", "msg", "fields.def")
NAMESPACE = "urn:ste:trade:1"


def load(*names):
    """A YAML file of tests/cases with every value as text: 37.50 stays 37.50."""
    with open(os.path.join(CASES, *names), encoding="utf-8") as file:
        return yaml.load(file, Loader=yaml.BaseLoader)


@functools.lru_cache(maxsize=None)
def templates():
    return load("templates.yaml")


@functools.lru_cache(maxsize=None)
def elements():
    """Known elements in the order in which messages are written."""
    with open(FIELDS, encoding="utf-8") as file:
        return re.findall(r'^X\(\w+, \d+, "(\w+)", NULL,', file.read(), re.MULTILINE)


def repeat(text):
    """`$[3*ab]` becomes ababab."""
    return re.sub(r"\$\[(\d+)\*([^\]]*)\]", lambda m: m.group(2) * int(m.group(1)), text)


def raw(text, trade_reference):
    return repeat(text).replace("$T", trade_reference)


def render(layers, trade_reference, number=1, edits=(), namespace=True):
    """One <TradeMessage>; later layers count. The text of `find` is looked for as it stands."""
    values = {}
    for layer in layers:
        values.update(layer or {})

    def text_of(value):
        value = repeat(value).replace("$T", trade_reference).replace("$N", str(number))
        value = value.replace("$Broker", values["Broker"]).replace("$Manager", values["Manager"])
        return value.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")

    def element(name):
        if not values.get(name):
            return ""
        attributes = "".join(' %s="%s"' % (a, text_of(values["%s@%s" % (name, a)]))
                             for a in ("unit", "type", "currency") if values.get("%s@%s" % (name, a)))
        return "  <%s%s>%s</%s>\n" % (name, attributes, text_of(values[name]), name)

    function = values.get("function") or "NEWM"
    out = "<TradeMessage%s type=\"%s\"%s>\n" % (
        ' xmlns="%s"' % NAMESPACE if namespace else "", values["type"],
        "" if function == "none" else ' function="%s"' % function)
    unknown = [n for n in values
               if "@" not in n and n not in ("type", "function") and n not in elements()]
    out += "".join(element(name) for name in elements() + unknown) + "</TradeMessage>"
    for edit in edits:
        find, put = raw(edit["find"], trade_reference), raw(edit["put"], trade_reference)
        assert find in out, "%r is not in the message" % find
        out = out.replace(find, put, 1)
    return out


def message(template, name, trade_reference, namespace=True, edits=(), **changes):
    """message("single", "NOE", "T1", Price="38"); an attribute is Element__attribute."""
    one = templates()[template]
    changes = {key.replace("__", "@"): value for key, value in changes.items()}
    return render([one["common"], one["messages"][name], changes], trade_reference, edits=edits,
                  namespace=namespace)


def trade(template, trade_reference, **changes):
    """All messages of a trade: name to text."""
    return {name: message(template, name, trade_reference, **changes)
            for name in templates()[template]["messages"]}


def batch(texts):
    return '<TradeMessages xmlns="%s">\n%s\n</TradeMessages>\n' % (NAMESPACE, "\n".join(texts))


def place(body, index, element):
    """line:column of the start tag of an element (or `message`) of message `index`, from 1."""
    at = -1
    for _ in range(index + 1):
        at = body.find("<TradeMessage ", at + 1)
    if at >= 0 and element != "message":
        at = body.find("<" + element, at)
    if at < 0:
        return None
    before = body[:at]
    return "%d:%d" % (before.count("\n") + 1, at - (before.rfind("\n") + 1) + 1)


class Hash(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


@functools.lru_cache(maxsize=None)
def xxhash():
    library = ctypes.CDLL("libxxhash.so.0")
    library.XXH3_128bits.restype = Hash
    library.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
    return library


def hash128(data):
    done = xxhash().XXH3_128bits(data, len(data))
    return done.high.to_bytes(8, "big") + done.low.to_bytes(8, "big")


def trade_key(trade_reference, broker="BROKSGSG", manager="INVMSGSG", trade_date="2026-11-30"):
    """Path of docs/WIRE.md, section keys and placement."""
    return hash128("|".join([trade_reference, broker[:8], manager[:8], trade_date]).encode())


def shard_of(trade_reference, shard_count):
    match_hash = hash128(trade_reference.replace(" ", "").upper().encode())
    return int.from_bytes(match_hash[8:], "big") % 720720 % shard_count
