"""One change of the sources, runs killed while they render it, and the required state afterwards."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

from renderer.emit.swap import Repair
from tests.crash.project import OVERLAYS, Project
from tests.crash.running import is_running, kill, started, wait

_OLD_OR_NEW = ("as before", "as after")
_PAUSE = 0.0005  # seconds
#: Reading the trees takes time, in which the moment could pass.
_LOOKS_AT_TREES = 8


class Killing:
    """Changes ``project`` to and fro. ``replaces``: as on systems that cannot exchange folders."""

    def __init__(self, project: Project, random: Random, *, replaces: bool) -> None:
        self._project = project
        self._random = random
        self._replaces = replaces
        self._staging = project.root / ".vmrender"
        self._log = project.root.parent / "standard-error"
        self._state = 0
        self._seconds = 0.1  # the duration of a run: better known after each

    def once(self, seen: Counter[str]) -> list[str]:
        """Count the outcomes in ``seen``; return the faults."""
        self._state = 1 - self._state
        self._project.change_to(self._state)
        faults: list[str] = []
        runs = [self._start(), self._start()]
        self._wait_for_the_moment(runs[0], faults)
        killed = kill(runs[0])
        seen["kills" if killed else "runs that ended before they were killed"] += 1
        if self._random.random() < 0.5:  # the other continues
            if wait(runs[1]):
                faults.append(f"the run at the same time failed: {self._log_text()}")
            seen["runs at the same time that went on and did the whole change"] += 1
            faults += self._stale()
            if self._staging.exists():  # the killed run had reached a tree after the other had finished it
                faults += self._next_run(seen)
        else:
            seen["kills" if kill(runs[1]) else "runs that ended before they were killed"] += 1
            faults += self._judged(seen)
            faults += self._next_run(seen)
        self._log.unlink()
        return faults

    def _start(self) -> int:
        return started(self._project.root, self._log, replaces=self._replaces)

    def _wait_for_the_moment(self, run: int, faults: list[str]) -> None:
        """Kill anywhere in the run, or soon after a step; meanwhile every look sees a complete tree."""
        if self._random.random() < 0.2:
            self._look_on(run, self._random.uniform(0, self._seconds), lambda: False, faults)
            return
        overlay = self._random.choice(OVERLAYS)
        step = self._random.choice(("lock", "building", "swapping", "exchanged"))
        before = _identity(self._project.root / "rendered" / overlay)

        def is_reached() -> bool:
            if step == "exchanged":
                return _identity(self._project.root / "rendered" / overlay) != before
            if step == "lock":
                return (self._staging / step).exists()
            return step in self._project.left_in_staging(overlay)

        self._look_on(run, 60, is_reached, faults)
        self._look_on(run, self._random.uniform(0, 0.01), lambda: False, faults)

    def _look_on(self, run: int, seconds: float, is_reached: Callable[[], bool], faults: list[str]) -> None:
        end, looks = time.monotonic() + seconds, 0
        while not is_reached() and is_running(run) and time.monotonic() < end:
            looks += 1
            time.sleep(_PAUSE)
            if not looks % _LOOKS_AT_TREES and not self._replaces:
                faults += self._mixed()

    def _mixed(self) -> list[str]:
        """Yield trees that are neither the old nor the new one, although they did not change while read."""
        found = []
        for overlay in OVERLAYS:
            folder = self._project.root / "rendered" / overlay
            before = _identity(folder)
            try:
                state = self._project.state_of(overlay)
            except OSError:  # it was exchanged while it was read
                continue
            if state is None and _identity(folder) == before:
                found.append(f"{overlay} was neither the old nor the new tree while it was rendered")
        return found

    def _judged(self, seen: Counter[str]) -> list[str]:
        faults = []
        for overlay in OVERLAYS:
            state, left = self._project.state_of(overlay), self._project.left_in_staging(overlay)
            seen[f"trees {_stage(left, is_new=state == self._state)}"] += 1
            if state is None and not ("replaying" in left and self._replaces):
                faults.append(f"{overlay} is neither the old nor the new tree; in staging: {sorted(left)}")
            elif state is not None:
                seen[f"trees {_OLD_OR_NEW[state == self._state]} the change"] += 1
        return faults

    def _next_run(self, seen: Counter[str]) -> list[str]:
        expected = {overlay: self._repair(overlay) for overlay in OVERLAYS}
        self._log.write_text("")
        start = time.monotonic()
        if wait(self._start()):
            return [f"the next run failed: {self._log_text()}"]
        self._seconds = time.monotonic() - start
        log = self._log_text()
        faults = self._stale()
        if self._staging.exists():
            faults.append("the next run left something in staging")
        for overlay, repair in expected.items():
            for each in Repair:
                is_reported = f"rendered/{overlay}: {each.value}" in log
                seen[f"repairs said: {each.value}"] += is_reported
                if is_reported != (each is repair):
                    faults.append(f"{overlay}: expected {repair} to be said, and read: {log}")
        return faults

    def _repair(self, overlay: str) -> Repair | None:
        left = self._project.left_in_staging(overlay)
        if "replaying" in left:
            return Repair.COMPLETED
        return Repair.CLEARED if left else None

    def _stale(self) -> list[str]:
        return [
            f"{overlay} is not as it should be after the run"
            for overlay in OVERLAYS
            if self._project.state_of(overlay) != self._state
        ]

    def _log_text(self) -> str:
        return self._log.read_text(encoding="utf-8")


def _stage(left: frozenset[str], *, is_new: bool) -> str:
    if "replaying" in left:
        return "whose files were being replaced"
    if is_new:
        return "exchanged, their old one not yet gone" if left & {"swapping", "building"} else "finished"
    if "swapping" in left:
        return "built, not yet exchanged"
    return "being built" if "building" in left else "not begun"


def _identity(folder: Path) -> int:
    return folder.lstat().st_ino
