"""A program that changes a rendered tree again and again, and is killed at a later step each time.

``python kill_at_every_step.py FOLDER exchange|replay`` prints the number of steps, for a first tree and for a
changed one, each of which is written at the same time as a second one. It forks, so it must have no threads,
and pytest-xdist has. A step is any action that raises an audit event and can change something: opening to
write, linking, renaming, removing … A kill at an action that only reads leaves the same state as a kill at
the next step. Fails with a traceback.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path
from unittest import mock

from renderer.emit.write import TreeChange, Written, write_trees
from tests.unit.emit.rendered_repository import FOREIGN, NEW, OLD, OUTPUT, Repository, content_of

OTHER = "rendered/test"
LATER = {"a/vm_a.yaml": "a: 3\n", "e/vm_e.yaml": "e: 1\n"}


def main(folder: Path, way: str) -> None:
    if way == "replay":  # as on systems that cannot exchange folders
        mock.patch("renderer.emit.write.exchange", return_value=False).start()
    folder.mkdir()
    (folder / "empty").mkdir()
    empty, old = Repository(folder / "empty"), Repository.with_old_tree(folder / "old")
    [*write_trees(old.root, [TreeChange(OTHER, OLD)])]
    for start, before, foreign in ((empty, {}, {}), (old, OLD, FOREIGN)):
        steps = 0
        while was_killed(start.copied_to(folder / "repository"), way, before, foreign, steps):
            shutil.rmtree(folder / "repository")
            steps += 1
        shutil.rmtree(folder / "repository")
        print(steps)


def was_killed(
    repository: Repository, way: str, before: dict[str, str], foreign: dict[str, str], step: int
) -> bool:
    """Return True if there was a step of that number; check the state after a kill at it."""
    child = os.fork()
    if not child:
        write_and_die(repository, step)
    _, status = os.waitpid(child, 0)
    for tree, files in ((OUTPUT, foreign), (OTHER, {})):
        present = content_of(repository.root / tree)
        present.pop(".vmrender-owned", None)
        if way == "exchange":
            assert present in ({**before, **files}, {**NEW, **files}), f"killed at step {step}: {present}"
        assert files.items() <= present.items()
    # The next run has other input already: it must clear up the remains first.
    written = write_trees(repository.root, [TreeChange(OTHER, LATER), TreeChange(OUTPUT, LATER)])
    assert [isinstance(each, Written) and each.rescued for each in written] == [(), ()]
    assert repository.content() == {**LATER, **foreign}, f"killed at step {step}"
    assert content_of(repository.root / OTHER).items() >= LATER.items(), f"killed at step {step}"
    assert repository.top_level() == ["rendered"], f"killed at step {step}"
    return os.WIFSIGNALED(status)


def changes(event: str, arguments: tuple[object, ...]) -> bool:
    """Return True if the audited action may change something on the disk."""
    if event == "open":
        flags = arguments[2]
        return not isinstance(flags, int) or flags & os.O_ACCMODE != os.O_RDONLY
    reads = ("os.kill", "os.listdir", "os.scandir", "os.walk")
    return event.startswith(("os.", "shutil.", "fcntl.", "ctypes.")) and event not in reads


def write_and_die(repository: Repository, last_step: int) -> None:
    step = 0

    def count(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal step
        if changes(event, arguments):
            step += 1
            if step > last_step:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    [*write_trees(repository.root, [TreeChange(OUTPUT, NEW), TreeChange(OTHER, NEW)])]
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
