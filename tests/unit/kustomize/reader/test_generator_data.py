from __future__ import annotations

import pytest

from renderer.kustomize.reader.generator_data import read_data
from renderer.model.kube.location import Site
from renderer.model.kustomization import GeneratorArgs
from renderer.model.run.taint import begin_notes, taint_masking
from renderer.model.source_tree import ListedFile

SITE = Site("kustomization.yaml")


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("DB_PASSWORD", "DB_PASSWORD"),
        ("AWS_S3_KEY2", "AWS_S3_KEY2"),
        ("proxy_host", "proxy_host"),
        ("dbPassword=", "dbPassword"),
        ("QzThirdLine", "***"),
        ("MIICabcdef2Line", "***"),
        ("JBSWY3DPEHPK3PXP", "***"),
        ("correct-horse-battery", "***"),
        ("QzThirdLine456==", "***"),
        ("QzThirdLine4567890=", "QzThirdLine4567890"),
        ("# comment-line", "# comment-line"),
    ],
)
def test_further_line_of_a_value_is_confidential_and_a_variable_is_not(line: str, shown: str) -> None:
    begin_notes()
    content = f"KEY=first line\n{line}\n".encode()

    args = GeneratorArgs(SITE, "Secret", name="s", envs=("s.env",))
    read_data(args, lambda path, _: ListedFile(path, content), is_secret=True)

    assert taint_masking().mask(line.rstrip("=")) == shown
