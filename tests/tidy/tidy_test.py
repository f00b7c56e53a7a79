# SPDX-License-Identifier: Apache-2.0
"""Plants one fault at a time into a small clean tree and looks whether tidy.py names it."""
import os
import tempfile
import unittest

import tidy

SPDX = "/* SPDX-License-Identifier: Apache-2.0 */\n"
FUNCTIONS = {
    stop: ("ste_stop_%d" % stop,
           "bridge/submit.c" if stop == 1 else "router/path.c" if stop < 5 else "node/path.c")
    for stop in tidy.STOPS}


def clean_tree():
    files = {
        "lib/base/error.h": SPDX,
        "lib/base/hash.c": SPDX + '#include <xxhash.h>\n#include "base/error.h"\n#include "error.h"\n',
        "lib/msg/xml.h": SPDX + '#include "base/error.h"\n',
        "lib/msg/xml.c": SPDX + '#include <expat.h>\n#include "msg/xml.h"\n',
        "lib/mq/mq.h": SPDX + '#include "msg/xml.h"\n',
        "node/rules/decide.h": SPDX + '#include "msg/xml.h"\n',
        "node/worker.c": SPDX + '#include "node/rules/decide.h"\n#include "mq/mq.h"\n',
        "tests/harness/cases.c": SPDX + '#include "node/rules/decide.h"\n#include <cmocka.h>\n',
        "lib/base/CMakeLists.txt": "# SPDX-License-Identifier: Apache-2.0\n",
        "lib/msg/README.md": "| `xml.c` | what |\n",
        "lib/mq/README.md": "Nothing but `mq.h`.\n",
        "node/README.md": "`worker.c`, `path.c`\n",
        "node/rules/README.md": "`decide.h`\n",
        "router/README.md": "`path.c`\n",
        "deploy/lab": "#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n",
        "docs/MESSAGE_PATH.md": "".join(
            "| Path stop %d | `%s()` | `%s` |\n" % ((stop,) + FUNCTIONS[stop])
            for stop in tidy.STOPS),
    }
    for stop, (function, path) in FUNCTIONS.items():
        files[path] = files.get(path, SPDX) + (
            "/* Path stop %d: what is true afterwards. */\nenum ste_code %s(int x)\n{\n}\n"
            % (stop, function))
    return files


