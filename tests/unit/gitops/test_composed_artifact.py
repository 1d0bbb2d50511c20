"""The files of composed artifacts, as source-watcher's own tests have them."""

from __future__ import annotations

import pytest

from renderer.files.file_system import FileSystem, MemoryFileSystem
from renderer.gitops.flux.composed_artifact import (
    ComposedFileSystem,
    NotComposedError,
    compose_artifact,
    requested_artifact,
)
from renderer.golang.glob import doublestar_match
from renderer.model.diagnostic import DiagnosticError
from renderer.model.entry_point import ComposedArtifact
from renderer.model.kube.json import JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.res_id import Reference
from renderer.model.kube.resource import Resource
from renderer.model.run.limits import lowered
from renderer.model.run.work import WorkLimitError, begin_run

REPOSITORY = MemoryFileSystem(
    {
        "configs/a.yaml": b"a: 1\nlist: [1, 2]\nin: {x: 1}\n",
        "configs/b.yaml": b"b: 2\nlist: [3]\nin: {z: 2}\n",
        "configs/sub/c.yaml": b"c: 3\n",
        "configs/sub/notes.md": b"notes\n",
        "configs/sub/deep/d.yaml": b"d: 4\n",
        "configs/list.yaml": b"- 1\n",
        ".github/ci.yaml": b"e: 5\n",
        "apps/Web/env/dev/x.yaml": b"x: 1\n",
        "apps/api/env/dev/x.yaml": b"x: 2\n",
        "apps/api/README": b"not a folder\n",
    }
)


def generator(*copies: JsonObject, name: str = "made", **spec: str) -> Resource:
    sources = [
        {"alias": "repo", "kind": "GitRepository", "name": "fleet"},
        {"alias": "vendor", "kind": "OCIRepository", "name": "vendor", "namespace": "other"},
    ]
    content: JsonObject = {
        "apiVersion": "source.extensions.fluxcd.io/v1beta1",
        "kind": "ArtifactGenerator",
        "metadata": {"name": "apps", "namespace": "flux-system"},
        "spec": {"sources": sources, "artifacts": [{"name": name, "copy": list(copies)}], **spec},
    }
    return Resource(content, Site("apps.yaml"))


def files_of(key: Reference, _folder: str) -> FileSystem | None:
    return REPOSITORY if key == ("GitRepository", "flux-system", "fleet") else None


def composed(*copies: JsonObject, name: str = "made", wanted: str = "made", **spec: str) -> ComposedArtifact:
    request = requested_artifact([generator(*copies, name=name, **spec)], "flux-system", wanted, files_of)
    assert request is not None
    return compose_artifact(request, wanted, files_of)


def copy(pattern: str, target: str = "", **fields: str | list[str]) -> JsonObject:
    return {"from": f"@repo/{pattern}", "to": f"@artifact/{target}", **fields}


CONFIGS = ["a.yaml", "b.yaml", "list.yaml"]


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (copy("configs/a.yaml", "app.yaml"), ["app.yaml"]),
        (copy("configs/a.yaml", "apps/"), ["apps/a.yaml"]),
        (copy("configs/*.yaml", "apps/"), [f"apps/configs/{name}" for name in CONFIGS]),
        (copy("configs/sub/", "x/"), ["x/sub/c.yaml", "x/sub/deep/d.yaml", "x/sub/notes.md"]),
        (copy("configs/sub", "x"), ["x/sub/c.yaml", "x/sub/deep/d.yaml", "x/sub/notes.md"]),
        (copy("configs/sub/**", "x/"), ["x/c.yaml", "x/deep/d.yaml", "x/notes.md"]),
        (copy("configs/**/c.yaml", "x/"), ["x/configs/sub/c.yaml"]),
        (
            copy("configs/s*/**", "x/"),
            [f"x/configs/sub/{name}" for name in ("c.yaml", "deep/d.yaml", "notes.md")],
        ),
        (
            copy("configs/**", exclude=["*.md", "deep/**", "sub/deep/**", "[ab].yaml"]),
            ["list.yaml", "sub/c.yaml"],
        ),
        (copy("configs/**", exclude=["**/{a,b,list}.yaml", "sub"]), None),
        (copy("configs/**", exclude=["**/{a,b}.yaml", "configs/sub/**"]), ["list.yaml"]),
        (copy("configs/a.yaml", "x/../y.yaml"), ["y.yaml"]),
        (copy(".github/**", ".github/"), []),  # what a source leaves out by default
        (copy("missing/*.yaml"), None),
        (copy("configs/[a.yaml"), None),
        (copy("configs/none.yaml"), None),
        (copy("configs/a.yaml", "../evil.yaml"), None),
        ({"from": "configs/a.yaml", "to": "@artifact/"}, None),
        ({"from": "@repo/configs/a.yaml", "to": "@other/"}, None),
        ({"from": "@nobody/configs/a.yaml", "to": "@artifact/"}, None),
    ],
)
def test_copy_is_like_cp(operation: JsonObject, expected: list[str] | None) -> None:
    if expected is None:
        with pytest.raises(DiagnosticError):
            composed(operation)
    else:
        assert sorted(composed(operation).files) == expected


