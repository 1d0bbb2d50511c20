"""The work of a run, counted in one place: what a few lines of a repository can multiply costs steps here.

A step takes about half a microsecond. A run may take ``limits().work`` of them, and more for each byte of the
files that it reads: a fleet of thousands of overlays has as much as it needs, a pull request of a few
kilobytes cannot keep a machine busy for minutes. The account stands in a context variable, as limits do.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from itertools import islice

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.limits import limit_hint, limits

#: Steps that each byte of a file adds to those that a run may take.
STEPS_PER_BYTE = 40

#: Steps that all comparisons of words for "did you mean" may take in a run. There are no such hints beyond.
MOST_FOR_SUGGESTIONS = 1_000_000

#: To find the lines of its findings, a run may take a quarter of its steps once more.
_PART_FOR_LINES = 4


class WorkLimitError(Exception):
    """A run takes too many steps. It ends there, since no stage after this one could work at less cost.

    ``activity`` tells what the last of them were for, in the form "selecting resources".
    """

    def __init__(self, activity: str) -> None:
        super().__init__(activity)
        self.activity = activity

    @property
    def diagnostic(self) -> Diagnostic:
        """The one finding of such a run."""
        return Diagnostic(
            code=Code.BUILD_LIMIT,
            message=f"this run takes more than {allowed()} steps of work, the last for {self.activity}",
            hint=limit_hint("work"),
        )


class _Account:
    """Steps taken so far; ``read`` has the size in bytes of each file that was read."""

    __slots__ = ("belongs_to_run", "earned", "lines", "read", "spent", "suggestions")

    def __init__(self, *, belongs_to_run: bool) -> None:
        self.belongs_to_run = belongs_to_run
        self.spent = self.earned = self.suggestions = self.lines = 0
        self.read: dict[str, int] = {}


_account: ContextVar[_Account | None] = ContextVar("account", default=None)


def begin_run() -> None:
    """Count from zero, for everything that is done in this context."""
    _account.set(_Account(belongs_to_run=True))


def begin_outside_run() -> None:
    """Count from zero where nobody called ``begin_run``, as in a program that uses a stage by itself."""
    account = _account.get()
    if account is None or not account.belongs_to_run:
        _account.set(_Account(belongs_to_run=False))


def allowed() -> int:
    """Return the steps that the run may take, with what it has read so far."""
    account = _account.get()
    return limits().work + (account.earned if account else 0)


def spent() -> int:
    """Return the steps that were taken so far."""
    account = _account.get()
    return account.spent if account else 0


def spend(steps: int, activity: str) -> None:
    """Count steps, before the work is done where they are many. Raises ``WorkLimitError``."""
    account = _account.get()
    if account is None:
        return
    account.spent += steps
    if account.spent > limits().work + account.earned:
        raise WorkLimitError(activity)


def note_read(path: str, size: int) -> None:
    """Count a file that was read; each counts once, however often it is read."""
    account = _account.get()
    if account is not None and path not in account.read:
        account.read[path] = size
        account.earned += size * STEPS_PER_BYTE


def may_suggest(steps: int) -> bool:
    """Count the comparison of two words; False if all such comparisons have taken enough."""
    account = _account.get()
    if account is None:
        return True
    account.suggestions += steps
    return account.suggestions <= MOST_FOR_SUGGESTIONS


def may_find_lines(steps: int) -> bool:
    """Count the search for the line of a finding; False if such searches have taken enough."""
    account = _account.get()
    if account is None:
        return True
    account.lines += steps
    return account.lines <= allowed() // _PART_FOR_LINES


class WorkDone:
    """A place in the account, to tell the work of another process to the one that began the run."""

    def __init__(self) -> None:
        account = _account.get()
        self._spent, self._read = (account.spent, len(account.read)) if account else (0, 0)

    def since(self) -> tuple[int, Mapping[str, int]]:
        """Return the steps taken and the files read since this was made."""
        account = _account.get()
        if account is None:
            return 0, {}
        return account.spent - self._spent, dict(islice(account.read.items(), self._read, None))


def add(steps: int, read: Mapping[str, int] | Iterable[tuple[str, int]]) -> None:
    """Count the work of another process. Raises ``WorkLimitError``."""
    for path, size in dict(read).items():
        note_read(path, size)
    spend(steps, "rendering overlays")
