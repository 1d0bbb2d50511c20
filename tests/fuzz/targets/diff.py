"""Two trees compared in every format: no difference contains a planted word."""

from __future__ import annotations

from hypothesis import strategies as st

from renderer.app.comparison.compared_overlay import compare_sides
from renderer.app.comparison.side import Side
from renderer.files.builtin_catalogs import BuiltinFileSystem
from renderer.files.file_system import MemoryFileSystem
from renderer.findings.located import LocatedError
from renderer.model.difference import Difference, OverlayDifference
from renderer.report import diff_html, diff_json, diff_markdown, diff_text
from tests.fuzz.judging import Files, check_reveals_nothing, project_target
from tests.fuzz.mutation import project
from tests.fuzz.target import SEEDS, Target

_SECRETS = ("app/kustomization.yaml", "app/patch.yaml", "app/other.yaml", "sizes/sizes.yaml")
_CHANGED = {
    "secrets": project_target("secrets", *_SECRETS).inputs,
    "machine": project_target("machine", "app/vm.yaml", "sizes/sizes.yaml").inputs,
    "project_file": project_target("project_file", "vmrender.yaml").inputs,
}
_MOST_BYTES = 3000


def _check(named: tuple[str, Files, bool]) -> None:
    seed, changed, is_new = named
    sides = [_side("one", project(SEEDS / seed)), _side("other", changed)]
    before, after = sides if is_new else reversed(sides)
    if before is None or after is None:
        return
    overlays = {**before.overlays, **after.overlays}
    compared = [_compared(before, after, path, overlay.name) for path, overlay in overlays.items()]
    difference = Difference(before.name, after.name, tuple(filter(None, compared)))
    markdown = diff_markdown.write(difference, _MOST_BYTES)
    assert len(markdown.encode()) <= _MOST_BYTES
    check_reveals_nothing(
        *(
            diff_text.write(difference),
            diff_json.write(difference),
            diff_json.write_lines(difference),
            markdown,
        ),
        diff_html.write(difference, "style", "script"),
    )


def _side(name: str, files: Files) -> Side | None:
    try:
        return Side(name, BuiltinFileSystem(MemoryFileSystem(files)))
    except LocatedError:
        return None


def _compared(before: Side, after: Side, path: str, name: str) -> OverlayDifference | None:
    old, new = before.render(path), after.render(path)
    if any(side is not None and side.content is None for side in (old, new)):
        return None
    return compare_sides((before, after), (old, new), path, name)


TARGET = Target(
    st.sampled_from(sorted(_CHANGED)).flatmap(
        lambda seed: st.tuples(st.just(seed), _CHANGED[seed], st.booleans())
    ),
    _check,
)
