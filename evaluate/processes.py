"""The processes of `accelerate launch`, of which this is one: which, of how many, and waiting for each other."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import timedelta
from typing import Any


def is_first() -> bool:
    """Whether this process is the one that speaks."""
    return int(os.environ.get("RANK", "0")) == 0


@dataclass(frozen=True)
class Processes:
    """`index` of `count`; one process where nothing was launched."""

    index: int = 0
    count: int = 1
    state: Any = None

    @classmethod
    def here(cls) -> Processes:
        """As the launcher's environment says. Only where there are several is accelerate imported."""
        if int(os.environ.get("WORLD_SIZE", "1")) < 2:
            return cls()
        from accelerate import PartialState
        from accelerate.utils import is_cuda_available

        # a share may take hours longer than another
        state = PartialState(cpu=not is_cuda_available(), timeout=timedelta(days=7))
        return cls(state.process_index, state.num_processes, state)

    @property
    def is_first(self) -> bool:
        return self.index == 0

    def wait(self) -> None:
        """Until all processes are here."""
        if self.state is not None:
            self.state.wait_for_everyone()

    def close(self) -> None:
        if self.state is not None:
            self.state.destroy_process_group()
