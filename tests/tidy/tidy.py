# SPDX-License-Identifier: Apache-2.0
"""What a compiler does not see: who includes whom, licence lines, unfinished marks, the message path,
READMEs that name the files beside them.

Usage: tidy.py [TREE]. Each fault is one line `file:line: text`; a warning does not fail the run.
"""
import os
import re
import sys

# docs/ARCHITECTURE.md draws this: a folder may include itself and what is listed here.
BASE = {"lib/base"}
FIRST = BASE | {"lib/pack", "lib/conf", "lib/json", "lib/http", "lib/msg", "lib/oa"}
SECOND = FIRST | {"lib/ref", "lib/mq", "dbshard", "lib/obs"}
PROGRAM = SECOND | {"lib/daemon"}  # what main functions of daemons share
PURE = {"lib/base", "lib/msg", "lib/ref"}
MAY_INCLUDE = {
    "lib/base": set(),
    "lib/pack": BASE, "lib/conf": BASE, "lib/json": BASE, "lib/http": BASE, "lib/msg": BASE, "lib/oa": BASE,
    "lib/ref": FIRST, "lib/mq": FIRST, "dbshard": FIRST, "lib/obs": FIRST,
    "lib/daemon": SECOND,
    "node/rules": PURE,
    "router": PROGRAM,
    "node": PROGRAM | {"node/rules"},
    "admin": PROGRAM,
    "bridge": PROGRAM | {"node/rules"},  # --check: the pure checks, no program
    "bench": PROGRAM,
}

# Each outside library has one owner.
OWNERS = [
    (re.compile(r"^xxhash\.h$|^xxh3\.h$"), {"lib/base"}),
    (re.compile(r"^yaml\.h$"), {"lib/conf"}),
    (re.compile(r"^(cjson/)?cJSON\.h$"), {"lib/json"}),
    (re.compile(r"^curl/"), {"lib/http"}),
    (re.compile(r"^expat\.h$"), {"lib/msg"}),
    (re.compile(r"^openssl/"), {"lib/msg"}),
    (re.compile(r"^amqp.*\.h$|^rabbitmq-c/"), {"lib/mq"}),
    (re.compile(r"^(mysql/|mariadb/)?(mysql|errmsg|mysqld_error|mariadb_.*|ma_.*)\.h$"), {"dbshard"}),
    (re.compile(r"^zstd.*\.h$"), {"lib/pack"}),
    (re.compile(r"^microhttpd\.h$"), {"lib/obs"}),
]

SOURCE_ENDINGS = (".c", ".h", ".def", ".py", ".sh", ".cmake", ".sql")
# Folders whose README.md names each of their sources; tests and what only tests use need no row.
README_FOLDERS = ("admin", "dbshard", "lib/mq", "lib/msg", "node", "node/rules", "router")
NO_ROW = re.compile(r"_test\.c$|_fuzz\.c$|_helpers\.c$|fixture\.c$|^main\.c$")
SKIPPED_FOLDERS = {"build", ".git", ".cache", "__pycache__", ".pytest_cache"}
LINES_MAX = 600
STOPS = range(1, 10)
# In two halves, or this file would be its own fault.
UNFINISHED = re.compile(r"\b(TO" + r"DO|FIX" + r"ME)\b")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]', re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
STOP_MARK = re.compile(r"\bPath stop (\d+)\b")
FUNCTION_HEAD = re.compile(r"\b([A-Za-z_]\w*)\s*\(")
DOC_ROW = re.compile(r"^\|.*\bPath stop (\d+)\b.*$", re.MULTILINE)
TICKED = re.compile(r"`([^`]+)`")
FILE_NAME = re.compile(r"[a-z0-9_]+\.(c|h|def)")


class Tree:
    """The source files of a checkout, relative path to text."""

    def __init__(self, top):
        self.top = top
        self.files = {}
        for folder, folders, names in os.walk(top):
            folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS)
            for name in sorted(names):
                path = os.path.join(folder, name)
                relative = os.path.relpath(path, top)
                if os.path.islink(path):
                    continue
                text = self._source_text(path, name)
                if text is not None:
                    self.files[relative] = text

    @staticmethod
    def _source_text(path, name):
        known = name.endswith(SOURCE_ENDINGS) or name in (
            "CMakeLists.txt", "MESSAGE_PATH.md", "README.md")
        with open(path, "rb") as file:
            if not known and file.read(2) != b"#!":
                return None
            file.seek(0)
            return file.read().decode("utf-8", "replace")

    def c_files(self):
        return {p: t for p, t in self.files.items() if p.endswith((".c", ".h", ".def"))}


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def module_of(path):
    """The folder of MAY_INCLUDE a file belongs to: the longest that is a prefix, or None."""
    fits = [m for m in MAY_INCLUDE if path.startswith(m + "/")]
    return max(fits, key=len) if fits else None


def resolve(tree, path, name):
    """The tree's file that `#include "name"` in path means, or None."""
    for folder in (os.path.dirname(path), "", "lib"):
        candidate = os.path.normpath(os.path.join(folder, name))
        if candidate in tree.files:
            return candidate
    return None


def owner_fault(path, name):
    module = module_of(path)
    for pattern, owners in OWNERS:
        if pattern.match(name) and module not in owners:
            return "<%s> belongs to %s alone" % (name, ", ".join(sorted(owners)))
    return None


