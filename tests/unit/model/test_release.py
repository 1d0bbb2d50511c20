from __future__ import annotations

import pytest

from renderer.model.release import Release


def test_releases_compare_by_number_not_by_text() -> None:
    assert Release.parse("v1.10.2") > Release.parse("1.9")
    assert str(Release.parse("v1.10.2")) == "1.10"


@pytest.mark.parametrize("text", ["", "1", "1.x", "1.9.", "1.9.0-rc.1", "latest"])
def test_what_is_no_release_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a KubeVirt release"):
        Release.parse(text)
