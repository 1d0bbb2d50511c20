"""A program that changes a rendered tree again and again, and is killed at a later step each time.

``python kill_at_every_step.py FOLDER exchange|replay`` prints how many steps there were, for a first tree and
for a changed one, each of which is written at the same time as a second one. It forks, so it must have no
threads, and pytest-xdist has. A step is whatever raises an audit event: opening, linking, renaming,
removing … Fails with a traceback.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path
from unittest import mock

from renderer.emit.write import TreeChange, Written, write_trees
from tests.unit.emit.rendered_repository import OUTPUT, Repository, content_of

OTHER = "rendered/test"
OLD = {"a/vm_a.yaml": "a: 1\n", "a/vm_b.yaml": "b: 1\n", "c/vm_c.yaml": "c: 1\n"}
NEW = {"a/vm_a.yaml": "a: 2\n", "a/vm_b.yaml": "b: 1\n", "d/vm_d.yaml": "d: 1\n"}
LATER = {"a/vm_a.yaml": "a: 3\n", "e/vm_e.yaml": "e: 1\n"}
FOREIGN = {"README.md": "mine", "c/notes.txt": "mine"}


def main(folder: Path, way: str) -> None:
    if way == "replay":  # as on systems that cannot exchange folders
        mock.patch("renderer.emit.write.exchange", return_value=False).start()
    for before in ({}, OLD):
        steps = 0
        while was_killed(folder, way, before, steps):
            steps += 1
        print(steps)


def was_killed(folder: Path, way: str, before: dict[str, str], step: int) -> bool:
    """Whether there was a step of that number; asserts what has to be true after a kill at it."""
    repository = fresh(folder, before)
    foreign = FOREIGN if before else {}
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
    # The next run wants something else already: what was left has to be cleared up first.
    written = write_trees(repository.root, [TreeChange(OTHER, LATER), TreeChange(OUTPUT, LATER)])
    assert [isinstance(each, Written) and each.rescued for each in written] == [(), ()]
    assert repository.content() == {**LATER, **foreign}, f"killed at step {step}"
    assert content_of(repository.root / OTHER).items() >= LATER.items(), f"killed at step {step}"
    assert repository.top_level() == ["rendered"], f"killed at step {step}"
    return os.WIFSIGNALED(status)


def fresh(folder: Path, files: dict[str, str]) -> Repository:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    repository = Repository(folder)
    if files:
        [*write_trees(folder, [TreeChange(OUTPUT, files), TreeChange(OTHER, files)])]
        for path, text in FOREIGN.items():
            repository.put(path, text)
    return repository


def write_and_die(repository: Repository, last_step: int) -> None:
    step = 0

    def count(event: str, _: object) -> None:
        nonlocal step
        if event.startswith(("open", "os.", "shutil.", "fcntl.", "ctypes.")) and event != "os.kill":
            step += 1
            if step > last_step:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(count)
    [*write_trees(repository.root, [TreeChange(OUTPUT, NEW), TreeChange(OTHER, NEW)])]
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
