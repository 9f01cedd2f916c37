"""The program that comes with the package."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig

import pytest

import eaves


def test_the_command_is_installed(example):
    command = shutil.which("eaves", path=sysconfig.get_path("scripts"))
    assert command, "the package installs a command"
    done = subprocess.run([command, "--version"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, f"eaves {eaves.__version__}\n")


def test_exit_codes_are_those_of_the_program(program, example):
    assert program("report", example("host-bound"), "--quiet").returncode == 0
    failed = program("report", "absent.json")
    assert failed.returncode == 2 and "hint:" in failed.stderr and failed.stdout == ""
    holds = program("diff", example("healthy"), example("training"), "--fail-on", "step>+1%")
    assert holds.returncode == 1, holds.stderr
    assert program("nonsense").returncode == 2
    assert program("--help").returncode == 0


def test_it_reads_standard_input(program, example):
    with open(example("host-bound/rank0.json.gz"), "rb") as file:
        command = [sys.executable, "-m", "eaves", "report", "-", "--json", "--quiet"]
        done = subprocess.run(command, stdin=file, capture_output=True, timeout=300)
    assert json.loads(done.stdout)["inputs"][0]["events"] > 0


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_ends_it_with_130():
    command = [sys.executable, "-m", "eaves", "report", "-"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        # More than a pipe holds: when all of it is written, the program has begun to read.
        process.stdin.write(b'{"traceEvents": [' + b" " * (1 << 20))
        process.stdin.flush()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_signals_are_pythons_again_after_it_ran():
    script = """
import eaves, os, signal
assert eaves.run(["eaves", "--version"]) == 0
assert eaves.run(["eaves", "device", "list", "--quiet", "--csv"]) == 0
try:
    os.kill(os.getpid(), signal.SIGINT)
    signal.pause()
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stdout.endswith("interrupted\n"), done.stderr


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_raises_while_something_is_read():
    """The reader waits for a pipe that nobody writes to; Ctrl-C reaches Python all the same."""
    script = """
import eaves, os, signal, threading
reading, writing = os.pipe()
os.dup2(reading, 0)
timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
timer.start()
try:
    eaves.read("-")
except KeyboardInterrupt:
    print("interrupted", flush=True)
    os._exit(0)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert done.stdout == "interrupted\n", done.stderr
