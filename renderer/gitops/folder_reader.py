"""Read what engine objects share of a folder once: thousands of Applications may be built from one folder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from renderer.files.file_system import FileSystem
from renderer.files.recorder import Recorder, Task
from renderer.model.diagnostic import DiagnosticError

T = TypeVar("T")


class FolderReader:
    """Reads folders of ``fs``, each in each way once; every task that asks depends on the same files."""

    def __init__(self, fs: FileSystem, recorder: Recorder | None = None) -> None:
        self.fs = fs
        self._recorder = recorder or Recorder()
        self._known: dict[tuple[Callable[..., Any], str], Any] = {}

    def once(self, read: Callable[[FileSystem, str], T], folder: str) -> T:
        """Return what ``read`` returns for the folder, the same object each time.

        Raises ``DiagnosticError`` as ``read`` did.
        """
        key = read, folder
        with self._recorder.using(Task(read.__name__, folder)):
            if key not in self._known:
                try:
                    self._known[key] = read(self.fs, folder)
                except DiagnosticError as error:
                    self._known[key] = error
        found: T | DiagnosticError = self._known[key]
        if isinstance(found, DiagnosticError):
            raise DiagnosticError(*found.diagnostics)
        return found
