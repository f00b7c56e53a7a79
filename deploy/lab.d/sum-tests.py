# SPDX-License-Identifier: Apache-2.0
"""Sums the JUnit files and failed parts of one test run: `N passed, N failed[, N skipped]`.

Exit 0 only when something passed and nothing failed.
"""
import glob
import os
import sys
import xml.etree.ElementTree as ElementTree


def outcome(case):
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    # ctest marks a test that it could not run, or that a sanitizer ended, in its status.
    if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
        return "skipped"
    return "failed" if case.get("status") == "fail" else "passed"


def failed_parts(folder):
    try:
        with open(os.path.join(folder, "failed"), encoding="utf-8") as file:
            return file.read().split()
    except FileNotFoundError:
        return []


def main(folder):
    count = {"passed": 0, "failed": 0, "skipped": 0}
    explained = set()
    for path in sorted(glob.glob(os.path.join(folder, "*.xml"))):
        part = os.path.basename(path)[:-len(".xml")]
        for case in ElementTree.parse(path).getroot().iter("testcase"):
            result = outcome(case)
            count[result] += 1
            if result == "failed":
                explained.add(part)
                name = ".".join(filter(None, (case.get("classname"), case.get("name"))))
                print("failed: %s (%s)" % (name, part))
    # A part that failed before it could name a test: a build, a crash of the runner.
    for part in failed_parts(folder):
        if part not in explained:
            count["failed"] += 1
            print("failed: %s" % part)
    line = "%(passed)d passed, %(failed)d failed" % count
    print(line + (", %(skipped)d skipped" % count if count["skipped"] else ""))
    return 0 if count["passed"] and not count["failed"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
