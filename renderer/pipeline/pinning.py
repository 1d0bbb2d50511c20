"""Pinnable virtual machines of an overlay, as they are before its transformers."""

# ruff: noqa: PLC0415 - a stage is imported when it is first needed

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from renderer.model.diagnostic import DiagnosticError
from renderer.model.pin import Pinnable
from renderer.model.render_config import Overlay
from renderer.model.resource import ResourceSet
from renderer.model.source_tree import SourceTree

if TYPE_CHECKING:
    from renderer.compose.compose import Composer
    from renderer.instancetype.catalog import Catalog


def pinnables(
    overlay: Overlay, tree: SourceTree, composed: ResourceSet, composer: Composer, catalog: Catalog
) -> Iterator[Pinnable]:
    """Each virtual machine with the pin that it would get now, as a patch before the transformers.

    ``tree`` is what ``composed`` was made of. Raises ``DiagnosticError``.
    """
    from renderer.compose.before_transformers import before_transformers, earlier_forms
    from renderer.instancetype.catalog import CatalogSource
    from renderer.instancetype.pin import Pinner
    from renderer.instancetype.virtual_machine import VirtualMachine

    root = tree.root.kustomization
    catalogs = catalog.after(CatalogSource(overlay.path, composed))
    pinner = Pinner(catalogs, overlay.kubevirt, lambda name: f"{root.name_prefix}{name}{root.name_suffix}")
    bare = composer.compose(before_transformers(tree))
    if bare.failed:
        raise DiagnosticError(*bare.diagnostics)
    for resource, target in earlier_forms(composed, bare.value):
        vm = VirtualMachine.of(resource)
        if vm is not None:
            pin = pinner.pin(vm)
            yield Pinnable(resource, target, pin.patch, pin.revisions, pin.findings)
