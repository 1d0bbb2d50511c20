"""The objects that deploy a project in a subfolder of its repository, most of which are outside of it.

Flux and Argo CD name a folder by its path from the top of the repository. The two sides are read once more
from there, with the overlays under the paths that they have there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from renderer.app.comparison.changed_files import changed_files
from renderer.app.comparison.deployer_changes import DeployerChanges
from renderer.app.comparison.rendered_sides import RenderedSide
from renderer.app.comparison.revisions import clone_files
from renderer.app.comparison.side import Side
from renderer.app.project import Project, project_files
from renderer.files.file_system import EditedFiles
from renderer.files.git_repository import GitRepository
from renderer.model.difference import OverlayDifference
from renderer.model.render_config import PROJECT_FILE, Overlay
from renderer.model.vmrender_api import RENDER_CONFIG, VMRENDER_API_VERSION


@contextmanager
def deployers_above(
    project: Project, git: GitRepository, before: Side, after: Side
) -> Iterator[DeployersAbove | None]:
    """Yield the deployers in the whole repository; None for a project at its top.

    Raises ``DiagnosticError``: git-unavailable, git-revision.
    """
    if not git.prefix or git.top is None:
        yield None
        return
    with GitRepository(git.top, project.environment) as whole:
        files = project_files(git.top, project.environment)
        sides: list[Side] = []
        for side in (before, after):
            tree = whole.tree(side.revision) if side.revision else None
            settings = json.dumps(
                {
                    "apiVersion": VMRENDER_API_VERSION,
                    "kind": RENDER_CONFIG,
                    "kubevirt": side.config.kubevirt.as_target,
                    "repositories": [*side.config.repositories],
                }
            )
            known = {**clone_files(files), PROJECT_FILE: settings.encode()}
            fs = EditedFiles(known, tree or files)
            listed = None if tree else whole.work_tree_files()
            top = Side(side.name, fs, side.revision, tree=tree, listed=listed, may_be_empty=True)
            sides.append(top.without_source(git.prefix + PROJECT_FILE))
        yield DeployersAbove(git.prefix, before, after, *sides)


class DeployersAbove:
    """The changes of what deploys the overlays of a project at the path ``prefix`` of its repository.

    ``before`` and ``after`` are the sides of the project, ``top_before`` and ``top_after`` the same two of
    the whole repository.
    """

    def __init__(self, prefix: str, before: Side, after: Side, top_before: Side, top_after: Side) -> None:
        self._prefix = prefix
        self._paths: set[str] = set()
        for side, top in ((before, top_before), (after, top_after)):
            folders = (each for each in side.overlays.values() if each.entry is None)
            top.add_unlisted({prefix + each.path: self._moved(each) for each in folders})
        changed = changed_files(top_before, top_after)
        self._changes = DeployerChanges(top_before, top_after, changed, (), ())

    def _moved(self, overlay: Overlay) -> Overlay:
        return overlay._replace(path=self._prefix + overlay.path, output=self._prefix + overlay.output)

    def add(self, overlay: Overlay, before: RenderedSide | None, after: RenderedSide | None) -> None:
        """Add a compared overlay; what deploys an entry is in the project."""
        if overlay.entry is None:
            self._changes.add(self._moved(overlay), before, after)
            self._paths.add(overlay.path)

    def added_to(self, overlays: Iterable[OverlayDifference]) -> list[OverlayDifference]:
        """Return the overlays, with the changes of what deploys them."""
        every = [*overlays]
        moved = [each._replace(path=self._prefix + each.path) for each in every if each.path in self._paths]
        found = {each.path.removeprefix(self._prefix): each for each in self._changes.added_to(moved, None)}
        return [found[each.path]._replace(path=each.path) if each.path in found else each for each in every]
