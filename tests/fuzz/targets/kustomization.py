"""Files that kustomize reads, other than resources."""

from __future__ import annotations

from tests.fuzz.judging import project_target

TARGET = project_target(
    "kustomization",
    "app/kustomization.yaml",
    "part/kustomization.yaml",
    "cfg/names.yaml",
    "cfg/openapi.json",
    "cfg/crd.json",
    "app/vars.env",
)
