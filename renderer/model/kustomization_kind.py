"""The kinds of a kustomization file (kustomize ``api/types/kustomization.go``)."""

from __future__ import annotations

KUSTOMIZATION_KIND = "Kustomization"
COMPONENT_KIND = "Component"
