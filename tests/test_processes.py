"""`accelerate launch` shares a run out, and the run is the same."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from contrapar.builder.build import build

pytestmark = pytest.mark.slow

# the command, which also notes how many answers each process wrote
MAIN = """
import os
from pathlib import Path
from contrapar.cli import main
from contrapar.evaluate.journal import Journal

plain = Journal.add

def noted(self, records):
    records = list(records)
    with open(Path(__file__).parent / f"wrote-{os.environ.get('RANK', 0)}", "a") as file:
        file.write("x" * len(records))
    plain(self, records)

Journal.add = noted
main()
"""


def launched(script: Path, processes: int, *arguments: object) -> subprocess.CompletedProcess[str]:
    """The command under accelerate's launcher; without a GPU, `--multi_gpu` starts processes on the CPU."""
    options = (
        *(["--multi_gpu"] if processes > 1 else []),
        "--num_processes",
        processes,
        "--num_machines",
        1,
        "--main_process_port",
        0,  # any that is free
        "--mixed_precision",
        "no",
    )
    command = [
        sys.executable,
        "-m",
        "accelerate.commands.launch",
        *options,
        "--dynamo_backend",
        "no",
        script,
        *arguments,
    ]
    there = {"PYTHONUTF8": "1", "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    if sys.platform == "linux":
        there["GLOO_SOCKET_IFNAME"] = "lo"  # the machine's own name need not lead anywhere
    process = subprocess.Popen(
        list(map(str, command)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **there},
        start_new_session=True,
    )
    try:
        out, err = process.communicate(timeout=240)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # what it launched would stay and wait for ever
        raise AssertionError(f"nothing after 240 s: {process.communicate()}") from None
    return subprocess.CompletedProcess(command, process.returncode, out, err)


@pytest.mark.parametrize(("kind", "dataset", "limit"), [("bert", "identiteit", 200), ("gpt2", "sayings", 48)])
def test_two_processes_make_the_run_of_one(kind: str, dataset: str, limit: int, tmp_path: Path) -> None:
    for name in ("accelerate", "torch", "transformers"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    from local_models import saved

    script = tmp_path / "contrapar_main.py"
    script.write_text(MAIN)
    model = saved(tmp_path / "model", kind, chats=True)
    data = build(dataset, tmp_path / "built").folder
    arguments = ("evaluate", data, "--model", model, "--limit", limit, "--max-tokens", 3, "--resamples", 200)
    for processes in (1, 2):
        done = launched(script, processes, *arguments, "--out", tmp_path / f"of-{processes}")
        assert done.returncode == 0, done.stderr[-3000:]
        assert done.stdout.count("signature ") == 1
        wrote = {path.name: path.stat().st_size for path in tmp_path.glob("wrote-*")}
        if processes == 1:
            assert wrote == {"wrote-0": limit}
            (tmp_path / "wrote-0").unlink()
        else:
            assert set(wrote) == {"wrote-0", "wrote-1"}
            assert sum(wrote.values()) == limit
    for name in ("answers.jsonl", "figures.json", "figures.csv"):
        assert (tmp_path / "of-1" / name).read_bytes() == (tmp_path / "of-2" / name).read_bytes()
