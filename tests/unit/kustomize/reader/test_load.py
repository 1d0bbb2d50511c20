from __future__ import annotations

from pathlib import Path

import pytest

from renderer.files.file_system import DiskFileSystem, FileSystem, MemoryFileSystem
from renderer.kustomize.reader.find_kustomization import LoadRestrictor
from renderer.kustomize.reader.load import Loader
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, DiagnosticError
from renderer.model.kube.location import Site
from renderer.model.source_tree import KustomizationRoot, ResourceFile

CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"
COMPONENT = "kind: Component\nresources: []\n"


class CountingFileSystem(MemoryFileSystem):
    def __init__(self, files: dict[str, str]) -> None:
        super().__init__({name: text.encode() for name, text in files.items()})
        self.reads: list[str] = []

    def read(self, path: str) -> bytes:
        self.reads.append(path)
        return super().read(path)


def tree(files: dict[str, str]) -> MemoryFileSystem:
    return MemoryFileSystem({name: text.encode() for name, text in files.items()})


def problems(fs: FileSystem, path: str = ".") -> tuple[Diagnostic, ...]:
    with pytest.raises(DiagnosticError) as error:
        Loader(fs).load(path)
    return error.value.diagnostics


def code_of(files: dict[str, str], path: str = ".") -> Code:
    return problems(tree(files), path)[0].code


def test_shared_base_is_read_once_and_is_one_value() -> None:
    fs = CountingFileSystem(
        {
            "base/kustomization.yaml": "resources: [c.yaml]",
            "base/c.yaml": CONFIG_MAP,
            "a/kustomization.yaml": "resources: [../base]",
            "b/kustomization.yaml": "resources: [../base]\npatches: [{path: p.yaml}, {path: p.yaml}]",
            "b/p.yaml": CONFIG_MAP,
        }
    )
    loader = Loader(fs)
    first, second = loader.load("a").root, loader.load("b").root
    assert first.resources[0] is second.resources[0]
    assert sorted(fs.reads) == [
        "a/kustomization.yaml",
        "b/kustomization.yaml",
        "b/p.yaml",
        "base/c.yaml",
        "base/kustomization.yaml",
    ]


def test_resources_precede_bases() -> None:
    files = {
        "o/kustomization.yaml": "bases: [../base]\nresources: [c.yaml]",
        "o/c.yaml": CONFIG_MAP,
        "base/kustomization.yaml": "resources: []",
    }
    root = Loader(tree(files)).load("o").root
    assert [type(entry) for entry in root.resources] == [ResourceFile, KustomizationRoot]


@pytest.mark.parametrize("name", ["kustomization.yaml", "kustomization.yml", "Kustomization"])
def test_a_kustomization_has_one_of_three_names(name: str) -> None:
    assert Loader(tree({f"o/{name}": "resources: []"})).load("o").root.kustomization.site == Site(f"o/{name}")


def test_a_folder_without_or_with_two_kustomizations_is_an_error() -> None:
    assert code_of({"o/x.yaml": ""}, "o") is Code.KUSTOMIZATION_MISSING
    both = {"kustomization.yaml": "resources: []", "Kustomization": "resources: []"}
    assert code_of(both) is Code.KUSTOMIZATION_AMBIGUOUS


def test_missing_entry_is_named_with_its_field_and_a_suggestion() -> None:
    (problem,) = problems(tree({"kustomization.yaml": "resources: [vm.yml]", "vm.yaml": CONFIG_MAP}))
    assert problem.code is Code.FILE_NOT_FOUND
    assert problem.sites == (Site("kustomization.yaml").below("resources", 0),)
    assert problem.hint == "did you mean vm.yaml?"


def test_every_missing_entry_is_reported() -> None:
    files = {"kustomization.yaml": "resources: [a, b]\npatches: [{path: c}]\ncomponents: [d]"}
    assert len(problems(tree(files))) == 4


@pytest.mark.parametrize("entry", [".", "..", "../..", "../o", "../base"])
def test_kustomization_cannot_use_itself_or_a_parent_folder(entry: str) -> None:
    files = {
        "x/o/kustomization.yaml": f"resources: [{entry}]",
        "x/base/kustomization.yaml": "resources: [../o]",
        "x/kustomization.yaml": "resources: []",
        "kustomization.yaml": "resources: []",
    }
    assert code_of(files, "x/o") is Code.KUSTOMIZATION_CYCLE


def test_a_cycle_is_found_through_a_base_that_has_been_loaded_before() -> None:
    files = {
        "kustomization.yaml": "resources: [d/base, d/o]",
        "d/base/kustomization.yaml": "resources: [../other]",
        "d/other/kustomization.yaml": "resources: []",
        "d/other/o/kustomization.yaml": "resources: [../../base]",
        "d/o/kustomization.yaml": "resources: [../other/o]",
    }
    problem = problems(tree(files))[0]
    assert problem.code is Code.KUSTOMIZATION_CYCLE
    assert "d/other/o" in problem.message


