"""Addresses that hooks and pipelines install vmrender from: which are accepted, and which refused."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement

from renderer.authoring.new_project.ci_files import github_file, gitlab_file, pre_commit_file
from renderer.authoring.new_project.install_source import (
    Archive,
    IndexRelease,
    InstallSource,
    Repository,
    Unknown,
    is_local,
    parse_address,
    parse_source,
    requirement,
)

ROOT = Path(__file__).parents[4]
COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("text", "source", "pip"),
    [
        (
            "https://git.example.com/mirrors/vmrender.git@v0.1.0",
            Repository("https://git.example.com/mirrors/vmrender.git", "v0.1.0"),
            "vmrender @ git+https://git.example.com/mirrors/vmrender.git@v0.1.0",
        ),
        (
            "git+https://git.example.com:8443/~me/vmrender@feature/x",
            Repository("https://git.example.com:8443/~me/vmrender", "feature/x"),
            "vmrender @ git+https://git.example.com:8443/~me/vmrender@feature/x",
        ),
        (
            f"git@git.example.com:platform/vmrender.git@{COMMIT}",
            Repository("git@git.example.com:platform/vmrender.git", COMMIT),
            f"vmrender @ git+ssh://git@git.example.com/platform/vmrender.git@{COMMIT}",
        ),
        (
            "ssh://git@git.example.com:2222/vmrender@v1",
            Repository("ssh://git@git.example.com:2222/vmrender", "v1"),
            "vmrender @ git+ssh://git@git.example.com:2222/vmrender@v1",
        ),
        (
            "/srv/my tools/vmrender@v1",
            Repository("/srv/my tools/vmrender", "v1"),
            "vmrender @ git+file:///srv/my%20tools/vmrender@v1",
        ),
        (
            "file:///srv/vmrender@v1",
            Repository("/srv/vmrender", "v1"),
            "vmrender @ git+file:///srv/vmrender@v1",
        ),
        (
            "C:\\tools\\vmrender@v1",
            Repository("C:\\tools\\vmrender", "v1"),
            "vmrender @ git+file:///C:/tools/vmrender@v1",
        ),
        (
            f"https://files.example.com/vmrender-0.1.0-py3-none-any.whl#sha256={COMMIT[:32] * 2}",
            Archive("https://files.example.com/vmrender-0.1.0-py3-none-any.whl", COMMIT[:32] * 2),
            f"vmrender @ https://files.example.com/vmrender-0.1.0-py3-none-any.whl#sha256={COMMIT[:32] * 2}",
        ),
        ("vmrender==0.1.0rc1", IndexRelease("0.1.0rc1"), "vmrender==0.1.0rc1"),
    ],
)
def test_valid_sources_are_accepted(text: str, source: Repository | Archive | IndexRelease, pip: str) -> None:
    assert parse_source(text) == (source, False)
    assert requirement(source) == pip
    assert Requirement(pip).name == "vmrender"
    assert is_local(source) == text.startswith(("/", "file:", "C:"))


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://me:secret@git.example.com/vmrender", "https://git.example.com/vmrender"),
        ("https://ghp_secret@git.example.com/vmrender", "https://git.example.com/vmrender"),
        ("https://a@b@git.example.com/vmrender", "https://git.example.com/vmrender"),
        ("ssh://git:secret@git.example.com/vmrender", "ssh://git@git.example.com/vmrender"),
    ],
)
def test_no_password_is_kept(text: str, url: str) -> None:
    assert parse_address(text) == (url, True)
    assert parse_source(f"{text}@v1") == (Repository(url, "v1"), True)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("http://git.example.com/vmrender@v1", "http is a way that others can change or read"),
        ("git://git.example.com/vmrender@v1", "git is a way that others can change or read"),
        ("ext::sh -c id@v1", "ext is a way that others can change or read"),
        ("https://git.example.com/vmrender?token=secret@v1", "a query or fragment"),
        ("https://git.example.com/a/../vmrender@v1", "has .. in it"),
        ("https://git.example.com/vmrender\n  - evil: 1@v1", "a control character"),
        ("/srv/vm\x1b[2Jrender@v1", "a control character"),
        ("/srv/vm\u2028render@v1", "a control character"),
        ("--upload-pack=id@v1", "an address is https://HOST/PATH"),
        ("-oProxyCommand=id:x@v1", "an address is https://HOST/PATH"),
        ("ssh://-oProxyCommand=id/x@v1", "an address is https://HOST/PATH"),
        ("https://git.example.com/$(id)@v1", "an address is https://HOST/PATH"),
        ('https://git.example.com/"x@v1', "an address is https://HOST/PATH"),
        ("../vmrender@v1", "an address is https://HOST/PATH"),
        ("https://git.example.com/vmrender", "the revision is missing"),
        ("git@git.example.com:vmrender", "the revision is missing"),
        ("https://git.example.com/vmrender@--help", "a revision is a commit"),
        ("https://git.example.com/vmrender@a..b", "a revision is a commit"),
        ("https://git.example.com/vmrender@v1;id", "a revision is a commit"),
        ("vmrender==0.1.0; python_version < '3'", "an address is https://HOST/PATH"),
        ("", "an address is https://HOST/PATH"),
    ],
)
def test_invalid_sources_are_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason) as raised:
        parse_source(text)
    assert "secret" not in str(raised.value)


def scripts(node: object) -> list[str]:
    """The shell scripts in a workflow or job."""
    if isinstance(node, list):
        return [script for each in node for script in scripts(each)]
    if not isinstance(node, dict):
        return []
    own = [node["run"]] if "run" in node else node.get("before_script", [])
    return [*own, *(script for each in node.values() for script in scripts(each))]


@given(st.text(alphabet="aZ0/.:@-_~ \\\"'$`;&|#{}()\n\x1b\u2028%=+?*", max_size=40), st.booleans())
def test_accepted_source_stays_one_value(text: str, in_path: bool) -> None:  # noqa: FBT001 - hypothesis
    """No address becomes another key, line or command: the files have the same shape as with a plain one."""
    try:
        source, _ = parse_source(f"https://h/{text}@v1" if in_path else text)
    except ValueError:
        return
    assert not isinstance(source, Unknown)

    def shape(node: object) -> object:
        if isinstance(node, dict):
            return {key: shape(value) for key, value in node.items()}
        return [shape(each) for each in node] if isinstance(node, list) else type(node)

    plain: InstallSource = Repository("https://h/p", "v1")
    if isinstance(source, Archive | IndexRelease):
        plain = Archive("https://h/p.whl") if isinstance(source, Archive) else IndexRelease("1")
    assert shape(yaml.safe_load(pre_commit_file(source))) == shape(yaml.safe_load(pre_commit_file(plain)))
    if is_local(source):
        return
    assert not isinstance(plain, Unknown)
    for write in (github_file, gitlab_file):
        written, expected = yaml.safe_load(write(source)), yaml.safe_load(write(plain))
        assert shape(written) == shape(expected)
        for script in scripts(written):
            assert not set("`;|\n") & set(requirement(source))
            assert "$(" not in script


@pytest.mark.parametrize("source", [Repository("https://h/p/vmrender", COMMIT), IndexRelease("1.0")])
def test_scripts_quote_for_bash(source: Repository | IndexRelease) -> None:
    for written in (github_file(source), gitlab_file(source)):
        found = scripts(yaml.safe_load(written))
        assert found
        for script in found:
            subprocess.run(["bash", "-n", "-c", script], check=True)


def test_hooks_without_a_repository_are_local() -> None:
    manifest = ROOT / ".pre-commit-hooks.yaml"
    if not manifest.exists():
        pytest.skip("needs a checkout")
    ours = {hook["id"]: hook for hook in yaml.safe_load(manifest.read_text(encoding="utf-8"))}
    written = {
        source: yaml.safe_load(pre_commit_file(source))["repos"][0]["hooks"]
        for source in (IndexRelease("0.1.0"), Unknown("a reason"))
    }

    for source, language in zip(written, ({"language": "python"}, {"language": "system"}), strict=True):
        for hook in written[source]:
            expected = {
                name: value
                for name, value in ours[hook["id"]].items()
                if name not in ("description", "minimum_pre_commit_version")
            }
            needed = (
                {"additional_dependencies": ["vmrender==0.1.0"]} if language["language"] == "python" else {}
            )
            assert hook == expected | language | needed


@pytest.mark.parametrize(
    ("url", "servers", "uses"),
    [
        ("https://github.com/acme/vmrender.git", (), "acme/vmrender@v1"),
        ("git@GitHub.com:acme/vmrender.git", (), "acme/vmrender@v1"),
        ("https://github.acme.com/tools/vmrender", ("github.acme.com",), "tools/vmrender@v1"),
        ("https://github.acme.com/tools/vmrender", ("github.com",), "./vmrender"),
        ("https://git.example.com/tools/vmrender", (), "./vmrender"),
        ("https://github.com/acme/tools/vmrender", (), "./vmrender"),
    ],
)
def test_action_is_named_if_the_server_has_it(url: str, servers: tuple[str, ...], uses: str) -> None:
    steps = yaml.safe_load(github_file(Repository(url, "v1"), servers))["jobs"]["check"]["steps"]
    assert steps[-1]["uses"] == uses
    assert steps[-1]["with"]["comment"] is True
    assert (steps[0]["with"].get("path") == "repository") == (uses == "./vmrender")
    assert (steps[-1]["with"].get("path") == "repository") == (uses == "./vmrender")
