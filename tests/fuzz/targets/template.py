"""``kind: Template``: its file, its values and its text."""

from __future__ import annotations

from tests.fuzz.judging import project_target

TARGET = project_target("template", "app/web.yaml", "app/web.yaml.j2", "app/zones.yaml", "app/defaults.yaml")