def test_one_broken_base_is_reported_once_for_all_that_use_it() -> None:
    files = {
        "kustomization.yaml": "resources: [a, b]",
        "a/kustomization.yaml": "resources: [../c]",
        "b/kustomization.yaml": "resources: [../c]",
        "c/kustomization.yaml": "resources: [nope]",
    }
    assert len(set(problems(tree(files)))) == 1


def test_one_mistake_with_a_fix_is_reported_once() -> None:
    """A fix may hold a mapping, which has no hash."""
    fs = tree({"kustomization.yaml": "resources: [base]", "base/kustomization.yaml": 'patches: [""]'})
    (problem,) = problems(fs)
    assert problem.fix is not None


def test_component_and_kustomization_are_not_interchangeable() -> None:
    files = {"c/kustomization.yaml": COMPONENT, "k/kustomization.yaml": "resources: []"}
    assert code_of({**files, "o/kustomization.yaml": "resources: [../c]"}, "o") is Code.KUSTOMIZATION_FIELD
    assert code_of({**files, "o/kustomization.yaml": "components: [../k]"}, "o") is Code.KUSTOMIZATION_FIELD
    assert Loader(tree({**files, "o/kustomization.yaml": "components: [../c]"})).load("o").root.components


@pytest.mark.parametrize(
    "entry",
    [
        "https://example.com/vm.yaml",
        "github.com/kubevirt/common-instancetypes?ref=v1.7.0",
        "git@github.com:kubevirt/common-instancetypes.git",
        "ssh://git@example.com/repo.git",
    ],
)
def test_remote_resources_are_refused_with_a_hint(entry: str) -> None:
    (problem,) = problems(tree({"kustomization.yaml": f"resources: ['{entry}']"}))
    assert problem.code is Code.UNSUPPORTED_FIELD
    assert "vendor" in (problem.hint or "")


def test_files_have_to_be_in_or_below_the_folder_of_the_kustomization() -> None:
    files = {"o/kustomization.yaml": "resources: [../c.yaml]", "c.yaml": CONFIG_MAP}
    assert code_of(files, "o") is Code.FILE_OUTSIDE_ROOT
    assert Loader(tree(files), LoadRestrictor.NONE).load("o").root.resources


def test_file_link_out_of_the_folder_is_refused_but_link_to_a_base_is_followed(tmp_path: Path) -> None:
    for folder in ("o", "base"):
        (tmp_path / folder).mkdir()
    (tmp_path / "base/kustomization.yaml").write_text("resources: [c.yaml]")
    (tmp_path / "base/c.yaml").write_text(CONFIG_MAP)
    (tmp_path / "o/link").symlink_to(tmp_path / "base")
    (tmp_path / "o/c.yaml").symlink_to(tmp_path / "base/c.yaml")
    (tmp_path / "o/kustomization.yaml").write_text("resources: [link]")
    assert Loader(DiskFileSystem(tmp_path)).load("o").root.resources[0].kustomization.site.path == (  # type: ignore[union-attr]  # a root, or the test fails
        "base/kustomization.yaml"
    )
    (tmp_path / "o/kustomization.yaml").write_text("resources: [c.yaml]")
    assert problems(DiskFileSystem(tmp_path), "o")[0].code is Code.FILE_OUTSIDE_ROOT


def test_kustomization_file_that_links_out_of_its_folder_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "o").mkdir()
    (tmp_path / "k.yaml").write_text("resources: []")
    (tmp_path / "o/kustomization.yaml").symlink_to(tmp_path / "k.yaml")
    assert problems(DiskFileSystem(tmp_path), "o")[0].code is Code.KUSTOMIZATION_MISSING


@pytest.mark.parametrize("patch", ["{}", "{path: p.yaml, patch: x}"])
def test_a_patch_has_a_path_or_a_text(patch: str) -> None:
    assert code_of({"kustomization.yaml": f"patches: [{patch}]", "p.yaml": CONFIG_MAP}) is Code.PATCH_INVALID


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("resources: []\n---\nresources: [x]\n", 3),
        ("# top\n---\nresources: []\n---\n# nothing\n---\n\nnamePrefix: x\n", 6),
    ],
)
def test_documents_ignored_by_kustomize_are_a_warning(text: str, line: int) -> None:
    (warning,) = Loader(tree({"kustomization.yaml": text})).load(".").root.warnings
    assert warning.code is Code.IGNORED_DOCUMENT
    assert warning.location is not None
    assert warning.location.line in (line, line - 1)


@pytest.mark.parametrize(
    "text", ["---\nresources: []\n", "# top\n---\nresources: []\n---\n", "resources: []\n...\n"]
)
def test_single_document_is_not_a_warning(text: str) -> None:
    assert Loader(tree({"kustomization.yaml": text})).load(".").root.warnings == ()


def test_kustomization_file_as_resource_is_refused_with_a_hint() -> None:
    files = {"kustomization.yaml": "resources: [base/kustomization.yaml]"}
    files["base/kustomization.yaml"] = "kind: Kustomization\nresources: []"
    (problem,) = problems(tree(files))
    assert problem.hint == "list its folder instead"
