"""``spec.postBuild`` of a Flux Kustomization (``kustomize-controller`` ``api/v1/kustomization_types.go``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import NamedTuple

from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.fields import Fields
from renderer.model.json import EMPTY, object_at
from renderer.model.location import Site
from renderer.model.resource import Resource

#: Fields of ``spec`` that change what is applied, too.
_ALSO_CHANGES = (
    "commonMetadata",
    "components",
    "images",
    "namePrefix",
    "nameSuffix",
    "patches",
    "targetNamespace",
)


class SourceKind(StrEnum):
    CONFIG_MAP = "ConfigMap"
    SECRET = "Secret"  # noqa: S105 - a kind


class SubstituteReference(NamedTuple):
    """An object whose data are variables; it may be missing if it is ``optional``."""

    site: Site
    kind: SourceKind
    name: str
    optional: bool = False


class Strategy(StrEnum):
    """Whether defaults of variables count as well where there is no variable at all."""

    WITH_VARIABLES = "WithVariables"
    ALWAYS = "Always"


class PostBuild(NamedTuple):
    """``substitute`` are the variables by name; ``namespace`` is where the sources are."""

    site: Site
    namespace: str = ""
    substitute: Mapping[str, str] = EMPTY
    sources: tuple[SubstituteReference, ...] = ()
    always: bool = False


def read_post_build(
    kustomization: Resource, findings: list[Diagnostic], *, variables_only: bool = True
) -> PostBuild:
    """Read ``spec.postBuild``, and note in ``findings`` what is wrong with it.

    ``variables_only``: the rest of the Kustomization has no effect, which is a finding, too.
    """
    fields = Fields(kustomization.content, kustomization.origin, findings, Code.FLUX_KUSTOMIZATION)
    spec = fields.child("spec")
    if variables_only:
        findings += _left_out(kustomization)
    written = spec.child("postBuild")
    written.only("substitute", "substituteFrom", "substituteStrategy")
    strategy = written.choice("substituteStrategy", Strategy)
    return PostBuild(
        site=written.site,
        namespace=kustomization.namespace,
        substitute=written.child("substitute").texts(),
        sources=tuple(_sources(written.elements("substituteFrom"))),
        always=strategy is Strategy.ALWAYS,
    )


def _sources(entries: Iterable[Fields]) -> Iterable[SubstituteReference]:
    for entry in entries:
        entry.only("kind", "name", "optional")
        kind, name = entry.choice("kind", SourceKind), entry.text("name")
        if "kind" not in entry:
            entry.reject(None, "an entry of substituteFrom needs a kind", "ConfigMap or Secret")
        if not name:
            entry.reject(None, "an entry of substituteFrom needs a name")
        if kind and name:
            yield SubstituteReference(entry.site, kind, name, entry.flag("optional") or False)


def _left_out(kustomization: Resource) -> Iterable[Diagnostic]:
    for field in _ALSO_CHANGES:
        if object_at(kustomization.content, "spec").get(field):
            yield Diagnostic(
                code=Code.FLUX_KUSTOMIZATION,
                severity=Severity.WARNING,
                message=f"spec.{field} of the Flux Kustomization has no effect on what is rendered",
                sites=(kustomization.origin.below("spec", field),),
                hint="write it into the kustomization of the overlay, which Flux and vmrender both build",
            )
