"""``kind: InstancetypeSeries``."""

from __future__ import annotations

from tests.fuzz.judging import project_target

TARGET = project_target("series", "app/db1.yaml")
