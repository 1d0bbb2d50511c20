"""Keep the files of a new project out of what engines apply from the top of the repository.

Flux reads every manifest below its path, and Argo CD every manifest in a directory: the project file, hooks
and the rendered trees would break their next sync.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from renderer.discovery.survey_results import RootReaders
from renderer.gitops.argocd.application import DeployedSource
from renderer.gitops.argocd.directory import DirectoryOptions, is_selected
from renderer.gitops.flux.artifact import DEFAULT_PATTERNS, SourceIgnore, read_patterns
from renderer.model.engines import FLUX_MANIFESTS, SOURCE_IGNORE
from renderer.model.entry_point import SKIP_MARK
from renderer.model.field_edit import AddField, Edit, SetField
from renderer.model.render_config import PROJECT_FILE
from renderer.yamlio.edit import EditedText, RefusedEditError, edit_fields

#: The folder of the rendered trees in a new project file.
_TREES = "rendered"
#: A kustomization that lists nothing: Flux reads no manifest below it, and can be pointed at a tree in it.
_NOTHING = """\
# The manifests below are in the trees that vmrender renders. This file keeps them out of what Flux generates
# for the whole repository; a Kustomization whose path is one of the trees applies that tree.
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
namespace: _placeholder
"""
_SKIP_LINE = f"# {SKIP_MARK}: this is not a manifest"


class EngineIgnores(NamedTuple):
    """Files to write or change, by path: the new text, and the old one, None for a new file.

    ``notes`` say what they are for, and what has to be added by hand.
    """

    changes: dict[str, tuple[str | None, str]]
    notes: tuple[str, ...] = ()


def engine_ignores(
    readers: RootReaders, planned: dict[str, str], read: Callable[[str], str | None]
) -> EngineIgnores:
    """Return the changes that stop engines from applying the ``planned`` files and the rendered trees."""
    changes: dict[str, tuple[str | None, str]] = {}
    notes: list[str] = []
    if readers.flux:
        for path, change in _for_flux(readers, planned, read):
            changes[path] = change
            notes.append(f"{path}: keeps files of vmrender out of what Flux applies for {readers.flux}")
    for source in readers.applications:
        notes += _for_application(source, changes, read)
    if readers.applications and PROJECT_FILE in planned:
        planned[PROJECT_FILE] = f"{_SKIP_LINE}\n{planned[PROJECT_FILE]}"
    elif any(_applies_project_file(source, read(PROJECT_FILE) or "") for source in readers.applications):
        notes.append(f"{PROJECT_FILE}: add the line {_SKIP_LINE!r}, or Argo CD applies the file")
    return EngineIgnores(changes, tuple(notes))


def _for_flux(
    readers: RootReaders, planned: Iterable[str], read: Callable[[str], str | None]
) -> Iterator[tuple[str, tuple[str | None, str]]]:
    """Yield the ignore file, and the kustomization that hides the trees."""
    old = read(SOURCE_IGNORE)
    of_source = tuple(read_patterns(readers.flux_ignore))
    ignored = SourceIgnore((*read_patterns(old or ""), *of_source))
    own = {PROJECT_FILE, *planned}
    shown = sorted(path for path in own if path.endswith(FLUX_MANIFESTS) and not ignored.ignores(path))
    if shown:
        defaults = () if old or of_source else ("# What Flux ignores without this file.", *DEFAULT_PATTERNS)
        lines = (*defaults, "# Files of vmrender.", *(f"/{path}" for path in shown))
        before = "" if not old else old if old.endswith("\n") else f"{old}\n"
        yield SOURCE_IGNORE, (old, before + "\n".join(lines) + "\n")
    place = f"{_TREES}/kustomization.yaml"
    if not ignored.ignores(_TREES, is_folder=True) and read(place) is None:
        yield place, (None, _NOTHING)


def _for_application(
    source: DeployedSource, changes: dict[str, tuple[str | None, str]], read: Callable[[str], str | None]
) -> Iterator[str]:
    """Exclude the trees from a source of Argo CD that reads folders; yield a note on it."""
    options = DirectoryOptions.of(source.content)
    if not options.recurse or not is_selected(f"{_TREES}/x/vm.yaml", options):
        return
    exclude = _with_pattern(options.exclude, f"{_TREES}/*")
    site = source.site("directory")
    name = f"the Application {source.application.name}"
    old = read(site.path)
    edit: Edit = AddField(site.field, "exclude", exclude)
    if options.exclude:
        edit = SetField(site.field.child("exclude"), exclude)
    try:
        before = changes.get(site.path, (old, old or ""))[1]
        changed = edit_fields(
            before.encode(errors="surrogateescape"), EditedText(site.document), [edit]
        ).decode()
    except RefusedEditError:
        yield f"{site.path}: {name} would apply the rendered trees: add exclude: {exclude!r} to its directory"
        return
    changes[site.path] = (old, changed)
    yield f"{site.path}: exclude: {exclude!r} keeps the rendered trees out of what {name} applies"


def _applies_project_file(source: DeployedSource, text: str) -> bool:
    return SKIP_MARK not in text and is_selected(PROJECT_FILE, DirectoryOptions.of(source.content))


def _with_pattern(exclude: str, pattern: str) -> str:
    """Return a glob of Argo CD that matches ``pattern``, too."""
    if not exclude:
        return pattern
    inner = exclude[1:-1] if exclude.startswith("{") and exclude.endswith("}") else exclude
    return f"{{{inner},{pattern}}}"
