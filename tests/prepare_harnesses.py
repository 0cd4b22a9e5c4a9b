"""Makes the environment from which the tests run lm-evaluation-harness and Inspect.

`python tests/prepare_harnesses.py FOLDER`: with the packages of the environment that this Python is of, so that
torch is not installed twice. What is there already is left alone. Tests find it by CONTRAPAR_HARNESSES.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

PACKAGES = ("lm-eval==0.4.13", "inspect-ai==0.3.285")


def program(folder: Path, name: str) -> Path:
    return folder / ("Scripts" if os.name == "nt" else "bin") / name


def prepare(folder: Path) -> None:
    """Raises OSError or subprocess.CalledProcessError where it cannot be had."""
    if (folder / "installed").exists():
        return
    venv.create(folder, with_pip=True, clear=True)
    python = str(program(folder, "python"))
    site = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    (Path(site) / "base.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True)
    (folder / "installed").touch()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("use: python tests/prepare_harnesses.py FOLDER")
    prepare(Path(sys.argv[1]))
