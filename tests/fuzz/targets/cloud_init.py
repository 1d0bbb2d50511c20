"""Virtual machines with cloud-init, sysprep and access credentials, and what rules say of them."""

from __future__ import annotations

from tests.fuzz.judging import project_target

TARGET = project_target("cloud_init", "app/vm.yaml", "app/kustomization.yaml", "vmrender.yaml")
