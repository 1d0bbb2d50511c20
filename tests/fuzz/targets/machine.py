"""Virtual machines and sizes: expansion, schemas, admission, rules, names."""

from __future__ import annotations

from tests.fuzz.judging import project_target

TARGET = project_target("machine", "app/vm.yaml", "sizes/sizes.yaml")
