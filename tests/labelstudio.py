"""The fixture `label_studio`: a real server, prepared once, started once a session, stopped at its end.

A test module takes it by `pytest_plugins = ["labelstudio"]`.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import prepare_labelstudio
import pytest
from label_studio_server import LabelStudio, running


@pytest.fixture(scope="session")
def label_studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabelStudio]:
    folder = prepare_labelstudio.usual_folder()
    try:
        prepare_labelstudio.prepare(folder)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"no Label Studio {prepare_labelstudio.VERSION} could be prepared in {folder}: {error}")
    with running(folder, tmp_path_factory.mktemp("label-studio")) as server:
        yield server
