# SPDX-License-Identifier: Apache-2.0
"""Many trades of one template, sent by ste-bench: their texts are made by replacing the reference."""
import os
import re

import messages
from wire import write_set


class Trades:
    def __init__(self, references, template="standard"):
        self.references = list(references)
        self.texts = messages.trade(template, "@")
        self.keys = [messages.trade_key(r) for r in self.references]

    def entry(self, number, name):
        """Of a set: text, trade key, sender, reference, number."""
        text = self.texts[name].replace(">@<", ">%s<" % self.references[number])
        return (text, self.keys[number], value(text, "Sender"), value(text, "Reference"), number)


def value(text, element):
    return re.search("<%s>(.*?)<" % element, text).group(1)


def drive(lab, folder, entries, trades, *options):
    """Confirmed when it returns; the ledger is folder/sent.ledger."""
    write_set(str(folder), entries, trades)
    lab.bench("drive", "--set", str(folder), "--ledger", os.path.join(str(folder), "sent.ledger"),
              *options)