def test_later_copies_overwrite_or_merge() -> None:
    both = composed(copy("configs/a.yaml", "v.yaml"), copy("configs/b.yaml", "v.yaml"))
    assert both == ComposedArtifact("@artifact/flux-system/made", {"v.yaml": "configs/b.yaml"})
    merged = composed(
        copy("configs/a.yaml", "v.yaml"),
        copy("configs/b.yaml", "v.yaml", strategy="Merge"),
        copy("configs/sub/c.yaml", "v.yaml", strategy="Merge"),
    )
    assert merged.merged == {"v.yaml": b"a: 1\nb: 2\nc: 3\nin:\n  x: 1\n  z: 2\nlist:\n- 3\n"}
    again = composed(
        copy("configs/a.yaml", "v.yaml"),
        copy("configs/b.yaml", "v.yaml", strategy="Merge"),
        copy("configs/a.yaml", "v.yaml"),
    )
    assert again.merged == {}


def test_only_mappings_are_merged() -> None:
    with pytest.raises(DiagnosticError, match="is not a mapping"):
        composed(copy("configs/a.yaml", "v.yaml"), copy("configs/list.yaml", "v.yaml", strategy="Merge"))


def test_a_file_is_no_folder() -> None:
    with pytest.raises(DiagnosticError, match="is a file and a folder"):
        composed(copy("configs/a.yaml", "v"), copy("configs/b.yaml", "v/"))


@pytest.mark.parametrize(
    ("operation", "reason"),
    [
        (copy("configs/*.tgz", strategy="Extract"), "that extract archives"),
        ({"from": "@vendor/**", "to": "@artifact/"}, "with sources that are not this repository"),
    ],
)
def test_what_needs_more_is_named(operation: JsonObject, reason: str) -> None:
    with pytest.raises(NotComposedError, match=reason):
        composed(copy("configs/a.yaml"), operation)


@pytest.mark.parametrize(
    ("wanted", "file"), [("web-dev", "apps/Web/env/dev/x.yaml"), ("api-dev", "apps/api/env/dev/x.yaml")]
)
def test_captures_of_folders_name_artifacts(wanted: str, file: str) -> None:
    found = composed(
        copy("apps/{app}/env/{env}/**"),
        name="{app}-{env}",
        wanted=wanted,
        pathPattern="@repo/apps/{app}/env/{env}",
    )
    assert found.files == {"x.yaml": file}


def test_file_system_has_the_files_of_the_artifact_alone() -> None:
    artifact = composed(copy("configs/sub/**", "x/"))
    fs = ComposedFileSystem(REPOSITORY, artifact)
    root = artifact.folder
    assert fs.list(root) == ("x",)
    assert fs.list(f"{root}/x") == ("c.yaml", "deep", "notes.md")
    assert fs.resolve(f"{root}/x/c.yaml") == "configs/sub/c.yaml"
    assert fs.read("configs/sub/c.yaml") == b"c: 3\n"
    assert not fs.is_file("configs/a.yaml")
    assert not fs.is_file(f"{root}/../../configs/a.yaml")
    with pytest.raises(DiagnosticError, match="no such file"):
        fs.read("configs/a.yaml")


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("**", "a/b", True),
        ("a/**", "a", True),
        ("a/**/c", "a/c", True),
        ("a/**/c", "a/b/b/c", True),
        ("**/b/*.md", "a/b/c.md", True),
        ("**/b/*.md", "a/b/d/c.md", False),
        ("*", "a/b", False),
        ("a**", "ab", True),
        ("{a,b/**}/c", "b/x/c", True),
        ("{a,{b,c}}", "c", True),
        ("[ab", "a", False),
        ("".join(["{a,b}"] * 20), "a" * 20, False),
    ],
)
def test_doublestar(pattern: str, path: str, matches: bool) -> None:  # noqa: FBT001 - of a table
    assert doublestar_match(pattern, path) is matches


def test_work_of_copies_is_limited() -> None:
    many = [copy("**", f"x{number}/", exclude=["**/a*a*b"] * 50) for number in range(200)]
    begin_run()
    with lowered({"work": 10_000}), pytest.raises(WorkLimitError, match="composing artifacts"):
        composed(*many)
