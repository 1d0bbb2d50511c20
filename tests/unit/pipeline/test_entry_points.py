"""Kinds of entries and the engines that find their overlays."""

from __future__ import annotations

import pytest

from renderer.files.file_system import MemoryFileSystem
from renderer.model.entry_point import ENGINE_KINDS, EntryKind, EntryOptions
from renderer.model.render_config import OverlayEntry, RenderConfig
from renderer.pipeline.entry_points import _ENGINES, look_up_overlays


def test_every_kind_of_entry_point_has_an_engine() -> None:
    assert tuple(_ENGINES) == ENGINE_KINDS


@pytest.mark.parametrize(("folder", "incomplete"), [("apps", frozenset()), ("gone", {"clusters/prod"})])
def test_entry_with_a_kustomization_that_cannot_be_built_is_incomplete(
    folder: str, incomplete: frozenset[str]
) -> None:
    kustomization = (
        "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
        "metadata: {name: apps, namespace: flux-system}\n"
        f"spec: {{path: ./{folder}, sourceRef: {{kind: GitRepository, name: flux-system}}}}\n"
    )
    files = {
        "clusters/prod/apps.yaml": kustomization,
        "apps/map.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n",
    }
    fs = MemoryFileSystem({path: text.encode() for path, text in files.items()})
    options = EntryOptions(EntryKind.FLUX, name_prefix="prod")
    config = RenderConfig(overlays=(OverlayEntry("clusters/prod", entry=options),))
    assert look_up_overlays(fs, config).incomplete_entries == incomplete
