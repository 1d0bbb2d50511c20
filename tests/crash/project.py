"""A repository whose sources have two states, and the rendered tree of each."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from tests.crash.running import render_here
from tests.unit.emit.rendered_repository import content_of

OVERLAYS = ("prod", "test")
_PROJECT = """\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig
overlays:
- path: prod
- path: test
"""
_KUSTOMIZATION = """\
namePrefix: {overlay}-
resources:
- ../base
"""
_OBJECT = """\
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings-{number}
data:
  state: "{value}"
"""
#: Foreign files in a rendered tree: no kill may lose one of them.
_FOREIGN = {"README.md": "mine\n", "notes/later.txt": "mine\n"}


@dataclass(frozen=True)
class Project:
    """``root`` has the repository, and ``trees`` the files of each rendered tree, by state and overlay."""

    root: Path
    trees: tuple[dict[str, dict[str, str]], ...]

    @classmethod
    def made(cls, root: Path) -> Project:
        """Return a project rendered in both states; it is left in the first."""
        _put(root, "vmrender.yaml", _PROJECT)
        for overlay in OVERLAYS:
            _put(root, f"{overlay}/kustomization.yaml", _KUSTOMIZATION.format(overlay=overlay))
            for path, text in _FOREIGN.items():
                _put(root, f"rendered/{overlay}/{path}", text)
        _put(root, "base/kustomization.yaml", "resources:\n- objects.yaml\n")
        project = cls(root, ())
        trees = []
        for state in (1, 0):
            project.change_to(state)
            render_here(root)
            trees.append({overlay: project.tree(overlay) for overlay in OVERLAYS})
        return cls(root, (trees[1], trees[0]))

    def change_to(self, state: int) -> None:
        """Half of the objects differ between the states, some are in one of them only."""
        numbers = range(5, 45) if state else range(40)
        text = "".join(_OBJECT.format(number=number, value=state * (number % 2)) for number in numbers)
        part = _put(self.root, "objects.new", text)
        part.replace(self.root / "base/objects.yaml")

    def tree(self, overlay: str) -> dict[str, str]:
        return content_of(self.root / "rendered" / overlay)

    def state_of(self, overlay: str) -> int | None:
        """Return the state that the rendered tree matches; None if it matches neither."""
        present = self.tree(overlay)
        return next((state for state, trees in enumerate(self.trees) if trees[overlay] == present), None)

    def left_in_staging(self, overlay: str) -> frozenset[str]:
        """Return the files that runs left in the staging folder of the tree; empty after a completed run."""
        staging = self.root / ".vmrender"
        name = f"{overlay}-{sha256(f'rendered/{overlay}'.encode()).hexdigest()[:8]}"
        built = {"building"} if (staging / "building" / name).exists() else set()
        with suppress(FileNotFoundError):
            return frozenset(file.name for file in (staging / name).iterdir()) | built
        return frozenset(built)


def _put(root: Path, path: str, text: str) -> Path:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file
