"""Read entries of ``overlays`` for plain folders, Flux, Argo CD and OpenShift Templates."""

from __future__ import annotations

import posixpath

from renderer.kubevirt.facts.kubernetes_names import dns_subdomain_errors
from renderer.model.credential_text.names import names_credential
from renderer.model.engines import MANIFESTS
from renderer.model.entry_point import ENGINE_KINDS, EntryKind, EntryOptions
from renderer.model.fields import Fields
from renderer.model.kube.json import Json, JsonObject, scalar_text
from renderer.model.release import Release
from renderer.model.run.taint import taint_texts
from renderer.model.suggest import suggest

ENTRY_FIELDS = (
    *(kind.value for kind in ENGINE_KINDS),
    "cluster",
    "directory",
    "fluxVersion",
    "generate",
    "name",
    "parameters",
    "repoint",
    "secrets",
    "strict",
)

_DIRECTORY_FIELDS = ("recurse", "include", "exclude")
_GENERATORS = ("flux",)


def entry_path(fields: Fields) -> tuple[EntryKind, str]:
    """Return the kind and path of the entry; note an error if it has no kind or several."""
    written = fields.content
    kinds = [kind for kind in (EntryKind.KUSTOMIZATION, *ENGINE_KINDS) if written.get(kind) is not None]
    if EntryKind.FLUX in kinds and isinstance(written["flux"], dict):  # settings next to path
        kinds.remove(EntryKind.FLUX)
    if len(kinds) != 1:
        problem = f"has {' and '.join(kinds)}, of which one is enough" if kinds else "needs a path"
        *others, last = (f"{kind}: FOLDER" for kind in ENGINE_KINDS)
        hint = f"give one of {', '.join(('path', *others))} and {last}"
        fields.reject(None, f"an overlay {problem}", hint)
        return EntryKind.KUSTOMIZATION, "."
    [kind] = kinds
    path = fields.text(kind.value)
    if path == "":
        fields.reject(kind.value, f"{fields.name(kind.value)} is empty", "write . for the top folder")
    return kind, path or "."


def read_entry_options(fields: Fields, kind: EntryKind, path: str) -> EntryOptions:
    """Return the options for composing the overlays of the entry; note errors."""
    directory = _read_directory(fields)
    generate = fields.text("generate")
    if generate is not None and generate not in _GENERATORS:
        fields.reject("generate", f"generate cannot be {generate!r}", f"one of {', '.join(_GENERATORS)}")
    if directory is not None and generate is not None:
        fields.reject("generate", "an overlay has either directory or generate", "remove one of them")
    if kind is EntryKind.KUSTOMIZATION:
        _reject_keys(fields, "is for entries of flux and argocd", "name", "repoint")
        _reject_keys(fields, "is for entries of flux", "fluxVersion", "secrets", "strict")
        kind = EntryKind.GENERATED if generate else EntryKind.DIRECTORY if directory is not None else kind
    else:
        _reject_keys(fields, "is for entries with a path", "directory", "generate", "parameters")
        if kind is EntryKind.ARGOCD:
            _reject_keys(fields, "is for entries of flux", "fluxVersion", "secrets", "strict")
    parameters = fields.content.get("parameters")
    return EntryOptions(
        kind=kind,
        directory=directory,
        parameters=_read_parameters(fields, parameters),
        parameter_file=parameters if isinstance(parameters, str) else "",
        name_prefix=_name_prefix(fields, kind, path),
        secrets=fields.flag("secrets") or False,
        strict=fields.flag("strict"),
        flux_release=read_flux_release(fields, "fluxVersion"),
        repoint=fields.flag("repoint") or False,
    )


def note_misplaced_parameters(fields: Fields, known: tuple[str, ...]) -> None:
    """Record what may be values of parameters in a wrong form or place: no output repeats them.

    A Template may put them into Secrets. A field that was probably meant to be another one has none.
    """
    others = {(name,) for name in known if name != "parameters"}
    for name, value in fields.content.items():
        if name in known:
            is_misplaced = name == "parameters" and not isinstance(value, dict | str)
        else:
            is_misplaced = names_credential(name) or suggest(name, known, most=1, cutoff=0.7) not in others
        if is_misplaced:
            taint_texts(value)


def read_flux_release(fields: Fields, field: str) -> Release | None:
    """Read a release of Flux; errors are noted. A later one than is known behaves like the newest."""
    text = fields.text(field)
    try:
        return None if text is None else Release.parse(text)
    except ValueError:
        fields.reject(field, f"{text!r} is not a release of Flux", 'write it as "2.9"')
        return None


def _read_directory(fields: Fields) -> JsonObject | None:
    if "directory" not in fields:
        return None
    block = fields.child("directory")
    block.only(*_DIRECTORY_FIELDS)
    options: dict[str, Json] = {"recurse": block.flag("recurse") or False}
    for name in ("include", "exclude"):
        options[name] = block.text(name) or ""
    return options


def _read_parameters(fields: Fields, parameters: Json) -> dict[str, str] | None:
    """Return the values by name, if they are in the entry; numbers and booleans are converted to text."""
    if parameters is None or isinstance(parameters, str):
        return None
    block = fields.child("parameters")
    for name, value in block.content.items():
        if isinstance(value, dict | list) or value is None:
            block.reject(name, f"the parameter {name} must be text", "write its value in quotes")
    return {name: scalar_text(value) for name, value in block.content.items()}


def _name_prefix(fields: Fields, kind: EntryKind, path: str) -> str:
    """Return the first part of the overlays' names: the entry's ``name``, or else its folder or file name.

    The extension of a file is left out.
    """
    if not kind.engine:
        return ""
    name = fields.text("name")
    for error in () if name is None else dns_subdomain_errors(name):
        fields.reject("name", f"{name!r} is not a name for a folder: it {error}", "use letters, digits and -")
    return name or cluster_name(path, kind)


def cluster_name(path: str, kind: EntryKind) -> str:
    """Return the default name of an entry with several overlays: the name of its folder or file."""
    return without_extension(posixpath.basename(posixpath.normpath(path))).strip(".") or kind.value


def without_extension(name: str) -> str:
    """Return the name of a manifest file without its extension; return any other name unchanged."""
    stem, extension = posixpath.splitext(name)
    return stem if extension in MANIFESTS else name


def _reject_keys(fields: Fields, reason: str, *names: str) -> None:
    for name in names:
        if name in fields:
            fields.reject_key(name, f"{name} {reason}", "leave it out", fields.removal_of(name))
