"""Rename instance types and preferences, and update all references.

KubeVirt keeps a copy of an instance type for each VirtualMachine (a ControllerRevision), and uses a new one
only when the matcher names another object. With a name that changes with the content, a change arrives.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from renderer.instancetype_names.new_names import NamedSource, NewNames, is_instancetype_or_preference
from renderer.instancetype_names.references import InstancetypeReference, with_names
from renderer.kustomize.identity import with_previous_id
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError, Outcome, Related
from renderer.model.kube.field_path import FieldPath
from renderer.model.kube.json import with_value
from renderer.model.kube.res_id import ResId
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.record import Record
from renderer.model.render_config import InstancetypeNames

_NAME = FieldPath.of("metadata", "name")


class Renamer(Record):
    """The renaming of an overlay: ``names`` is the scheme of its own objects; ``catalogs`` has the others."""

    names: InstancetypeNames
    catalogs: Callable[[], Iterable[NamedSource]]

    def with_old_names(self, resources: ResourceSet) -> Outcome[ResourceSet]:
        """Return the overlay with the present names wherever somebody wrote a new name by hand."""
        names = NewNames(resources, self.names, self.catalogs)

        def old_name(reference: InstancetypeReference) -> str:
            if names.candidates(reference):
                return reference.name
            named = names.already_renamed(reference)
            return reference.name if named is None else named.name

        def renamed(resource: Resource) -> Resource:
            if is_instancetype_or_preference(resource):
                return resource
            return with_names(resource, old_name)

        return _mapped(resources, renamed)

    def with_new_names(self, resources: ResourceSet) -> Outcome[ResourceSet]:
        """Return the overlay with instance types, preferences and all references to them renamed.

        References to objects that are unknown or not renamed stay as they are. A renamed object records its
        earlier name (``previous_ids``). Findings: name-suffix, name-ambiguous, duplicate-id.
        """
        names = NewNames(resources, self.names, self.catalogs)

        def renamed(resource: Resource) -> Resource:
            referring = with_names(resource, lambda reference: _new_name(resource, reference, names))
            name = names.of(resource) if is_instancetype_or_preference(resource) else resource.name
            if name == resource.name:
                return referring
            remembered = with_previous_id(referring)
            return remembered._replace(content=with_value(remembered.content, ("metadata", "name"), name))

        outcome = _mapped(resources, renamed)
        return Outcome(outcome.value, outcome.diagnostics + tuple(_duplicates(outcome.value, resources)))


def _mapped(resources: ResourceSet, rename: Callable[[Resource], Resource]) -> Outcome[ResourceSet]:
    """Return the results of ``rename``, and its errors; a resource with an error stays as it is."""
    renamed: list[Resource] = []
    diagnostics: list[Diagnostic] = []
    for resource in resources:
        try:
            renamed.append(rename(resource))
        except DiagnosticError as error:
            renamed.append(resource)
            diagnostics += error.diagnostics
    return Outcome(ResourceSet(tuple(renamed)), tuple(diagnostics))


def _new_name(resource: Resource, reference: InstancetypeReference, names: NewNames) -> str:
    """Return the name to write. Raises: name-ambiguous for a label whose objects get different names."""
    new = {names.of(each): each for each in names.candidates(reference)}
    if len(new) > 1:
        raise Diagnostic.about(
            resource,
            reference.field,
            Code.NAME_AMBIGUOUS,
            f"{reference.kind} {reference.name} matches several objects, which get different names",
            "refer to a cluster-wide one, whose name is valid in all namespaces",
            related=tuple(Related(str(each.current_id), each.sites(_NAME)) for each in new.values()),
        ).error()
    return next(iter(new), reference.name)


def _duplicates(renamed: ResourceSet, before: ResourceSet) -> Iterator[Diagnostic]:
    """Yield a finding for each pair of objects that get the same name."""
    first: dict[ResId, Resource] = {}
    for resource, old in zip(renamed, before, strict=True):
        if not is_instancetype_or_preference(resource):
            continue
        other = first.setdefault(resource.current_id, old)
        if other is not old:
            yield Diagnostic.about(
                old,
                _NAME,
                Code.DUPLICATE_ID,
                f"{other.name} and {old.name} both become {resource.current_id}",
                "rename one of them",
                related=(Related(f"the other: {other.current_id}", other.sites(_NAME)),),
            )
