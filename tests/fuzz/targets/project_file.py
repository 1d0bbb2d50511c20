"""``vmrender.yaml``."""

from __future__ import annotations

from tests.fuzz.judging import project_target

TARGET = project_target("project_file", "vmrender.yaml")
