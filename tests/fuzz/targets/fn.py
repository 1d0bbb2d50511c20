"""ResourceLists that ``vmrender fn`` gets."""

from __future__ import annotations

from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory

from click.testing import CliRunner
from hypothesis import strategies as st

from renderer.cli.app import main
from renderer.model.kube.json import text_at
from renderer.yamlio.decode import decode_documents
from tests.fuzz.mutation import mutated_file, project
from tests.fuzz.target import SEEDS, Target

_LISTS = tuple(project(SEEDS / "fn").values())
_FOLDER = TemporaryDirectory()
Path(_FOLDER.name, "web.yaml.j2").write_text(
    "kind: A\napiVersion: a/v1\nmetadata: {name: {{ name }}}\n", encoding="utf-8"
)


def _check(content: bytes) -> None:
    with chdir(_FOLDER.name):
        run = CliRunner().invoke(main, ["fn"], input=content)
    assert run.exit_code in (0, 1, 2), run.output
    [answer] = decode_documents(run.stdout.encode(), "-")
    assert text_at(answer, "kind") == "ResourceList"


TARGET = Target(
    st.sampled_from(_LISTS).flatmap(mutated_file), _check, folders=(str(Path(_FOLDER.name).resolve()),)
)
