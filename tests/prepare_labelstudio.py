"""Makes a folder from which the tests start a real Label Studio: `python tests/prepare_labelstudio.py FOLDER`.

An environment of its own (about 1 GB) and a database that is ready. What is there already is left alone, so it
costs minutes once and nothing after that. Tests find the folder by CONTRAPAR_LABELSTUDIO.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
import venv
from pathlib import Path

VERSION = "1.23.2"
EMAIL = "owner@example.org"


def usual_folder() -> Path:
    """Where the tests look: CONTRAPAR_LABELSTUDIO, or a folder in the user's cache."""
    given = os.environ.get("CONTRAPAR_LABELSTUDIO")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(given) if given else cache / "contrapar" / f"label-studio-{VERSION}"


def program(folder: Path) -> Path:
    return folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "label-studio"


def arguments(token: str, password: str) -> list[str]:
    """What `init` and `start` are both told."""
    return [
        *("--no-browser", "--internal-host", "127.0.0.1", "--enable-legacy-api-token"),
        *("--username", EMAIL, "--password", password, "--user-token", token),
    ]


def environment(data: Path) -> dict[str, str]:
    """Nothing of the server's is written elsewhere than in `data`, and nothing is asked of the network."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith(("LABEL_STUDIO", "DJANGO"))}
    return ours | {
        "HOME": str(data),
        "LABEL_STUDIO_BASE_DATA_DIR": str(data),
        "XDG_CONFIG_HOME": str(data / "config"),
        "LABEL_STUDIO_COLLECT_ANALYTICS": "false",
        "LABEL_STUDIO_LATEST_VERSION_CHECK": "false",
        "LABEL_STUDIO_SENTRY_DSN": "",
        "LABEL_STUDIO_FRONTEND_SENTRY_DSN": "",
        "LABEL_STUDIO_LOG_LEVEL": "ERROR",
    }


def prepare(folder: Path) -> None:
    """Raises OSError or subprocess.CalledProcessError where it cannot be had."""
    folder.mkdir(parents=True, exist_ok=True)
    # each step leaves its mark when it is done: what has none was interrupted
    if not (folder / "installed").exists():
        unfinished = folder / "venv"
        shutil.rmtree(unfinished, ignore_errors=True)
        venv.create(unfinished, with_pip=True)
        python = unfinished / ("Scripts" if os.name == "nt" else "bin") / "python"
        subprocess.run([python, "-m", "pip", "install", "-q", f"label-studio=={VERSION}"], check=True, timeout=1800)
        (folder / "installed").write_text(VERSION)
    if not (folder / "token").exists():
        token, password = secrets.token_hex(20), secrets.token_hex(16)
        shutil.rmtree(folder / "data", ignore_errors=True)
        data = folder / "data"
        (data / "config").mkdir(parents=True)
        subprocess.run(
            [program(folder), "init", "neighbour", *arguments(token, password)],
            env=environment(data),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
            timeout=900,
        )
        (folder / "password").write_text(password)
        (folder / "token").write_text(token)


if __name__ == "__main__":
    where = Path(sys.argv[1]) if len(sys.argv) > 1 else usual_folder()
    prepare(where)
    print(f"export CONTRAPAR_LABELSTUDIO={where}")
