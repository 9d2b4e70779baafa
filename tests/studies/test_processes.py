"""Several processes on one port."""

import os
import signal
import subprocess
import sys
import time
import urllib.request

import pytest

PROGRAM = """
import os, socket, sys
from attunement.studies import processes
sockets = processes.listen("127.0.0.1", 0)
print(sockets[0].getsockname()[1], flush=True)
def work(number):
    while True:
        one, _ = sockets[0].accept()
        one.recv(65536)
        one.sendall(f"HTTP/1.0 200 OK\\r\\n\\r\\n{os.getpid()}".encode())
        one.close()
processes.run(work, 2)
"""


def ask(port: int) -> int:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as reply:
        return int(reply.read())


def is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    with open(f"/proc/{pid}/stat") as stat:
        return stat.read().rpartition(")")[2].split()[0] == "Z"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is one process only")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_children_answer_are_started_again_and_end_with_their_parent(how: signal.Signals) -> None:
    parent = subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    port = int(parent.stdout.readline())
    first = ask(port)
    assert first != parent.pid
    os.kill(first, signal.SIGKILL)
    second = ask(port)
    assert second != first
    parent.send_signal(how)
    parent.wait(timeout=20)
    until = time.monotonic() + 20
    while not is_gone(second):
        assert time.monotonic() < until, "a child outlived its parent"
        time.sleep(0.02)
