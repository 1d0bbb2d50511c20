"""Strategic merge patches, by the merge keys of KubeVirt."""

from __future__ import annotations

from tests.fuzz.judging import project_target

TARGET = project_target("strategic_merge", "app/patch.yaml", "app/vm.yaml")
