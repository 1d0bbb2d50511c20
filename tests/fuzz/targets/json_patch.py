"""JSON 6902 patches."""

from __future__ import annotations

from tests.fuzz.judging import project_target

TARGET = project_target("json_patch", "app/operations.yaml", "app/vm.yaml")
