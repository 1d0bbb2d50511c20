from __future__ import annotations

import pytest

from renderer.gitops.argocd.parameters import Rendering, SetError


@pytest.mark.parametrize(
    ("rendering", "text"),
    [(Rendering(go_template=True), '{{ repeat 1100000 "x" }}'), (Rendering(), "{{ long }}" * 2000)],
    ids=["go", "tags"],
)
def test_text_that_fits_into_no_application_is_refused(rendering: Rendering, text: str) -> None:
    with pytest.raises(SetError, match="makes more than 1048576 characters"):
        rendering.text(text, {"long": "x" * 1000})
