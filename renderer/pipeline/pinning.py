"""Pinnable virtual machines of an overlay, in their form before its transformers."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from renderer.authoring.pins.folder import PINS
from renderer.kustomize.identity import Identity, identities
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.pin import Pinnable
from renderer.model.render_config import Overlay
from renderer.model.source_tree import SourceTree

if TYPE_CHECKING:
    from renderer.kubevirt.instancetype.catalog import Catalog
    from renderer.kustomize.compose import Composer


def with_pin_hints(found: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """Return findings about the build, with a hint at pins of machines that are gone or renamed."""
    return tuple(map(_with_pin_hint, found))


def _with_pin_hint(finding: Diagnostic) -> Diagnostic:
    folder, _, name = finding.sites[0].path.rpartition("/") if finding.sites else ("", "", "")
    overlay, _, last = folder.rpartition("/")
    is_pin = last == PINS and name.startswith(("virtualmachine_", "virtualmachinepool_"))
    if finding.code is not Code.PATCH_TARGET_MISSING or not is_pin:
        return finding
    from shlex import quote

    unpin = f"vmrender unpin {quote(overlay or '.')}"
    return finding._replace(hint=f"if the machine was removed or renamed, drop its pin: {unpin}")


def _before_transformers(tree: SourceTree) -> SourceTree:
    """Return the tree without the name changes and patches of its root."""
    root = tree.root
    kustomization = root.kustomization._replace(
        name_prefix="",
        name_suffix="",
        namespace="",
        patches=(),
        patches_strategic_merge=(),
        patches_json6902=(),
    )
    bare = root._replace(
        kustomization=kustomization, patches=(), patches_strategic_merge=(), patches_json6902=()
    )
    return SourceTree(bare)


def _earlier_forms(
    after: Iterable[Resource], before: Iterable[Resource]
) -> Iterator[tuple[Resource, Resource]]:
    """Yield (later, earlier) for each resource of ``after`` that came from one of ``before``."""
    by_origin: dict[object, list[tuple[frozenset[Identity], Resource]]] = {}
    for resource in before:
        by_origin.setdefault(resource.origin, []).append((frozenset(identities(resource)), resource))
    for resource in after:
        ids = frozenset(identities(resource))
        # A file may be included several times: pick the copy that shares most of its names.
        found = [
            (len(known), earlier) for known, earlier in by_origin.get(resource.origin, ()) if known <= ids
        ]
        if found:
            yield resource, max(found, key=lambda each: each[0])[1]


def pinnables(
    overlay: Overlay, tree: SourceTree, composed: ResourceSet, composer: Composer, catalog: Catalog
) -> Iterator[Pinnable]:
    """Yield each virtual machine with the pin that it would get now, as a patch before the transformers.

    ``tree`` is the source tree of ``composed``. Raises ``DiagnosticError``.
    """
    from renderer.kubevirt.instancetype.catalog import CatalogSource
    from renderer.kubevirt.instancetype.pin import Pinner
    from renderer.kubevirt.instancetype.virtual_machine import VirtualMachine

    root = tree.root.kustomization
    catalogs = catalog.after(CatalogSource(overlay.path, composed))
    pinner = Pinner(catalogs, overlay.kubevirt, lambda name: f"{root.name_prefix}{name}{root.name_suffix}")
    bare = composer.compose(_before_transformers(tree))
    if bare.failed:
        raise DiagnosticError(*bare.diagnostics)
    for resource, target in _earlier_forms(composed, bare.value):
        vm = VirtualMachine.of(resource)
        if vm is not None:
            pin = pinner.pin(vm)
            yield Pinnable(resource, target, pin.patch, pin.revisions, pin.findings)
