# SPDX-License-Identifier: Apache-2.0
"""One lab instance as the tests see it: commands, processes, shards, broker, ports, health."""
import contextlib
import json
import os
import pwd
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

import pika
import pymysql
import requests
import yaml

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LAB = os.path.join(TOP, "deploy", "lab")
RUN_AS = os.path.join(TOP, "deploy", "lab.d", "run-as")


def wait_for(condition, seconds, what):
    """Polls until condition() is true and returns its value; a test never just sleeps."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError("not within %s s: %s" % (seconds, what))
        time.sleep(0.1)


def processes_of(folder):
    """Ids of all living processes that name the folder in command line, environment or cwd."""
    found = []
    needle = os.fsencode(folder)
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if int(pid) == os.getpid():
            continue
        texts = []
        with contextlib.suppress(OSError):
            texts.append(os.fsencode(os.readlink("/proc/%s/cwd" % pid)))
        for name in ("cmdline", "environ"):
            with contextlib.suppress(OSError), open("/proc/%s/%s" % (pid, name), "rb") as file:
                texts.append(file.read())
        if any(needle in text for text in texts) and process_state(int(pid)) not in (None, "Z"):
            found.append(int(pid))
    return found


def nothing_runs_in(folder, seconds=5):
    """Helpers of a broker or a server end by themselves a moment after their parent."""
    wait_for(lambda: not processes_of(folder), seconds, "nothing left running in " + folder)


def process_stat(pid):
    """Fields of /proc/PID/stat from the state on, or None."""
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return None


def process_state(pid):
    fields = process_stat(pid)
    return fields[0] if fields else None


def address_of(text):
    """`0100007F` or 32 hex digits of /proc/net/tcp{,6} as an address text."""
    words = [bytes.fromhex(text[i:i + 8])[::-1] for i in range(0, len(text), 8)]
    family = socket.AF_INET if len(words) == 1 else socket.AF_INET6
    return socket.inet_ntop(family, b"".join(words))


def listeners_of(pids):
    """(address, port) of every TCP socket on which one of these processes listens."""
    inodes = set()
    for pid in pids:
        with contextlib.suppress(OSError):
            for descriptor in os.listdir("/proc/%d/fd" % pid):
                with contextlib.suppress(OSError):
                    target = os.readlink("/proc/%d/fd/%s" % (pid, descriptor))
                    if target.startswith("socket:["):
                        inodes.add(target[8:-1])
    found = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with contextlib.suppress(FileNotFoundError), open(table, encoding="ascii") as file:
            for line in file.readlines()[1:]:
                fields = line.split()
                if fields[3] == "0A" and fields[9] in inodes:
                    address, port = fields[1].split(":")
                    found.add((address_of(address), int(port, 16)))
    return found


class Submitted:
    """What one ste-submit run said: exit status, reply lines, the summary."""

    def __init__(self, process):
        self.status = process.returncode
        self.stderr = process.stderr
        lines = [json.loads(line) for line in process.stdout.splitlines() if line.startswith("{")]
        self.summary = next((l["summary"] for l in lines if "summary" in l), None)
        self.replies = [l for l in lines if "summary" not in l]

    def of(self, kind):
        return [r for r in self.replies if r["kind"] == kind]


class Lab:
    def __init__(self, folder):
        self.folder = folder

    # Commands of deploy/lab.

    def run(self, *words, check=True, timeout=300):
        done = subprocess.run([LAB, *words, "--dir", self.folder], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=timeout, check=False)
        if check and done.returncode != 0:
            raise AssertionError("deploy/lab %s: exit %d\n%s%s" % (
                " ".join(words), done.returncode, done.stdout, done.stderr))
        return done

    def up(self, *options):
        return self.run("up", "--no-build", *options)

    def down(self, *options):
        return self.run("down", *options)

    def stop(self, *part, kill=False):
        return self.run("stop", *part, *(["--kill"] if kill else []))

    def start(self, *part):
        return self.run("start", *part)

    def restart(self, *part, kill=False):
        return self.run("restart", *part, *(["--kill"] if kill else []))

    # Files of the instance.

    def path(self, *names):
        return os.path.join(self.folder, *names)

    @property
    def config(self):
        return self.path("cluster.yaml")

    def read(self, *names):
        with open(self.path(*names), encoding="utf-8") as file:
            return file.read()

    def map(self):
        return yaml.safe_load(self.read("cluster.yaml"))

    def ports(self):
        return {n: int(p) for n, p in (l.split() for l in self.read("ports").splitlines())}

    def secret(self, name):
        return self.read("secrets", name).split("\n")[0]

    def remembered(self, key, default=None):
        rows = dict(l.partition(" ")[::2] for l in self.read("lab.conf").splitlines())
        return rows.get(key) or default

    def program(self, name):
        built = os.path.join(TOP, "build", self.remembered("preset"), "bin")
        return os.path.join(self.remembered("bin", built), name)

    # Processes, by the pid files: id and start time.

    def pids(self):
        found = {}
        for name in sorted(os.listdir(self.path("run"))) if os.path.isdir(self.path("run")) else []:
            pid, started = (int(x) for x in self.read("run", name).split())
            fields = process_stat(pid)
            if fields and fields[0] != "Z" and int(fields[19]) == started:
                found[name[:-len(".pid")]] = pid
        return found

    def pid(self, name):
        return self.pids()[name]

    def signal(self, name, number):
        os.kill(self.pid(name), number)

    def kill(self, name):
        """kill -9, and waits until it is gone; deploy/lab start brings it back."""
        pid = self.pid(name)
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: process_state(pid) in (None, "Z"), 10, "%s dead" % name)

    def launch(self, name, fault=None, config=None):
        """Starts a router or node, with STE_FAULT in its environment or with another map, without
        waiting; `down` ends it like any other. It is nobody's child, so that a dead one is gone."""
        environment = {k: v for k, v in os.environ.items() if k != "STE_FAULT"}
        if fault:
            environment["STE_FAULT"] = fault
        file = self.path("run", name + ".pid")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(file)
        with open(self.path("log", name + ".log"), "ab") as log:
            subprocess.run(
                ["setsid", "--fork", RUN_AS, file, self.program("ste-" + name.split("-")[0]),
                 "--config", config or self.config, "--name", name],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, check=True)
        wait_for(lambda: os.path.exists(file), 10, "%s started" % name)

    def relaunch(self, name, fault=None):
        """Ends it as an operator would, and starts it again."""
        self.end(name)
        self.launch(name, fault)
        wait_for(lambda: self.is_ready(name), 30, "%s ready" % name)

    def end(self, name, seconds=30):
        pid = self.pids().get(name)
        if pid:
            os.kill(pid, signal.SIGTERM)
            wait_for(lambda: process_state(pid) in (None, "Z"), seconds, "%s ended" % name)

    def alive(self, name):
        return name in self.pids()

    @contextlib.contextmanager
    def frozen(self, name):
        pid = self.pid(name)
        os.kill(pid, signal.SIGSTOP)
        try:
            yield pid
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    # Shards, read as the checker.

    def shard_count(self):
        return int(self.remembered("shards"))

    def connect(self, shard, role="checker"):
        return pymysql.connect(host="127.0.0.1", port=self.ports()["shard-%d" % shard],
                               user="ste_" + role, password=self.secret("db-" + role),
                               database="ste", autocommit=True, connect_timeout=5,
                               cursorclass=pymysql.cursors.DictCursor)

    def root_sql(self, shard, sql):
        """As the server's owner, through its socket."""
        user = pwd.getpwuid(os.getuid()).pw_name
        subprocess.run(["mariadb", "--no-defaults", "--socket=mysql.sock", "--user=" + user],
                       cwd=self.path("shard-%d" % shard, "data"), input=sql, text=True, timeout=30,
                       check=True)

    def query(self, shard, sql, arguments=(), role="checker"):
        with contextlib.closing(self.connect(shard, role)) as connection:
            with connection.cursor() as cursor:
                cursor.execute(sql, arguments)
                return cursor.fetchall()

    def query_all(self, sql, arguments=(), role="checker"):
        """The rows of all shards, each with its `shard`."""
        return [dict(row, shard=shard) for shard in range(self.shard_count())
                for row in self.query(shard, sql, arguments, role)]

    # Broker.

    def ask_broker(self, path, method="GET", body=None):
        """The management API as administrator."""
        return requests.request(method, "http://127.0.0.1:%d/api/%s" % (
            self.ports()["management"], path), json=body, timeout=20,
            auth=("ste-admin", self.secret("broker-admin")))

    def broker(self, path, method="GET", body=None):
        """Parsed JSON, or None where it answers nothing."""
        answer = self.ask_broker(path, method, body)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def rabbitmqctl(self, *words):
        """From the same folder and with the same environment as the broker (docs/OPERATIONS.md)."""
        ports = self.ports()
        environment = dict(
            os.environ, HOME=self.path("broker"), ERL_EPMD_ADDRESS="127.0.0.1",
            ERL_EPMD_PORT=str(ports["epmd"]), RABBITMQ_DIST_PORT=str(ports["dist"]),
            RABBITMQ_USE_LONGNAME="true", RABBITMQ_NODENAME="ste@127.0.0.1",
            RABBITMQ_CONF_ENV_FILE="/dev/null")
        done = subprocess.run(["/usr/lib/rabbitmq/bin/rabbitmqctl", *words], env=environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
        if done.returncode != 0:
            raise AssertionError("rabbitmqctl %s: %s" % (" ".join(words), done.stdout))
        return done.stdout

    @contextlib.contextmanager
    def channel(self, role="admin"):
        user = "ste-" + role if role != "submitter" else "STEHSGSG"
        connection = pika.BlockingConnection(pika.ConnectionParameters(
            host="127.0.0.1", port=self.ports()["amqp"], heartbeat=0,
            credentials=pika.PlainCredentials(user, self.secret("broker-" + role))))
        try:
            yield connection.channel()
        finally:
            with contextlib.suppress(pika.exceptions.AMQPError):
                connection.close()

    def ready(self, *queues):
        """Messages ready in these queues now (statistics of the management API lag by seconds)."""
        with self.channel() as channel:
            return sum(channel.queue_declare(q, passive=True).method.message_count for q in queues)

    # Routers and nodes.

    def get(self, name, path):
        """(status, text) of a daemon's health endpoint; (None, reason) when it does not answer."""
        url = "http://127.0.0.1:%d%s" % (self.ports()[name], path)
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            return None, str(error)

    def is_ready(self, name):
        return self.get(name, "/readyz")[0] == 200

    def metric(self, name, metric):
        """Sum over the workers of a daemon; 0 when it does not answer."""
        status, text = self.get(name, "/metrics")
        return sum(float(line.split()[-1]) for line in text.splitlines()
                   if status == 200 and line.startswith(metric + "{"))

    def components(self, kind):
        return [c["name"] for c in self.map()["components"][kind]]

    # ste-bench and ste-admin.

    def tool(self, program, *words, check=True, timeout=300):
        done = subprocess.run([self.program(program), *words], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=timeout, check=False)
        if check and done.returncode != 0:
            raise AssertionError("%s %s: exit %d\n%s%s" % (
                program, " ".join(words), done.returncode, done.stdout, done.stderr))
        return done

    def admin(self, *words, config=None, check=True, timeout=300):
        return self.tool("ste-admin", "--config", config or self.config, *words, check=check,
                         timeout=timeout)

    def bench(self, command, *words, check=True, timeout=300):
        return self.tool("ste-bench", command, "--config", self.config, *words, check=check,
                         timeout=timeout)

    def submit(self, *files, wait=30, batch=None, options=(), timeout=None):
        command = [self.program("ste-submit"), "--config", self.config, "--json"]
        if wait is not None:
            command += ["--wait", str(wait)]
        if batch is not None:
            command += ["--batch", str(batch)]
        done = subprocess.run([*command, *options, *files], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=timeout or (wait or 30) + 30, check=False)
        return Submitted(done)
