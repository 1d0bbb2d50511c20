"""Compare a rendered tree with its expected content; nothing is written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from renderer.emit.layout import PathMasking
from renderer.emit.masked_manifests import ManifestMasking, MaskedFile, without_marks
from renderer.emit.output_folder import OutputFolder
from renderer.emit.ownership import EncodedFiles, encode_files, has_conflict
from renderer.emit.plan import TreePlan, plan_tree, refusals
from renderer.emit.staging import StagingArea, has_staging_folder
from renderer.emit.tree import Tree, TreeFile, disk_errors, read_tree
from renderer.emit.unified_diff import first_difference, unified_diff
from renderer.kubevirt.facts.confidential.secret_values import may_hold_objects_as_text, secret_values
from renderer.kubevirt.facts.kinds import CONFIG_MAP
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome
from renderer.model.kube.json import Json, text_at
from renderer.model.kube.location import Location
from renderer.model.log_line import log_line
from renderer.model.masking import Masking
from renderer.model.pattern import pattern
from renderer.model.record import Record
from renderer.model.render_config import OWNERSHIP_FILE
from renderer.model.run.taint import taint_masking, tainted, values_in_places

_HINT = "run vmrender render and commit the result"

#: The lines of a manifest with the kind and names of an object.
_NAMES = pattern(rb"(?m)^(?:kind|  name|  namespace):.*")
#: The metadata of a manifest in block style.
_METADATA = pattern(r"(?m)^metadata:\n(?:  .*\n)+")


class TreeDiff(Record):
    """The changes that writing would make, as paths in the tree; ``text`` is a unified diff for people."""

    created: tuple[str, ...] = ()
    updated: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    text: str = ""


def check_tree(root: Path, output: str, files: Mapping[str, str] | EncodedFiles) -> Outcome[TreeDiff]:
    """Compare the folder ``output`` below ``root`` with ``files``, text by relative path.

    Diagnostics: stale for each file that is missing, different or left over; foreign-file for each that
    writing would refuse to touch. Raises ``DiagnosticError``: output-invalid, ownership-invalid,
    file-unreadable.
    """
    wanted = encode_files(files)
    folder, tree = _read(root, output, wanted)
    plan = plan_tree(tree, wanted)
    if plan.is_current:
        return Outcome(TreeDiff(*plan.changes))
    contents = (*wanted.values(), *tree.files.values())
    secrets = secret_values(_objects(contents), _metadata(contents))
    secrets |= values_in_places(_config_maps(tree.files.values()))
    of_run = _paths_of_run(tainted())
    values = secrets | _former_names(tree, plan, wanted, PathMasking(secrets, [of_run]))
    confidential, paths = Masking(values, others=[taint_masking()]), PathMasking(values, [of_run])
    masked = _masked_files(tree, plan, wanted, ManifestMasking(confidential))
    diffs = {path: _diff(paths.mask(f"{folder}/{path}"), each) for path, each in masked.items()}
    findings = (*refusals(folder, tree, plan), *_stale(folder, tree, plan, wanted, diffs))
    shown = (_with_shown_path(finding, folder, confidential, paths) for finding in findings)
    diff = TreeDiff(*plan.changes, text="".join(diffs.values()))
    return Outcome(diff, tuple(sorted(shown, key=lambda finding: str(finding.location))))


@lru_cache(maxsize=1)
def _paths_of_run(values: frozenset[str]) -> PathMasking:
    return PathMasking(values)


def plan_changes(
    root: Path, output: str, files: Mapping[str, str] | EncodedFiles, force: Collection[str] = ()
) -> TreeDiff:
    """Return the changes that writing ``files`` into ``output`` would make; ``force`` as in ``write_tree``.

    Raises ``DiagnosticError`` as ``check_tree`` does, and foreign-file for each file that writing would
    refuse.
    """
    wanted = encode_files(files)
    folder, tree = _read(root, output, wanted)
    plan = plan_tree(tree, wanted, force)
    if plan.blocked:
        raise DiagnosticError(*refusals(folder, tree, plan))
    return TreeDiff(*plan.changes)


def _read(root: Path, output: str, wanted: Mapping[str, bytes]) -> tuple[str, Tree]:
    """Return the normalized path of the output folder, and the tree in it."""
    with disk_errors(Code.FILE_UNREADABLE, "read", output, "give access to it, then check again"):
        folder = OutputFolder.locate(root, output)
        if has_staging_folder(folder):
            StagingArea.of(folder).check()
        return folder.path, _read_consistently(folder, wanted)


def _read_consistently(output: OutputFolder, wanted: Mapping[str, bytes], attempts: int = 3) -> Tree:
    """Return a consistent state of the tree: read it again if another process exchanged it meanwhile."""
    before = _identity(output.folder)
    tree = read_tree(output, wanted)
    if attempts == 1 or _identity(output.folder) == before:
        return tree
    return _read_consistently(output, wanted, attempts - 1)


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        status = folder.lstat()
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def _masked_files(
    tree: Tree, plan: TreePlan, wanted: Mapping[str, bytes], masking: ManifestMasking
) -> Mapping[str, MaskedFile]:
    """Return the files that differ, by path; a folder or link in the way has no content."""
    former = {path: content for path in plan.updated if isinstance(content := tree.files[path], bytes)}
    renamed = [path for path, each in former.items() if _names_in(each) != _names_in(wanted[path])]
    if renamed or (plan.removed and plan.created):
        removed = (tree.files[path] for path in (*plan.removed, *renamed))
        masking.note_moved(
            [each for each in removed if isinstance(each, bytes)],
            [wanted[path] for path in (*plan.created, *renamed)],
        )
    paths = sorted({*plan.created, *plan.updated, *plan.removed, *plan.blocked})
    contents = ((path, tree.files[path], wanted.get(path)) for path in paths)
    return {
        path: masking.masked_file(path, before, after)
        for path, before, after in contents
        if before is None or isinstance(before, bytes)
    }


def _names_in(content: bytes) -> Sequence[bytes]:
    """Return the lines with the kinds and names of objects, and some others."""
    return _NAMES.findall(content)


def _stale(
    output: str, tree: Tree, plan: TreePlan, wanted: Mapping[str, bytes], diffs: Mapping[str, str]
) -> list[Diagnostic]:
    findings = [_finding(output, path, "is missing") for path in plan.created]
    findings += [_finding(output, path, "is left over") for path in plan.removed]
    for path in plan.updated:
        content = tree.files[path]
        line = _shown_difference(content, wanted[path], diffs[path]) if isinstance(content, bytes) else 0
        is_merged = isinstance(content, bytes) and has_conflict(content)
        problem = "has the markers of a merge conflict" if is_merged else "is out of date"
        findings.append(_finding(output, path, problem, line))
    if not findings and not plan.blocked:
        findings.append(_finding(output, OWNERSHIP_FILE, "is out of date"))
    return findings


def _shown_difference(content: bytes, wanted: bytes, diff: str) -> int:
    """Return the number of the first line that differs; 0 if reports must not quote it.

    They may quote what the diff shows: neither a confidential value, nor what changes together with one.
    """
    number = first_difference(content, wanted)
    lines = content.decode("utf-8", "replace").split("\n")[number - 1 : number]
    shown = {line[1:] for line in diff.split("\n")}
    return number if all(log_line(line) in shown for line in lines) else 0


def _finding(output: str, path: str, problem: str, line: int = 0) -> Diagnostic:
    return Diagnostic.in_file(Location(f"{output}/{path}", line), Code.STALE, f"{path} {problem}", _HINT)


def _with_shown_path(
    finding: Diagnostic, folder: str, confidential: Masking, paths: PathMasking
) -> Diagnostic:
    """Return a finding without confidential values in its path, which consists of the names of objects."""
    path = finding.location.path if finding.location else ""
    shown = paths.mask(path)
    if shown == path:
        return finding
    in_tree = path.removeprefix(f"{folder}/")

    def text(each: str) -> str:
        return confidential.mask(each.replace(path, shown).replace(in_tree, paths.mask(in_tree)))

    hint = finding.hint and text(finding.hint)
    return finding._replace(location=Location(shown), message=text(finding.message), hint=hint)


def _former_names(
    tree: Tree, plan: TreePlan, wanted: Mapping[str, bytes], paths: PathMasking
) -> frozenset[str]:
    """Return the kinds and names that only removed objects have, if an added one has a value in its name.

    They are most likely former values of the same Secret.
    """
    if not plan.removed or not any(paths.mask(path) != path for path in plan.created):
        return frozenset()
    removed = _names(filter(None, (tree.files[path] for path in plan.removed)))
    return removed - _names(wanted[path] for path in (*plan.created, *plan.updated))


def _names(files: Iterable[TreeFile]) -> frozenset[str]:
    from renderer.yamlio.decode import decode_documents  # noqa: PLC0415 - only for what has changed

    names: set[str] = set()
    for content in files:
        if isinstance(content, bytes):
            with suppress(DiagnosticError):  # as below
                for each in decode_documents(content, ""):
                    names |= {text_at(each, key) for key in ("apiVersion", "kind")}
                    names |= {text_at(each, "metadata", key) for key in ("name", "namespace")}
    return frozenset(names)


def _objects(files: Iterable[TreeFile]) -> Iterator[Json]:
    """Yield the objects in those files that may hold a value of a Secret."""
    from renderer.yamlio.decode import decode_documents  # noqa: PLC0415 - only for what has changed

    for content in files:
        if isinstance(content, bytes) and may_hold_objects_as_text(content.decode("utf-8", "replace")):
            with suppress(DiagnosticError):  # someone edited it, and it is not valid YAML any more
                yield from decode_documents(content, "")


def _metadata(files: Iterable[TreeFile]) -> Iterator[Json]:
    """Yield the metadata of the objects in the other files, each as an object without the rest."""
    from renderer.yamlio.decode import decode_documents  # noqa: PLC0415 - as above

    for content in files:
        text = content.decode("utf-8", "replace") if isinstance(content, bytes) else ""
        found = _METADATA.search(text)
        if found and not may_hold_objects_as_text(text):
            with suppress(DiagnosticError):
                yield from decode_documents(found[0].encode("utf-8", "replace"), "")


def _config_maps(files: Iterable[TreeFile]) -> Iterator[Json]:
    """Yield the objects in the files with a ConfigMap."""
    from renderer.yamlio.decode import decode_documents  # noqa: PLC0415 - as above

    for content in files:
        if isinstance(content, bytes) and CONFIG_MAP.encode() in content:
            with suppress(DiagnosticError):  # as above
                yield from decode_documents(content, "")


def _diff(path: str, masked: MaskedFile) -> str:
    before, after = (None if text is None else text.encode("utf-8", "replace") for text in masked)
    name = log_line(path)
    return (
        unified_diff(path, before, after, without_marks)
        or f"--- {name}\n+++ {name}\n(the same objects, written in another way)\n"
    )
