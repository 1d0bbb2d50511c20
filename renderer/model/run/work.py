"""The work of a run, counted in one place: work that a few lines of a repository can multiply costs steps.

A step takes about half a microsecond. A run may take ``limits().work`` steps, and more for each byte of the
files that it reads, most of all for bytes beyond the first ``SMALL``: a fleet of thousands of overlays gets
as many as it needs, while a pull request of a few kilobytes cannot keep a machine busy for minutes. The
account is in a context variable, like the limits. The processes of one run exchange their counts
(``SharedWork``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableSequence, Sequence
from contextlib import AbstractContextManager
from contextvars import ContextVar
from itertools import islice
from math import ceil, log10
from typing import NamedTuple, Protocol, TypeVar

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic
from renderer.model.plural import plural
from renderer.model.run.limits import limit_hint, limits

#: Steps that each byte of a file adds to the allowed number.
STEPS_PER_BYTE = 20
#: The bytes of a small repository, and the additional steps for each byte beyond them. The parts that a large
#: repository multiplies, such as a base that thousands of overlays share, are a small part of it.
SMALL, STEPS_PER_BYTE_BEYOND = 500_000, 180

#: The CPU time that a step or a byte may take, in seconds: several times what they take on a slow machine.
_SECONDS_PER_STEP, _SECONDS_PER_BYTE = 3e-6, 5e-6
#: The CPU time that all steps together may take, for each step of the limit and each that files add to it.
#: Steps are counted before the work, for the most that it can be, and some of it takes no time.
_SECONDS_PER_STEP_OF_LIMIT, _SECONDS_PER_STEP_OF_FILES = 2e-6, 1e-6

#: The maximum steps for all comparisons of words for "did you mean" in a run. Then such hints stop.
MOST_FOR_SUGGESTIONS = 1_000_000

#: The number of steps after which a lower limit, set by a project meanwhile, takes effect.
_CHECK_EVERY = 1_000

#: To find the lines of its findings, a run may take an additional quarter of its steps.
_PART_FOR_LINES = 4

#: The limit to propose is ten times the present one, or, if the overlays that are done tell what is needed,
#: ten times that: ``diff`` takes up to nine times the steps of ``validate`` where every machine changes in a
#: way of its own.
_TIMES = 10
#: Steps for an overlay in addition to those for what it has: to find, check and write one that is almost
#: empty takes milliseconds, and a set of Applications makes one of a few bytes.
_STEPS_PER_OVERLAY = 1_000
_Item = TypeVar("_Item")
_account: ContextVar[_Account | None] = ContextVar("account", default=None)


class WorkLimitError(Exception):
    """The work limit was exceeded. The run ends there, because no later stage could work at a lower cost.

    ``activity`` is the purpose of the last steps, in the form "selecting resources".
    """

    def __init__(self, activity: str) -> None:
        super().__init__(activity)
        self.activity = activity

    @property
    def diagnostic(self) -> Diagnostic:
        """The only finding of such a run. If all overlays cost the same, the limit in its hint is enough."""
        account = _account.get()
        progress = account.progress if account else None
        after = f" after {progress.done} of {progress.of} overlays," if progress and progress.done else ""
        needed = account.needed() if account else 0
        return Diagnostic(
            Code.BUILD_LIMIT,
            f"work limit exceeded ({allowed()} steps){after} while {self.activity}",
            hint=limit_hint("work", needed or limits().work * _TIMES),
        )


class CpuLimitError(WorkLimitError):
    """A process took far more CPU time than its steps explain."""

    def __init__(self, seconds: int) -> None:
        super().__init__("")
        self.args = (seconds,)
        self.seconds = seconds

    @property
    def diagnostic(self) -> Diagnostic:
        """The only finding of such a run."""
        return Diagnostic(
            Code.BUILD_LIMIT,
            f"CPU time limit exceeded ({plural(self.seconds, 'second')} for {plural(spent(), 'step')})",
            hint=limit_hint("cpu", max(limits().cpu, self.seconds) * _TIMES),
        )


class _Number(Protocol):
    """A number that several processes read and write."""

    value: int

    def get_lock(self) -> AbstractContextManager[object]: ...


class SharedWork:
    """The account of all processes of a run: steps taken, bytes read, and a mark for each file that was read.

    The numbers and the marks are in memory that the processes share (``multiprocessing``).
    """

    #: Files whose names have the same mark count once: a run may then take fewer steps, never more.
    MARKS = 1 << 20
    #: Steps after which a process reports to the others.
    EVERY = 50_000

    def __init__(self, spent: _Number, size: _Number, marks: MutableSequence[int]) -> None:
        self._spent, self._size, self._marks = spent, size, marks
        account = _account.get()
        if account is not None:
            spent.value, size.value = account.spent, account.size
            for path in account.read:
                self._mark(path)

    def add(self, steps: int) -> tuple[int, int]:
        """Add steps of this process. Return the steps and the bytes of all processes."""
        with self._spent.get_lock():
            self._spent.value += steps
            return self._spent.value, self._size.value

    def read(self, path: str, size: int) -> None:
        """Count a file that this process read, unless another one has counted it."""
        with self._size.get_lock():
            if self._mark(path):
                self._size.value += size

    def _mark(self, path: str) -> bool:
        """Mark a file; return False if it was marked before."""
        from zlib import crc32  # noqa: PLC0415 - for workers alone

        place = crc32(path.encode(errors="surrogateescape")) % self.MARKS
        if self._marks[place]:
            return False
        self._marks[place] = 1
        return True


class _Progress(NamedTuple):
    """The overlays that are done, and the steps until now: ``first`` at the end of the first overlay."""

    done: int
    of: int
    first: int
    now: int


class _Account:
    """The steps taken so far; ``others`` are the steps of other processes.

    ``read`` has the size in bytes of each file that was read, and ``size`` their sum. ``shared`` is the
    account of all processes of the run; ``reported`` steps have been added to it, and the next report is at
    ``next_report``. The steps are compared with the limit at ``next_check``.
    """

    def __init__(self, *, belongs_to_run: bool, shared: SharedWork | None = None) -> None:
        self.belongs_to_run = belongs_to_run
        self.shared = shared
        self.spent = self.others = self.reported = self.size = self.suggestions = self.lines = 0
        self.next_report: float = float("inf") if shared is None else 0
        self.next_check: float = 0
        self.read: dict[str, int] = {}
        self.progress: _Progress | None = None

    def needed(self) -> int:
        """Return the limit with which all overlays can be processed, rounded up; 0 if it cannot be estimated.

        The first overlay also pays for what all share.
        """
        if self.progress is None or not self.progress.done:
            return 0
        done, total, first, now = self.progress
        each = (now - first) / (done - 1) if done > 1 else now
        needed = (now + each * (total - done) - self.earned) * _TIMES
        unit: int = 10 ** max(0, int(log10(max(1.0, needed))) - 1)
        return max(ceil(needed / unit) * unit, 2 * limits().work)

    @property
    def earned(self) -> int:
        """The steps that the files add to the limit."""
        return self.size * STEPS_PER_BYTE + max(0, self.size - SMALL) * STEPS_PER_BYTE_BEYOND

    def report(self) -> None:
        """Report the work of this process to the other processes of the run, and add theirs."""
        if self.shared is None:
            return
        of_all, self.size = self.shared.add(self.spent - self.reported)
        self.others += of_all - self.spent
        self.spent = self.reported = of_all
        self.next_report = of_all + SharedWork.EVERY

    def check(self, activity: str) -> None:
        """Report to the other processes if it is time to, and check the limit.

        Raises ``WorkLimitError``.
        """
        if self.spent > self.next_report:
            self.report()
        allowed_at_least = limits().work + self.size * STEPS_PER_BYTE
        if self.spent > allowed_at_least and self.spent > allowed():
            raise WorkLimitError(activity)
        self.next_check = min(self.next_report, allowed_at_least, self.spent + _CHECK_EVERY)


def begin_run() -> None:
    """Count from zero, for all work in this context."""
    _account.set(_Account(belongs_to_run=True))


def join_run(shared: SharedWork) -> None:
    """Continue, in this process, the count of all processes of a run."""
    account = _Account(belongs_to_run=True, shared=shared)
    account.report()
    _account.set(account)


def begin_outside_run() -> None:
    """Count from zero if nobody called ``begin_run``, as in a program that uses a stage by itself."""
    account = _account.get()
    if account is None or not account.belongs_to_run:
        _account.set(_Account(belongs_to_run=False))


def allowed() -> int:
    """Return the number of steps allowed for the files read so far."""
    account = _account.get()
    return limits().work + (account.earned if account else 0)


def spent() -> int:
    """Return the number of steps taken so far."""
    account = _account.get()
    return account.spent if account else 0


def allowed_seconds() -> float:
    """Return the seconds of CPU time that this process may have taken by now."""
    account = _account.get()
    steps, size, earned = (account.spent, account.size, account.earned) if account else (0, 0, 0)
    most = limits().work * _SECONDS_PER_STEP_OF_LIMIT + earned * _SECONDS_PER_STEP_OF_FILES
    return limits().cpu + min(steps * _SECONDS_PER_STEP, most) + size * _SECONDS_PER_BYTE


def spend(steps: int, activity: str) -> None:
    """Count steps, before the work if there are many. Raises ``WorkLimitError``."""
    account = _account.get()
    if account is None:
        return
    account.spent += steps
    if account.spent > account.next_check:
        account.check(activity)


def in_turn(overlays: Sequence[_Item]) -> Iterator[_Item]:
    """Yield the overlays, and count each; note how far the run is, so that an error can say what all need."""
    account = _account.get()
    if account is None:
        yield from overlays
        return
    first = 0
    for done, overlay in enumerate(overlays):
        first = account.spent if done == 1 else first
        account.progress = _Progress(done, len(overlays), first, account.spent)
        spend(_STEPS_PER_OVERLAY, "going through overlays")
        yield overlay
    account.progress = None


def note_read(path: str, size: int) -> None:
    """Count a file that was read; each counts once, however often it is read."""
    account = _account.get()
    if account is None or path in account.read:
        return
    account.read[path] = size
    if account.shared is None:
        account.size += size
    else:
        account.shared.read(path, size)
        account.report()


def may_suggest(steps: int) -> bool:
    """Count the comparison of two words; return False if all such comparisons have used up their steps."""
    account = _account.get()
    if account is None:
        return True
    account.suggestions += steps
    return account.suggestions <= MOST_FOR_SUGGESTIONS


def may_find_lines(steps: int) -> bool:
    """Count the search for the line of a finding; return False if such searches have used up their steps."""
    account = _account.get()
    if account is None:
        return True
    account.lines += steps
    return account.lines <= allowed() // _PART_FOR_LINES


def begin_findings() -> None:
    """Count the steps of suggestions and of lines from zero, for another report of the same run.

    A command that judges a project several times would have no lines and no hints in the later ones.
    """
    account = _account.get()
    if account is not None:
        account.suggestions = account.lines = 0


def count_lines(activity: str) -> None:
    """Count the search for lines since ``begin_findings`` as work, and begin again.

    For a command that needs the lines, and must not stop at a part of them. Raises ``WorkLimitError``.
    """
    account = _account.get()
    steps = 0 if account is None else account.lines
    begin_findings()
    spend(steps, activity)


class WorkDone:
    """A position in the account, to report the work of another process to the one that began the run."""

    def __init__(self) -> None:
        account = _account.get()
        own = account.spent - account.others if account else 0
        self._own, self._read = own, len(account.read) if account else 0

    def since(self) -> tuple[int, Mapping[str, int]]:
        """Return the steps taken and the files read since this object was created."""
        account = _account.get()
        if account is None:
            return 0, {}
        account.report()
        return account.spent - account.others - self._own, dict(
            islice(account.read.items(), self._read, None)
        )


def add(steps: int, read: Mapping[str, int] | Iterable[tuple[str, int]]) -> None:
    """Count the work of another process. Raises ``WorkLimitError``."""
    for path, size in dict(read).items():
        note_read(path, size)
    spend(steps, "rendering overlays")
