from __future__ import annotations

import pytest

from renderer.files.file_system import MemoryFileSystem
from renderer.model.cluster_settings import COMMON_INSTANCETYPES, CatalogPath
from renderer.model.codes import Code
from renderer.model.diagnostic import DiagnosticError
from renderer.model.release import UNRELEASED, Release
from renderer.model.render_config import (
    ExpandMode,
    InstancetypeNames,
    Layout,
    MergeKeys,
    OverlayEntry,
    RenderConfig,
)
from renderer.project.project import load_project

HEADER = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n"


def load(text: str) -> RenderConfig:
    return load_project(MemoryFileSystem({"vmrender.yaml": (HEADER + text).encode()}))


def findings(text: str) -> list[tuple[str, str | None]]:
    with pytest.raises(DiagnosticError) as error:
        load(text)
    assert {diagnostic.code for diagnostic in error.value.diagnostics} == {Code.CONFIG_INVALID}
    return [(diagnostic.message, diagnostic.hint) for diagnostic in error.value.diagnostics]


def test_a_repository_without_a_project_file_works() -> None:
    assert load_project(MemoryFileSystem({})) == RenderConfig()


def test_every_field_is_read() -> None:
    config = load("""
kubevirt: "1.8"
catalogs:
- path: catalog/own
- builtin: common-instancetypes
overlays:
- path: overlays/*
  output: out/{name}
- path: overlays/legacy
  kubevirt: v1.5.0
  expand: "off"
  layout: bundle
  writeInstancetypes: false
expand: defaults
mergeKeys: kubevirt
""")
    assert config == RenderConfig(
        kubevirt=Release.parse("1.8"),
        catalogs=(CatalogPath("catalog/own"), COMMON_INSTANCETYPES),
        overlays=(
            OverlayEntry("overlays/*", output="out/{name}"),
            OverlayEntry(
                "overlays/legacy",
                None,
                Release.parse("1.5.0"),
                ExpandMode.OFF,
                Layout.BUNDLE,
                False,  # noqa: FBT003 - a record
            ),
        ),
        expand=ExpandMode.DEFAULTS,
        merge_keys=MergeKeys.KUBEVIRT,
    )


def test_instance_types_are_named_by_the_project_or_by_the_overlay() -> None:
    config = load("""
instancetypeNames: hash
overlays:
- path: overlays/*
- path: overlays/legacy
  instancetypeNames: plain
""")
    new, legacy = (config.overlay(entry, entry.path, "name").instancetype_names for entry in config.overlays)
    assert (new, legacy) == (InstancetypeNames.HASH, InstancetypeNames.PLAIN)
    assert config.renames_instancetypes
    assert not RenderConfig().renames_instancetypes


def test_unquoted_off_is_accepted() -> None:
    assert load("expand: off\n").expand is ExpandMode.OFF


def test_an_empty_list_of_catalogs_means_none() -> None:
    assert load("catalogs: []\n").catalogs == ()


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("kubvirt: '1.9'\n", "unknown field kubvirt", "did you mean kubevirt?"),
        (
            "kubevirt: 1.9\n",
            "kubevirt must be text, not 1.9",
            'write it in quotes: without them, "1.10" is read as the number 1.1',
        ),
        (
            "kubevirt: latest\n",
            (
                "'latest' is not a KubeVirt release; write it as 1.9 or 1.9.0, or as the release of a"
                " product, such as hco-1.18"
            ),
            None,
        ),
        (
            "kubevirt: main\n",
            (
                "'main' is a branch of KubeVirt, which changes every day; write \"1.10\" for what it had on"
                f" {UNRELEASED[1, 10].date}"
            ),
            None,
        ),
        (
            "kubevirt: '1.11'\n",
            "KubeVirt 1.11 is not supported; 1.0 to 1.9 are, and 1.10, which is not released yet",
            "import its schemas first: vmrender schema import --release 1.11",
        ),
        ("schemas:\n- schemas\n", "schemas[0] must be a mapping, not 'schemas'", None),
        ("schemas:\n- {}\n", "write the path of a folder with schemas, or of a file with one", None),
        ("instancetypeNmes: hash\n", "unknown field instancetypeNmes", "did you mean instancetypeNames?"),
        ("instancetypeNames: hsh\n", "instancetypeNames cannot be 'hsh'", "one of plain, hash, version"),
        ("expand: all\n", "expand cannot be 'all'", "one of applied, defaults, off"),
        ("overlays: overlays/*\n", "overlays must be a list, not 'overlays/*'", None),
        ("overlays:\n- overlays/*\n", "overlays[0] must be a mapping, not 'overlays/*'", None),
        ("output: out/{nam}\n", "output has a placeholder other than {name}: out/{nam}", None),
        ('output: ""\n', "output is empty", "write a path, such as rendered/{name}"),
        ("catalogs:\n- builtin: common\n", "no built-in catalog 'common'", "one of common-instancetypes"),
        ("catalogs:\n- {}\n", "a catalog has either path or builtin", None),
    ],
)
def test_error_quotes_the_users_words(text: str, message: str, hint: str | None) -> None:
    assert (message, hint) in findings(text)


def test_all_problems_are_reported_together() -> None:
    assert len(findings("expand: all\nlayout: flat\nfoo: 1\n")) == 3


@pytest.mark.parametrize("text", ["", "[]", "text", "apiVersion: v1\nkind: ConfigMap\n"])
def test_another_kind_of_document_is_refused(text: str) -> None:
    with pytest.raises(DiagnosticError) as error:
        load_project(MemoryFileSystem({"vmrender.yaml": text.encode()}))
    assert error.value.diagnostics[0].code is Code.CONFIG_INVALID
