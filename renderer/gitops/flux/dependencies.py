"""Dependencies of Flux Kustomizations that nothing in the cluster's folder deploys.

kustomize-controller ``checkDependencies``: a Kustomization waits for each of ``dependsOn``, and one that does
not exist makes it wait for ever.
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


def missing_dependencies(
    reached: ReachedKustomization, known: Collection[Reference], *, is_complete: bool
) -> Iterator[Diagnostic]:
    """Yield a warning for each dependency that is not among ``known``.

    ``is_complete``: nothing else deploys Kustomizations. Otherwise only a dependency that resembles a known
    one is reported.
    """
    listed = array_at(reached.entry.content, "spec", "dependsOn")
    for index, (key, written) in enumerate(zip(reached.depends_on, listed, strict=True)):
        _, namespace, name = key
        if not name or key in known:
            continue
        field = FieldPath.of("spec", "dependsOn", index)
        elsewhere = sorted(place for kind, place, other in known if kind == key[0] and other == name)
        near = sorted(other for _, place, other in known if place == namespace and is_near_miss(name, other))
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
