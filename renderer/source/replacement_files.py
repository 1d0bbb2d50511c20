"""Files of replacements: one, or a list of them (kustomize ``ReplacementTransformer.go`` Config)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.fields import describe_value
from renderer.model.json import Json
from renderer.model.kustomization import Replacement, ReplacementFile
from renderer.model.source_tree import Document
from renderer.source.caseless_fields import LenientFields
from renderer.source.entries import Entries
from renderer.source.transformer_fields import read_replacement


def load_replacements(
    listed: Iterable[Replacement | ReplacementFile], entries: Entries
) -> tuple[Replacement, ...]:
    """The replacements, those in files too. Raises: kustomization-field, and what reading a file raises."""
    return tuple(replacement for entry in listed for replacement in _loaded(entry, entries))


def _loaded(entry: Replacement | ReplacementFile, entries: Entries) -> tuple[Replacement, ...]:
    if isinstance(entry, Replacement):
        return (entry,)
    return _read(entries.document(entry.path, entry.site.below("path")))


def _read(file: Document) -> tuple[Replacement, ...]:
    findings: list[Diagnostic] = []
    replacements = tuple(
        read_replacement(LenientFields(content, file.site.below(*index), findings, Code.KUSTOMIZATION_FIELD))
        for index, content in _each(file)
    )
    if findings:
        raise DiagnosticError(*findings)
    return replacements


def _each(file: Document) -> Iterator[tuple[tuple[int, ...], Json]]:
    if isinstance(file.content, list):
        yield from (((index,), content) for index, content in enumerate(file.content))
    elif isinstance(file.content, dict):
        yield (), file.content
    else:
        raise DiagnosticError(
            Diagnostic(
                code=Code.KUSTOMIZATION_FIELD,
                message=f"a file of replacements holds one or a list of them, not {describe_value(file.content)}",
                sites=(file.site,),
            )
        )
