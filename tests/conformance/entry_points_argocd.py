"""Argo CD: one Application, an app of apps, or an ApplicationSet."""

from __future__ import annotations

from typing import Any

from renderer.source.file_system import FileSystem


def run_argocd(fs: FileSystem, case: dict[str, Any]) -> dict[str, Any]:
    return {"error": "not yet"}