class Planted(unittest.TestCase):
    def faults(self, change=None, drop=()):
        files = clean_tree()
        files.update(change or {})
        with tempfile.TemporaryDirectory() as top:
            for path, text in files.items():
                if path in drop:
                    continue
                full = os.path.join(top, path)
                os.makedirs(os.path.dirname(full), exist_ok=True)
                with open(full, "w", encoding="utf-8") as file:
                    file.write(text)
            tree = tidy.Tree(top)
            self.warned = list(tidy.warnings(tree))
            return tidy.faults(tree)

    def assert_one(self, found, path, line, part):
        self.assertEqual(1, len(found), found)
        self.assertEqual((path, line), found[0][:2])
        self.assertIn(part, found[0][2])

    def added(self, path, line):
        """The clean text of path with one more line, and that line's number."""
        text = clean_tree()[path] + line + "\n"
        return {path: text}, text.count("\n")

    def test_clean(self):
        self.assertEqual([], self.faults())
        self.assertEqual([], self.warned)

    def test_folder_without_readme(self):
        self.assert_one(self.faults(drop=("router/README.md",)), "router/README.md", 1, "not described")

    def test_source_without_row(self):
        found = self.faults({"node/relay.c": SPDX, "node/relay_test.c": SPDX, "node/main.c": SPDX})
        self.assert_one(found, "node/README.md", 1, "does not name relay.c")

    def test_row_without_source(self):
        change, line = self.added("router/README.md", "and `gone.c`")
        self.assert_one(self.faults(change), "router/README.md", line, "names gone.c")

    def test_include_upwards(self):
        change, line = self.added("lib/base/hash.c", '#include "msg/xml.h"')
        self.assert_one(self.faults(change), "lib/base/hash.c", line, "lib/base may not include lib/msg")

    def test_include_sideways(self):
        change, line = self.added("lib/msg/xml.c", '#include "json/json.h"')
        change["lib/json/json.h"] = SPDX
        self.assert_one(self.faults(change), "lib/msg/xml.c", line, "lib/msg may not include lib/json")

    def test_program_includes_program(self):
        change, line = self.added("router/path.c", '#include "node/rules/decide.h"')
        self.assert_one(self.faults(change), "router/path.c", line, "router may not include node/rules")

    def test_rules_stay_pure(self):
        change, line = self.added("node/rules/decide.h", '#include "mq/mq.h"')
        self.assert_one(self.faults(change), "node/rules/decide.h", line, "may not include lib/mq")

    def test_include_of_nothing(self):
        change, line = self.added("node/worker.c", '#include "mq/gone.h"')
        self.assert_one(self.faults(change), "node/worker.c", line, "not in the tree")

    def test_part_that_no_rule_knows(self):
        self.assert_one(self.faults({"lib/util/x.h": SPDX}), "lib/util/x.h", 1, "in no part")

    def test_include_of_a_test(self):
        change, line = self.added("node/worker.c", '#include "tests/harness/cases.h"')
        change["tests/harness/cases.h"] = SPDX
        self.assert_one(self.faults(change), "node/worker.c", line, "outside every part")

    def test_include_in_a_comment_is_none(self):
        change, _ = self.added("lib/base/hash.c", '/* never\n#include "msg/xml.h"\n*/')
        self.assertEqual([], self.faults(change))

    def test_every_outside_library_has_one_owner(self):
        for header in ("xxhash.h", "yaml.h", "cjson/cJSON.h", "curl/curl.h", "expat.h",
                       "openssl/evp.h", "amqp.h", "amqp_tcp_socket.h", "rabbitmq-c/amqp.h",
                       "mysql.h", "mariadb/mysql.h", "mysqld_error.h", "errmsg.h", "zstd.h",
                       "microhttpd.h"):
            with self.subTest(header):
                change, line = self.added("node/worker.c", "#include <%s>" % header)
                self.assert_one(self.faults(change), "node/worker.c", line, "belongs to")

    def test_licence(self):
        for path in ("lib/mq/new_test.c", "lib/mq/new.h", "lib/mq/x.def", "dbshard/sql/a.sql",
                     "tests/x.py", "lib/mq/CMakeLists.txt"):
            with self.subTest(path):
                self.assert_one(self.faults({path: "\n\n\n" + SPDX}), path, 1, "SPDX")
        self.assert_one(self.faults({"deploy/run": "#!/bin/sh\n"}), "deploy/run", 1, "SPDX")

    def test_unfinished_marks(self):
        for word in ("TO" + "DO", "FIX" + "ME"):
            change, line = self.added("node/worker.c", "/* %s: later */" % word)
            self.assert_one(self.faults(change), "node/worker.c", line, word)

    def test_long_file_warns_only(self):
        change = {"bench/long.c": SPDX + "int x;\n" * tidy.LINES_MAX}
        self.assertEqual([], self.faults(change))
        self.assertEqual("bench/long.c", self.warned[0][0])

    def test_stop_named_twice(self):
        change, line = self.added("node/worker.c", "/* Path stop 7 */\nint second(void);")
        self.assert_one(self.faults(change), "node/worker.c", line - 1, "already")

    def test_stop_named_nowhere(self):
        text = clean_tree()["node/path.c"].replace("Path stop 9", "The last one")
        found = self.faults({"node/path.c": text})
        self.assert_one(found, "docs/MESSAGE_PATH.md", 9, "no function comment names Path stop 9")

    def test_stop_without_a_row(self):
        text = clean_tree()["docs/MESSAGE_PATH.md"].replace("Path stop 3", "Third")
        self.assert_one(self.faults({"docs/MESSAGE_PATH.md": text}), "docs/MESSAGE_PATH.md", 1,
                        "Path stop 3 has 0 rows")

    def test_stop_of_another_function(self):
        text = clean_tree()["docs/MESSAGE_PATH.md"].replace("ste_stop_6", "ste_stop_six")
        self.assert_one(self.faults({"docs/MESSAGE_PATH.md": text}), "node/path.c", 6,
                        "Path stop 6 is ste_stop_6 here")

    def test_stop_in_another_file(self):
        text = clean_tree()["docs/MESSAGE_PATH.md"].replace("bridge/submit.c", "bridge/send.c")
        self.assert_one(self.faults({"docs/MESSAGE_PATH.md": text}), "docs/MESSAGE_PATH.md", 1,
                        "is in bridge/submit.c")

    def test_no_such_stop(self):
        change, line = self.added("node/worker.c", "/* Path stop 10 */\nint second(void);")
        self.assert_one(self.faults(change), "node/worker.c", line - 1, "no Path stop 10")

    def test_document_missing(self):
        found = self.faults(drop=("docs/MESSAGE_PATH.md",))
        self.assert_one(found, "docs/MESSAGE_PATH.md", 1, "not described")


if __name__ == "__main__":
    unittest.main()
