"""Files that no overlay uses, and that decide what deploys an overlay or what that makes of it.

A kustomization may list an Application or Kustomization and patch it. The source of one may be a
kustomization that patches the rendered tree, or a folder with more manifests; and it may add components and
variables.
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterable, Mapping
from contextlib import suppress
from functools import cache, cached_property

from renderer.app.comparison.side import Side
from renderer.files.file_system import folder_of, is_inside, readable_content
from renderer.gitops.flux.kustomization import variable_sources
from renderer.kubevirt.facts.kinds import CONFIG_MAP, SECRET
from renderer.kubevirt.facts.lists import field_changes
from renderer.kubevirt.facts.made_secrets import made_secrets
from renderer.kustomize.reader.kustomization_graph import folders_above
from renderer.kustomize.reader.resources import read_resources
from renderer.model.diagnostic import DiagnosticError
from renderer.model.engines import ENGINE_GROUPS
from renderer.model.kube.json import EMPTY, JsonObject, text_at
from renderer.model.kube.location import DocumentPlace, Site
from renderer.model.kube.res_id import Reference
from renderer.model.kube.resource import Resource
from renderer.model.render_config import Overlay
from renderer.project.validation_scope import has_name_of_manifest

#: The kinds that variables are taken from.
_DATA = (CONFIG_MAP, SECRET)


class DeployerBuilds:
    """The kustomizations around deployers on two sides; ``changed`` are the files that differ."""

    def __init__(self, before: Side, after: Side, changed: frozenset[str]) -> None:
        self._before, self._after = _Builds(before), _Builds(after)
        self._changed = changed
        self._has_changed = cache(self._find_changed)

    def of_tree(self, path: str) -> str:
        """Return why something else of an overlay, or with it, is applied: a file of its deployer changes."""
        for builds in (self._before, self._after):
            overlay = builds.side.overlays.get(path)
            if overlay is None or overlay.deployer:
                continue
            deployers = builds.side.deployers
            for source in sorted(deployers.sources_above(overlay)):
                files = self._unlike(source)
                if outside := sorted(each for each in files if not is_inside(each, overlay.output)):
                    return f"{outside[0]} changes, by which {overlay.output} is applied"
                if beside := self._beside_tree(source, overlay):
                    return f"{beside} changes, which is applied with {overlay.output}"
            for component in sorted(deployers.components(overlay)):
                if files := self._unlike(component):
                    return f"{min(files)} changes, a component with which {overlay.output} is applied"
        return ""

    def _unlike(self, folder: str) -> frozenset[str]:
        """Return the files of the kustomization in a folder that differ, or that it has on one side only."""
        before, after = self._before.files(folder), self._after.files(folder)
        return (before ^ after) | (self._changed & before)

    def of_variables(self, path: str) -> str:
        """Return why variables of an overlay have other values than it is rendered with.

        A plain folder is rendered without variables. An entry of Flux is rendered with the variables of
        ConfigMaps, and with the ones of Secrets if the project says ``secrets: true``.
        """
        for builds in (self._before, self._after):
            overlay = builds.side.overlays.get(path)
            if overlay is None:
                continue
            reads = overlay.entry.options if overlay.entry else overlay.flux
            kinds = _DATA if reads is None else () if reads.secrets else (SECRET,)
            for deployer in builds.side.deployers.of(overlay) if kinds else ():
                if source := self.changed_source(deployer, kinds):
                    return f"{source} changes, of which variables in {overlay.output} are taken"
        return ""

    def changed_source(self, deployer: Resource, kinds: Container[str]) -> str:
        """Return the kind and name of a changed object of which a Kustomization takes variables.

        It is one of ``kinds``, in a file or of a generator; empty without any.
        """
        sources = (each for each in variable_sources(deployer) if each[0] in kinds)
        return next((f"{kind} {name}" for kind, *_, name in filter(self._has_changed, sources)), "")

    def may_change_secrets(self) -> bool:
        """Return True if a changed file may have a Secret, or something of which one is made."""
        sides = [each.side for each in (self._before, self._after)]
        files = (readable_content(each.fs, path) or b"" for path in self._changed for each in sides)
        generating = itertools.chain(*(each.listing.generating.values() for each in sides))
        contents = itertools.chain(generating if self._changed else (), files)
        return any(b"secret" in each.lower() for each in contents)

    def of_target(self, path: str) -> str:
        """Return why an overlay may go to another cluster: the kubeconfig of its Kustomization changes.

        The Secret or ConfigMap is in the namespace of the Kustomization (fluxcd/pkg ``apis/meta``
        ``KubeConfigReference``).
        """
        for builds in (self._before, self._after):
            overlay = builds.side.overlays.get(path)
            for deployer in builds.side.deployers.of(overlay) if overlay else ():
                for field, kind in (("secretRef", SECRET), ("configMapRef", CONFIG_MAP)):
                    name = text_at(deployer.content, "spec", "kubeConfig", field, "name")
                    if name and self._has_changed((kind, deployer.namespace, name)):
                        label = f"{deployer.kind} {deployer.name}"
                        return f"{kind} {name} changes, by which {label} finds its cluster: it may be another"
        return ""

    def _beside_tree(self, source: str, overlay: Overlay) -> str:
        """Return a changed manifest that is applied with a tree, as the source of both has no kustomization.

        If the source is the whole repository, it has manifests of anything. Those of what deploys overlays
        are compared themselves.
        """
        is_above = source != "." and is_inside(overlay.output, source)
        if not is_above or any(each.files(source) for each in (self._before, self._after)):
            return ""
        files = sorted(each for each in self._changed if is_inside(each, source))
        builds = self._before, self._after
        return next((file for file in files if any(each.has_other_objects(file) for each in builds)), "")

    def _find_changed(self, source: Reference) -> bool:
        """Return True if a ConfigMap or Secret is not the same on both sides, in a file or of a generator."""
        kind, _, name = source
        places = {source, (kind, "", name)}  # a kustomization may give it its namespace
        if not places.isdisjoint(self._changed_data):
            return True
        before, after = (each.generated(kind, name) for each in (self._before, self._after))
        return any(before.get(each) != after.get(each) for each in places)

    @cached_property
    def _changed_data(self) -> frozenset[Reference]:
        """The ConfigMaps and Secrets in files that are not the same on both sides."""
        before, after = (each.data(self._changed) for each in (self._before, self._after))
        ids = before.keys() | after.keys()
        return frozenset(each for each in ids if before.get(each) != after.get(each))

    def of_deployer(self, old: Resource, new: Resource) -> str:
        """Return why an object is not what its file says, if a kustomization that lists the file has changed.

        ``old`` and ``new`` are the object as it is written on each side.
        """
        for folder in folders_above(new.origin.path):
            files = self._before.files(folder) | self._after.files(folder)
            changed = self._unlike(folder) - {old.origin.path, new.origin.path}
            if new.origin.path not in files or not changed:
                continue
            label, file = f"{new.kind} {new.name}", min(changed)
            before, after = self._before.composed(folder), self._after.composed(folder)
            if before is None or after is None:
                return f"{file} changes, and {label} cannot be built from {folder}"
            written = {each.field for each in field_changes(old.content, new.content)}
            built = field_changes(
                before.get(old.origin.document_place, EMPTY), after.get(new.origin.document_place, EMPTY)
            )
            is_other = {each.field for each in built} - written
            return f"{file} changes {label}, which deploys it" if is_other else ""
        return ""


class _Builds:
    """The kustomizations of one side."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.files = cache(self._files)
        self.composed = cache(self._composed)

    def _files(self, folder: str) -> frozenset[str]:
        """Return the kustomizations that the one in a folder uses, and the files that these list."""
        graph = self.side.graph
        links = filter(None, map(graph.links, graph.folders(folder)))
        return frozenset(file for each in links for file in (each.file, *each.files))

    def data(self, manifests: Iterable[str]) -> Mapping[Reference, list[JsonObject]]:
        """Return the ConfigMaps and Secrets in manifests, and what operators make Secrets of."""
        found: dict[Reference, list[JsonObject]] = {}
        for each in (each for path in sorted(manifests) for each in self._objects(path)):
            if each.kind in _DATA:
                found.setdefault(each.reference, []).append(each.content)
            for made in made_secrets(each):
                found.setdefault((SECRET, made.namespace, made.name), []).append(each.content)
        return found

    def generated(self, kind: str, name: str) -> Mapping[Reference, list[JsonObject]]:
        """Return the ConfigMaps or Secrets with a name that generators of kustomizations make."""
        found: dict[Reference, list[JsonObject]] = {}
        for path, content in self.side.listing.generating.items():
            if name.encode() in content:
                for each in self.side.composed(folder_of(path)) or ():
                    if (each.kind, each.name) == (kind, name):
                        found.setdefault(each.reference, []).append(each.content)
        return found

    def has_other_objects(self, manifest: str) -> bool:
        """Return True if a manifest has objects that deploy nothing."""
        return has_name_of_manifest(manifest) and any(
            not each.gvk.group.endswith(ENGINE_GROUPS) for each in self._objects(manifest)
        )

    def _objects(self, manifest: str) -> tuple[Resource, ...]:
        with suppress(DiagnosticError):  # reported where it is used
            if self.side.fs.is_file(manifest):
                return read_resources(self.side.fs.read(manifest), Site(manifest))
        return ()

    def _composed(self, folder: str) -> Mapping[DocumentPlace, JsonObject] | None:
        """Return the objects of a kustomization by the file that each is from; None if it cannot be built."""
        composed = self.side.composed(folder)
        return None if composed is None else {each.origin.document_place: each.content for each in composed}
