"""Dependencies of Flux Kustomizations that nothing in the cluster's folder deploys.

kustomize-controller ``checkDependencies``: a Kustomization waits for each of ``dependsOn``, and one that does
not exist makes it wait forever.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from renderer.gitops.flux.discovery import ReachedKustomization
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.field_edit import AddField, Edit, SetField
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import array_at, object_at
from renderer.model.kube.res_id import Reference
from renderer.model.near_miss import is_near_miss
from renderer.model.run.work import spend

#: Steps of ``model.run.work`` to compare two names.
_STEPS_PER_NAME = 4


class Alternatives:
    """What may be meant by a Kustomization that is not among ``known``."""

    def __init__(self, known: Collection[Reference]) -> None:
        self.known = known
        self._found: dict[Reference, tuple[list[str], list[str]]] = {}

    def of(self, key: Reference) -> tuple[list[str], list[str]]:
        """Return the namespaces that have one of the same name, and similar names in its namespace."""
        if key not in self._found:
            spend(len(self.known) * _STEPS_PER_NAME, "looking for Kustomizations with similar names")
            kind, namespace, name = key
            elsewhere = sorted(place for each, place, other in self.known if each == kind and other == name)
            near = sorted(
                other for _, place, other in self.known if place == namespace and is_near_miss(name, other)
            )
            self._found[key] = elsewhere, near
        return self._found[key]


def missing_dependencies(
    reached: ReachedKustomization, alternatives: Alternatives, *, is_complete: bool
) -> Iterator[Diagnostic]:
    """Yield a warning for each dependency that is not known.

    ``is_complete``: nothing else deploys Kustomizations. Otherwise only a dependency that resembles a known
    one is reported.
    """
    listed = array_at(reached.entry.content, "spec", "dependsOn")
    for index, (key, written) in enumerate(zip(reached.depends_on, listed, strict=True)):
        _, namespace, name = key
        if not name or key in alternatives.known:
            continue
        field = FieldPath.of("spec", "dependsOn", index)
        elsewhere, near = alternatives.of(key)
        hint = "correct the name, or add the Kustomization"
        fix: Edit | None = None
        if elsewhere:
            hint = f"the one in {' or '.join(elsewhere)} is named with namespace: {elsewhere[0]}"
            fix = AddField(field, "namespace", elsewhere[0])
            if "namespace" in object_at(written):
                fix = SetField(field.child("namespace"), elsewhere[0])
        elif near:
            hint = f"did you mean {' or '.join(near)}?"
            fix = SetField(field.child("name"), near[0])
        elif not is_complete:
            continue
        yield Diagnostic.about(
            reached.entry,
            field.child("name"),
            Code.DEPENDENCY_NOT_FOUND,
            f"{reached.entry.name} waits for the Kustomization {namespace}/{name}, which nothing deploys:"
            " Flux never applies it",
            hint,
            severity=Severity.WARNING,
            fix=fix if len(elsewhere or near) == 1 else None,
        )
