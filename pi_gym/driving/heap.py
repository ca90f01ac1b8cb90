"""The garbage collector in runs of many sessions."""

from __future__ import annotations

import gc
from types import TracebackType
from typing import Self


class SettledHeap:
    """Spares the garbage collector what stays for the whole of a run: modules, packs, what sessions share.

    It would go over all that each time that it looks at everything, and all sessions of the process wait meanwhile.
    What is made afterwards is collected as ever. Where the program has done the same itself, nothing is changed.
    """

    def __init__(self) -> None:
        self._is_settled = self._is_ours = False

    def settle(self) -> None:
        """Freeze what is there now, so that it stays until the end; a second call does nothing."""
        if self._is_settled:
            return
        self._is_settled = True
        if not gc.get_freeze_count():  # which counts them one by one
            self._is_ours = True
            gc.freeze()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_ours:
            gc.unfreeze()