def direction_fault(tree, path, name):
    target = resolve(tree, path, name)
    if target is None:
        return '"%s" is not in the tree' % name
    module, other = module_of(path), module_of(target)
    if module is None or other == module:  # tests may include anything
        return None
    if other is None:
        return '"%s" is outside every part' % name
    if other not in MAY_INCLUDE[module]:
        return '%s may not include %s ("%s")' % (module, other, name)
    return None


def check_includes(tree):
    for path, text in tree.c_files().items():
        if module_of(path) is None and not path.startswith("tests/"):
            yield path, 1, "in no part that MAY_INCLUDE of tests/tidy/tidy.py knows"
        code = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m.group(0)), text)
        for match in INCLUDE.finditer(code):
            name = match.group(2)
            fault = owner_fault(path, name)
            if fault is None and match.group(1) == '"':
                fault = direction_fault(tree, path, name)
            if fault:
                yield path, line_of(text, match.start(1)), fault


def check_licence(tree):
    for path, text in tree.files.items():
        if path.endswith(".md"):
            continue
        if not any("SPDX-License-Identifier: Apache-2.0" in l for l in text.split("\n")[:3]):
            yield path, 1, "no line `SPDX-License-Identifier: Apache-2.0` among the first three"


def check_unfinished(tree):
    for path, text in tree.files.items():
        for match in UNFINISHED.finditer(text):
            yield path, line_of(text, match.start()), "an unfinished mark: " + match.group(1)


def stops_in_code(tree):
    """stop -> list of (path, line, name of the function whose comment names it)."""
    found = {}
    for path, text in tree.c_files().items():
        for comment in COMMENT.finditer(text):
            for mark in STOP_MARK.finditer(comment.group(0)):
                head = FUNCTION_HEAD.search(COMMENT.sub(" ", text[comment.end():]))
                where = (path, line_of(text, comment.start() + mark.start()),
                         head.group(1) if head else None)
                found.setdefault(int(mark.group(1)), []).append(where)
    return found


def stops_in_document(text):
    """stop -> (line, function, file) of its table row; the first two things in backticks."""
    rows = {}
    for row in DOC_ROW.finditer(text):
        ticked = TICKED.findall(row.group(0))
        function = next((t for t in ticked if re.fullmatch(r"\w+(\(\))?", t)), None)
        file = next((t for t in ticked if re.fullmatch(r"[\w/.-]+\.c", t)), None)
        rows.setdefault(int(row.group(1)), []).append(
            (line_of(text, row.start()), (function or "").replace("()", ""), file))
    return rows


def check_stop(stop, rows, places, document):
    if len(rows) != 1:
        yield document, 1, "Path stop %d has %d rows, not one" % (stop, len(rows))
    for path, line, _ in places[1:]:
        yield path, line, "Path stop %d is named at %s:%d already" % ((stop,) + places[0][:2])
    if not places:
        yield document, rows[0][0] if rows else 1, "no function comment names Path stop %d" % stop
    if len(rows) == 1 and len(places) == 1:
        line, function, file = rows[0]
        path, code_line, name = places[0]
        if function != name:
            yield path, code_line, "Path stop %d is %s here, `%s` in %s" % (
                stop, name, function, document)
        if file != path:
            yield document, line, "Path stop %d is in %s, not in %s" % (stop, path, file)


def check_message_path(tree):
    document = os.path.join("docs", "MESSAGE_PATH.md")
    if document not in tree.files:
        yield document, 1, "the message path is not described"
        return
    rows = stops_in_document(tree.files[document])
    places = stops_in_code(tree)
    for stop in sorted(set(STOPS) | set(rows) | set(places)):
        if stop not in STOPS:
            for path, line, _ in places.get(stop, []):
                yield path, line, "there is no Path stop %d" % stop
            continue
        yield from check_stop(stop, rows.get(stop, []), places.get(stop, []), document)


def check_readmes(tree):
    for folder in README_FOLDERS:
        beside = {os.path.basename(p) for p in tree.files if os.path.dirname(p) == folder}
        readme = folder + "/README.md"
        if readme not in tree.files:
            if beside:
                yield readme, 1, "the folder is not described"
            continue
        text = tree.files[readme]
        named = {t: line_of(text, m.start()) for m in TICKED.finditer(text)
                 for t in [m.group(1)] if FILE_NAME.fullmatch(t)}
        for name in sorted(beside):
            if name.endswith(".c") and not NO_ROW.search(name) and name not in named:
                yield readme, 1, "does not name %s" % name
        for name, line in sorted(named.items()):
            if not any(os.path.basename(p) == name for p in tree.files):
                yield readme, line, "names %s, which is not there" % name


def warnings(tree):
    for path, text in tree.files.items():
        lines = text.count("\n")
        if lines > LINES_MAX:
            yield path, lines, "more than %d lines: has it still one reason to exist?" % LINES_MAX


CHECKS = (check_includes, check_licence, check_unfinished, check_message_path, check_readmes)


def faults(tree):
    return [fault for check in CHECKS for fault in check(tree)]


def main(arguments):
    here = os.path.dirname(os.path.abspath(__file__))
    top = arguments[0] if arguments else os.path.dirname(os.path.dirname(here))
    tree = Tree(top)
    for path, line, text in warnings(tree):
        print("%s:%d: warning: %s" % (path, line, text))
    found = faults(tree)
    for path, line, text in found:
        print("%s:%d: %s" % (path, line, text))
    print("tidy: %d files, %d faults" % (len(tree.files), len(found)))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
