"""Variables of a Flux Kustomization."""

from __future__ import annotations

from tests.fuzz.judging import project_target

TARGET = project_target("flux", "clusters/vms.yaml", "clusters/sizes.yaml", "app/vm.yaml")
