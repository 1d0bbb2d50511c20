"""Patch files and inline patches: strategic merge documents or JSON 6902 operations, by content."""

from __future__ import annotations

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.field_path import ROOT
from renderer.model.json import Json
from renderer.model.location import Site
from renderer.model.source_tree import JsonPatch, PatchContent, StrategicMergePatches
from renderer.source.resources import read_resources, relocated
from renderer.yamlio.decode import decode_yaml11


def read_patch(content: bytes, site: Site) -> PatchContent:
    """What an entry of ``patches`` holds (``api/internal/builtins/PatchTransformer.go`` Config).

    Nothing but comments is a strategic merge patch without documents. Raises: patch-invalid.
    """
    try:
        documents = read_resources(content, site)
    except DiagnosticError as error:
        return _read_operations(content, site, error)
    return StrategicMergePatches(site, documents)


def read_json_patch(content: bytes, site: Site) -> JsonPatch:
    """What an entry of ``patchesJson6902`` holds. Raises: patch-invalid, or what the decoder raises."""
    operations = _operations(content, site)
    if not operations:
        raise _invalid("the patch has no operations", site)
    return JsonPatch(site, operations)


def _read_operations(content: bytes, site: Site, error: DiagnosticError) -> JsonPatch:
    """As operations; when it is neither, what is wrong with it as the kind of patch it looks like."""
    try:
        return JsonPatch(site, _operations(content, site))
    except DiagnosticError as not_operations:
        is_list = content.lstrip().startswith((b"-", b"["))
        raise (not_operations if is_list else error) from None


def _operations(content: bytes, site: Site) -> tuple[Json, ...]:
    document = _json(content, site) if content.startswith(b"[") else _yaml(content, site)
    if document is None:
        return ()
    if not isinstance(document, list) or not all(isinstance(entry, dict | None) for entry in document):
        raise _invalid("a JSON 6902 patch is a list of operations", site, "each with op, path and value")
    return tuple(document)


def _yaml(content: bytes, site: Site) -> Json:
    try:
        return decode_yaml11(content, site.path)
    except DiagnosticError as error:
        if site.field == ROOT:
            raise
        raise relocated(error, site) from None


def _json(content: bytes, site: Site) -> Json:
    """Text that starts with a bracket is not YAML to kustomize."""
    import json  # noqa: PLC0415 - only few patches are JSON

    try:
        document: Json = json.loads(content, parse_constant=_reject_constant)
    except (ValueError, RecursionError) as error:
        hint = "a patch that begins with [ must be JSON; write it as a YAML list otherwise"
        raise _invalid(f"the patch is not valid JSON: {error}", site, hint) from None
    return document


def _reject_constant(name: str) -> Json:
    raise ValueError(f"{name} is no JSON number")


def _invalid(message: str, site: Site, hint: str | None = None) -> DiagnosticError:
    return DiagnosticError(Diagnostic(code=Code.PATCH_INVALID, message=message, sites=(site,), hint=hint))
