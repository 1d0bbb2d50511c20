"""Input around Secrets and cloud-init data: no report or difference contains a planted word."""

from __future__ import annotations

from tests.fuzz.judging import project_target

TARGET = project_target(
    "secrets",
    "app/kustomization.yaml",
    "app/patch.yaml",
    "app/other.yaml",
    "sizes/sizes.yaml",
    "vmrender.yaml",
)
