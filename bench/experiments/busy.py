# SPDX-License-Identifier: Apache-2.0
"""Who used the processors: the parts of a lab, what this script started, and everybody else."""
import os
import time

TICK = os.sysconf("SC_CLK_TCK")
SHORT_S = 1.0


def cpu_of(pid):
    """User and system seconds of a process, its ended children included."""
    with open("/proc/%d/stat" % pid) as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return sum(int(fields[i]) for i in (11, 12)) / TICK


def machine_busy():
    """Seconds of all cores since boot; waiting for a disk is not busy."""
    with open("/proc/stat") as file:
        numbers = [int(n) for n in file.readline().split()[1:]]
    idle = numbers[3] + numbers[4]
    return (sum(numbers[:8]) - idle) / TICK


def processes(instance):
    """pid -> what it is, of the lab's processes, from command lines and environments."""
    found = {}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid) as file:
                words = file.read().split("\0")
            with open("/proc/%s/environ" % pid, "rb") as file:
                environment = file.read()
        except OSError:
            continue
        # The folder itself or a file in it: not /lab-10 for /lab-1.
        ours = any(w == instance or instance + "/" in w for w in words)
        program = os.path.basename(words[0])
        if program in ("ste-router", "ste-node", "mariadbd") and ours:
            found[int(pid)] = {"mariadbd": "shards"}.get(program, program[4:])
        elif program.startswith("beam") and (instance + "/").encode() in environment:
            found[int(pid)] = "broker"
    return found


class Busy:
    """From its making to end(): CPU seconds by process of the lab, and the machine's."""

    def __init__(self, instance):
        self.names = processes(instance)
        self.before = {pid: cpu_of(pid) for pid in self.names}
        self.begin, self.machine, self.times = time.monotonic(), machine_busy(), os.times()

    def end(self):
        """(seconds of all cores, name -> seconds)"""
        after, machine = os.times(), machine_busy() - self.machine
        used = {}
        for pid, name in self.names.items():
            try:
                used[name] = used.get(name, 0) + cpu_of(pid) - self.before[pid]
            except OSError:
                continue  # it was stopped meanwhile: its time counts as others'
        used["driver and pool"] = (
            after.children_user - self.times.children_user + after.children_system -
            self.times.children_system)
        return machine, used

    def others(self):
        """The share of the machine that neither the lab nor this script and its children had. None
        where the time was too short for the kernel's ticks to tell."""
        machine, used = self.end()
        after = os.times()
        used["script"] = after.user - self.times.user + after.system - self.times.system
        seconds = time.monotonic() - self.begin
        if seconds < SHORT_S:
            return None
        return max(0.0, (machine - sum(used.values())) / (seconds * os.cpu_count()))
