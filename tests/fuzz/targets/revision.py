"""ControllerRevisions, in each of their encodings."""

from __future__ import annotations

from tests.fuzz.judging import project_target

TARGET = project_target("revision", "app/vm.yaml")
