# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs heddle-compile and heddle-run as child processes under a limit of time and memory, and reads what they print. All
# tests in Python go through here, so that they see the tools as a user does.
import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
BUILD = Path(os.environ.get("HEDDLE_BUILD", ROOT / "build"))
SKIP = 77
MEMORY_BYTES = 8 << 30
PRLIMIT = shutil.which("prlimit")


def use_venv():
    """Starts the script again under the Python that has the packages, if this one lacks them."""
    venv = ROOT / "build" / "venv"
    if importlib.util.find_spec("onnx") is None and Path(sys.prefix).resolve() != venv.resolve():
        if not (venv / "bin" / "python").exists():
            sys.exit("error: this Python has no onnx and build/venv is missing; run tools/setup.sh")
        os.execv(venv / "bin" / "python", [str(venv / "bin" / "python"), *sys.argv])


@dataclass
class Outcome:
    status: Optional[int]  # exit status; negative: the signal; None: stopped at the time limit
    out: str
    err: str
    seconds: float

    @property
    def error(self) -> str:
        """The first line of the error, without what is not about it."""
        for line in self.err.splitlines():
            if "error:" in line:
                return line.strip()
        lines = self.err.strip().splitlines()
        return lines[-1].strip() if lines else "(no error text)"

    def describe(self) -> str:
        if self.status is None:
            return f"stopped after {self.seconds:.0f} s"
        if self.status < 0:
            return f"died of {signal.Signals(-self.status).name}: {self.error}"
        return f"exit status {self.status}: {self.error}"


def watch_memory(child: subprocess.Popen):
    """Kills a process that has more than MEMORY_BYTES resident. A limit on what it reserves would be simpler, but drivers
    and the emulated device reserve the addresses of a whole GPU."""
    page = os.sysconf("SC_PAGESIZE")
    while child.poll() is None:
        try:
            resident = int(Path(f"/proc/{child.pid}/statm").read_text().split()[1]) * page
        except (OSError, IndexError):
            return
        if resident > MEMORY_BYTES:
            os.killpg(child.pid, signal.SIGKILL)
            return
        time.sleep(0.2)


def run(command: list, timeout: float = 60, environment: Optional[dict] = None) -> Outcome:
    limit = [PRLIMIT, "--core=0"] if PRLIMIT else []
    started = time.monotonic()
    child = subprocess.Popen(limit + [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, env={**os.environ, **(environment or {})}, start_new_session=True)
    threading.Thread(target=watch_memory, args=(child,), daemon=True).start()
    try:
        out, err = child.communicate(timeout=timeout)
        status = child.returncode
    except subprocess.TimeoutExpired:
        # The whole group: a compiler's ptxas must not outlive it.
        os.killpg(child.pid, signal.SIGKILL)
        out, err = child.communicate()
        status = None
    return Outcome(status, out.decode(errors="replace"), err.decode(errors="replace"), time.monotonic() - started)


def tool(name: str) -> Path:
    """Path of a built tool; a test without it is skipped."""
    chosen = os.environ.get("HEDDLE_TOOLS")
    path = Path(chosen) / name if chosen else BUILD / "bin" / name
    if not path.exists():
        skip(f"{name} has not been built in {BUILD.name}/")
    return path


def skip(reason: str):
    print(f"skipped: {reason}")
    sys.exit(SKIP)


@dataclass
class Report:
    """What heddle-run said."""
    files: list  # written outputs, in order
    fields: list  # (first word, rest of the line)

    def first(self, what: str) -> str:
        return next((rest for word, rest in self.fields if word == what), "")

    def output_type(self, name: str) -> Optional[str]:
        for word, rest in self.fields:
            if word == "output" and rest.startswith(name + "  "):
                return rest[len(name) + 2:].split("  ")[0].strip()
        return None


def read_report(text: str) -> Report:
    fields = []
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        fields.append((word, rest.strip()))
    return Report([Path(rest) for word, rest in fields if word == "wrote"], fields)
