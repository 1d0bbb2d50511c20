"""The history of a resource's fields as a tree for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from renderer.model.difference import NoValue
from renderer.model.history import FieldHistory, ResourceHistory, Step
from renderer.model.kube.field_path import FieldPath, Segment
from renderer.report.diff_words import value_text
from renderer.report.plain_text import printable

_AT_START = 'as KubeVirt starts it; expand: "off" leaves this to KubeVirt'


@dataclass(slots=True)
class _Branch:
    """A line of the tree and its children; a section has fields and sections."""

    text: str
    branches: list[_Branch] = field(default_factory=list)
    is_section: bool = False


def write(history: ResourceHistory) -> str:
    """Return ``VirtualMachine prod/db in overlays/prod``, then its fields, each with its steps.

    The first line says of fields that are not rendered that KubeVirt sets them.
    Steps come oldest first; a field with a single step is on one line with it.
    """
    cluster = f" (cluster {history.cluster})" if history.cluster else ""
    start = f", {_AT_START}" if history.at_start else ""
    root = _Branch(printable(f"{history.resource} in {history.overlay}{cluster}{start}"))
    sections: dict[tuple[Segment, ...], _Branch] = {(): root}
    for each in history.fields:
        *parents, last = each.field.segments or ("",)
        _section(tuple(parents), sections).branches.append(_field_branch(each, _segment_text(last)))
    root.branches = [_collapse(branch) for branch in root.branches]
    return "".join(f"{line}\n" for line in (root.text, *_lines(root.branches)))


def _section(segments: tuple[Segment, ...], sections: dict[tuple[Segment, ...], _Branch]) -> _Branch:
    if segments not in sections:
        sections[segments] = _Branch(_segment_text(segments[-1]), is_section=True)
        _section(segments[:-1], sections).branches.append(sections[segments])
    return sections[segments]


def _collapse(branch: _Branch) -> _Branch:
    """Return the branch; join each section that has a single child with it on one line."""
    if not branch.is_section:
        return branch
    branches = [_collapse(each) for each in branch.branches]
    if len(branches) > 1:
        return _Branch(branch.text, branches, is_section=True)
    only = branches[0]
    dot = "" if only.text.startswith("[") else "."
    return _Branch(f"{branch.text}{dot}{only.text}", only.branches, is_section=only.is_section)


def _field_branch(history: FieldHistory, name: str) -> _Branch:
    steps, removed = history.steps, history.value is NoValue.ABSENT
    text = f"{name} (removed)" if removed else f"{name}: {value_text(history.value)}"
    if len(steps) == 1 and not _separate_sources(steps[0].sources):
        return _Branch(f"{text}  {_origin(steps[0])}")
    return _Branch(text, [_step_branch(step) for step in steps])


def _step_branch(step: Step) -> _Branch:
    value = "removed" if step.after is NoValue.ABSENT else value_text(step.after)
    branches = [
        _field_branch(source, f"{printable(str(source.resource))} {printable(str(source.field))}")
        for source in _separate_sources(step.sources)
    ]
    return _Branch(f"{value}  {_origin(step)}", branches)


def _separate_sources(sources: Sequence[FieldHistory]) -> Sequence[FieldHistory]:
    """Return the sources; empty if the step already shows everything about a single source."""
    if (
        len(sources) == 1
        and len(sources[0].steps) <= 1
        and not any(step.sources for step in sources[0].steps)
    ):
        return ()
    return sources


def _origin(step: Step) -> str:
    """Return ``(base/vm.yaml:7:3, written)``; if the value was copied, also the source field."""
    words = [str(step.location)] if step.location else []
    words.append(step.by)
    if step.sources and not _separate_sources(step.sources):
        source = step.sources[0]
        words.append(f"{source.field}: {value_text(source.value)}")
    return f"({printable(', '.join(words))})"


def _segment_text(segment: Segment) -> str:
    return printable(str(FieldPath((segment,))))


def _lines(branches: Sequence[_Branch], indent: str = "") -> Iterator[str]:
    for branch in branches:
        is_last = branch is branches[-1]
        yield f"{indent}{'└─' if is_last else '├─'} {branch.text}"
        yield from _lines(branch.branches, f"{indent}{'   ' if is_last else '│  '}")
