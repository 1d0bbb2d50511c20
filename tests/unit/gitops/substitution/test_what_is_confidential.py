"""What substitution notes as confidential: what a Secret gets from variables, and no more."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from contextvars import copy_context
from unittest.mock import Mock

import pytest

from renderer.files.file_system import MemoryFileSystem
from renderer.gitops.flux.known_fields import SPEC_FIELDS
from renderer.gitops.substitution.post_build import (
    Misplaced,
    PostBuild,
    VariableReader,
    Variables,
    read_post_build,
)
from renderer.gitops.substitution.substitute import substitute
from renderer.gitops.unbuilt_folders import UnbuiltFolders
from renderer.kubevirt.facts.confidential.exposed_values import exposures
from renderer.model.entry_point import Strictness
from renderer.model.kube.json import Json, JsonObject
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from renderer.model.run.taint import begin_notes, tainted, values_in_places


def noted(variables: Variables, **fields: Json) -> frozenset[str]:
    """Return what a run with one Secret with these fields notes."""
    content: JsonObject = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "keys"}, **fields}

    def run() -> frozenset[str]:
        begin_notes()
        substitute(ResourceSet((Resource(content, Site("s.yaml")),)), variables, Strictness.LENIENT)
        return tainted()

    return copy_context().run(run)


def test_variable_that_becomes_a_password_is_confidential() -> None:
    assert "canary-is-a-bird" in noted(
        Variables({"pw": "canary-is-a-bird"}), stringData={"password": "${pw}"}
    )


def test_variable_in_a_name_is_not() -> None:
    """An application is often the user of its database, and its name is in all of its objects."""
    variables = Variables({"APP": "prowlarr"})
    assert noted(variables, metadata={"name": "${APP}-keys"}, stringData={"user": "${APP}"}) == frozenset()


def test_variable_that_becomes_a_password_is_confidential_in_a_name_too() -> None:
    """Also if the Secret has it as a user besides."""
    variables = Variables({"pw": "canary-is-a-bird"})
    fields: Json = {"user": "${pw}", "password": "${pw}"}
    assert "canary-is-a-bird" in noted(variables, metadata={"name": "${pw}-keys"}, stringData=fields)
    url: Json = {"url": "https://u:${pw}@host"}
    assert "canary-is-a-bird" in noted(variables, metadata={"name": "${pw}-keys"}, stringData=url)


@pytest.mark.parametrize("text", ["pre-${pw}", "${pw}${APP}", "run ${pw} now", "Bot:${pw}-x"])
def test_part_of_a_word_of_a_secret_is_confidential(text: str) -> None:
    variables = Variables({"pw": "canary-is-a-bird", "APP": "prowlarr"})
    found = noted(variables, metadata={"name": "${APP}-keys"}, stringData={"login": text, "key": text})
    assert "canary-is-a-bird" in found
    assert "prowlarr" not in found


@pytest.mark.parametrize(
    "entry",
    [
        {"config.env": "PIN=${pw}"},
        {"config.env": "PIN=${pw}\n"},
        {"c": '{"a": "${pw}"}'},
        {"c": '{"a": {"host": "h", "list": [1, "${pw}"]}}'},
        {"c": "host=h;a=${pw};b"},
        {"c": "a, ${pw}, b"},
        {"c": "a ${pw}=="},
        {"database": "{pin: ${pw}}"},
    ],
)
def test_part_of_a_line_with_several_values_is_confidential(entry: dict[str, Json]) -> None:
    assert "canary-is-a-bird" in noted(Variables({"pw": "canary-is-a-bird"}), stringData=entry)


@pytest.mark.parametrize(
    "entry",
    [
        {"config.json": '{"auths": {"${domain}": {"auth": "abc"}}}'},
        {"config.json": '{"auths": {"${domain}:5000": {"auth": "abc"}}}'},
        {"config.env": "HOST=${domain}"},
        {"c": "Server=tcp.${domain};Pin=abc"},
        {"c": '{"username": "${domain}", "a": "b"}'},
        {"c": "see https://${domain}/a, b"},
        {"host": "db.${domain}"},
        {"issuer": "https://login.${domain}/a"},
        {"settings": "allowed: x.${domain}\nother: y\n"},
        {"json": '{"host": "x.${domain}"}'},
    ],
)
def test_part_of_a_host_or_of_a_longer_text_of_a_secret_is_not(entry: dict[str, Json]) -> None:
    assert "example.org" not in noted(Variables({"domain": "example.org"}), stringData=entry)


@pytest.mark.parametrize(
    ("entry", "is_noted"),
    [
        ({"p": "${x}"}, True),
        ({"p": "${x:=default}"}, True),
        ({"p": "PIN=${x};a"}, True),
        ({"url": "https://a:${x}@h"}, True),
        ({"url": "https://a.${x}/"}, False),
        ({"user": "${x}"}, True),
        ({"p": "${known}"}, False),
    ],
)
def test_place_of_a_variable_without_a_value_is_noted(
    entry: dict[str, Json],
    is_noted: bool,  # noqa: FBT001 - a column of the table
) -> None:
    former: Json = {"x": "canary-is-a-bird", "known": "another-bird"}
    config_map: Json = {
        "kind": "ConfigMap",
        "metadata": {"name": "vars", "namespace": "a"},
        "data": former,
    }
    variables = Variables({"known": "canary-b"}, config_maps=(("a", "vars"),))

    def run() -> frozenset[str]:
        content: JsonObject = {"kind": "Secret", "metadata": {"name": "s"}, "stringData": entry}
        secret = Resource({"apiVersion": "v1", **content}, Site("s.yaml"))
        substitute(ResourceSet((secret,)), variables, Strictness.LENIENT)
        return values_in_places([config_map])

    assert ("canary-is-a-bird" in copy_context().run(run)) is is_noted


#: A value of a variable, and what a Secret has of it: an operator or YAML leaves another text.
CHANGED = [
    ("canary-is-a-bird", "${pw:0:8}"),
    ("canary-is-a-bird", "${pw:4}"),
    ("canary-is-a-bird", "${pw^^}"),
    ("CANARY-is-a-bird", "${pw,,}"),
    ("canary-is-a-bird", "${pw^}"),
    ("CANARY-is-a-bird", "${pw,}"),
    ("canary-is-a-bird", "${pw/is/was}"),
    ("canary-is-a-bird", "${pw//-/_}"),
    ("canary-is-a-bird", "${pw/#canary/x}"),
    ("canary-is-a-bird", "${pw/%bird/x}"),
    ("canary-is-a-bird", "${pw#canary-}"),
    ("canary-is-a-bird", "${pw##*-}"),
    ("canary-is-a-bird", "${pw%-bird}"),
    ("canary-is-a-bird", "${pw%%-*}"),
    ("canary-is-a-bird", "${pw:0:4}${pw:4}"),
    ("canary-is-a-bird", "pre-${pw:0:8}-post"),
    ("canary-is-a-bird", "https://u:${pw:0:8}@h"),
    ("canary-is-a-bird", "PIN=${pw:0:8};HOST=h"),
    ("canary-is-a-bird", '{"a": "${pw^^}"}'),
    ("canary-is-a-bird", "${unset:=${pw:0:8}}"),
    ("canary-is-a-bird", "${short/a/${pw:0:8}}"),
    ("canary-is-a-bird", "a: b\npassword: ${pw:0:8}\n"),
    ("https://h/canary", "${pw#https://}"),
    ('"012345x"', "${pw}"),
    ("canary-is  # a bird", "${pw}"),
    ("canary-is-a-bird  ", "${pw}"),
    ("!!str canary", "${pw}"),
    ("canary 'x'' y'", "${pw} z"),
]


@pytest.mark.parametrize(("value", "text"), CHANGED)
def test_variable_is_confidential_whatever_becomes_of_its_value(value: str, text: str) -> None:
    variables = Variables({"pw": value, "short": "abc", "APP": "prowlarr"})
    metadata: Json = {"name": "${APP}-keys"}
    found = noted(variables, metadata=metadata, stringData={"p": text, "user": "${APP:0:4}"})
    assert value.strip() in found
    assert "prowlarr" not in found
    secret = f"kind: Secret\nmetadata: {{name: '${{APP}}-keys'}}\nstringData: {json.dumps({'p': text})}\n"
    for broken in ("", "x: [\n", "---\nx: [\n"):
        files = MemoryFileSystem({"prod/secret.yaml": (secret + broken).encode()})
        assert UnbuiltFolders(files).exposed(["prod"], variables) == {value}


def test_variable_of_start_data_is_confidential_whatever_becomes_of_its_value() -> None:
    variables = Variables({"pw": "canary-is-a-bird", "domain": "example.org", "note": "see the handbook"})
    text = "#cloud-config\nfqdn: x.${domain%.org}\npassword: ${pw:0:8}\nfinal_message: ${note^^}\n"
    volume: Json = {"name": "ci", "cloudInitNoCloud": {"userData": text}}
    machine: JsonObject = {"kind": "VirtualMachineInstance", "spec": {"volumes": [volume]}}
    assert noted(variables, **machine) & {*variables.values.values()} == {"canary-is-a-bird"}


@pytest.mark.parametrize(
    "entry",
    [
        {"url": "https://a.${domain%.org}/x"},
        {"host": "db.${domain%.org}"},
        {"c": "Server=tcp.${domain%.org};Pin=abc"},
        {"settings": "allowed: x.${domain^^}\nother: y\n"},
        {"config.json": '{"auths": {"${domain%.org}:5000": {"auth": "abc"}}}'},
        {"user": "${domain:0:7}"},
    ],
)
def test_public_variable_stays_public_whatever_becomes_of_its_value(entry: dict[str, Json]) -> None:
    name: Json = {"name": "${domain%.org}-keys"}
    assert "example.org" not in noted(Variables({"domain": "example.org"}), metadata=name, stringData=entry)


def test_kind_that_a_variable_has_says_what_is_confidential() -> None:
    variables = Variables({"KIND": "Secret", "OTHER": "ConfigMap", "pw": "canary-is-a-bird"})
    assert "canary-is-a-bird" in noted(variables, kind="${KIND}", stringData={"p": "${pw:0:8}"})
    assert noted(variables, kind="${OTHER}", data={"p": "${pw:0:8}"}) == frozenset()


def test_confidential_variable_of_several_lines_is_noted_as_it_is_written() -> None:
    """Flux drops the line breaks, but a Kustomization or a ConfigMap shows the lines."""
    post_build = PostBuild(
        Site("apps.yaml"), substitute={"pw": "canary-is\na-bird", "other": "a\nother-bird"}
    )
    variables = VariableReader((), secrets=False, findings=[]).read(post_build)
    found = noted(variables, stringData={"p": "${pw}"})
    assert {"canary-isa-bird", "canary-is", "a-bird"} <= found
    assert "other-bird" not in found


def test_many_variables_are_looked_for_in_one_text() -> None:
    """Their stand-ins differ in their beginnings: else the search would give up and mask all of the text."""
    values = {f"v{index}": f"canary-{index}-is-a-bird" for index in range(3000)}
    text = " ".join(f"${{{name}}}" for name in values)
    variables = Variables({**values, "unused": "another-bird"})
    found = noted(variables, stringData={"p": text})
    assert found.issuperset(values.values())
    assert "another-bird" not in found


def test_variable_of_a_secret_that_cannot_be_built_is_confidential_and_no_other() -> None:
    texts = {
        "prod/kustomization.yaml": "resorces: [x]\n",
        "prod/secret.yaml": "kind: Secret\nmetadata: {name: '${APP}-keys'}\n"
        "stringData: {user: '${APP}', password: '${pw}', url: 'https://${cluster}.example.org'}\n",
        "prod/vm.yaml": "kind: VirtualMachine\nmetadata: {name: '${machine}'}\n",
        "prod/broken.yaml": "kind: Secret\nstringData:\n  cluster: ${cluster}\n  key: ${key}\n x: [\n"
        "---\nkind: ConfigMap\ndata: {x: '${machine}'}\n",
    }
    values = {
        "APP": "prowlarr",
        "pw": "canary",
        "cluster": "cluster-a",
        "machine": "machine-a",
        "key": "keykey",
    }

    files = MemoryFileSystem({path: text.encode() for path, text in texts.items()})

    exposed = UnbuiltFolders(files).exposed(["prod"], Variables(values))

    assert exposed == {"canary", "keykey"}


@pytest.mark.parametrize(
    "text",
    [
        "kind: Secret\nstringData: {p: '${pw}'}\n---\nx: [\n",
        "kind: Secret\nstringData: {p: '${pw}'}\nx: [\n",
        "kind: Secret\nstringData:\n  p: '${pw}\n",
        "kind: BGPPeer\nspec:\n  peer: ${APP}\n  password: ${pw}\n x: [\n",
        '{"kind": "Secret", "stringData": {"user": "${APP}", "p": "${pw}"}\n',
    ],
)
def test_variable_of_a_broken_secret_is_confidential_in_any_style(text: str) -> None:
    files = MemoryFileSystem({"prod/secret.yaml": text.encode()})
    values = {"pw": "canary-is-a-bird", "APP": "prowlarr"}

    assert UnbuiltFolders(files).exposed(["prod"], Variables(values)) == {"canary-is-a-bird"}


@pytest.mark.parametrize(
    "spec",
    [
        {"postBuild": {"substitute": {"pw": 12345678}}},
        {"postBuild": {"substitute": [{"value": "12345678", "name": "pw"}]}},
        {"postBuild": {"substitute": "pw: 12345678"}},
        {"postBuild": {"substitute": ["pw=12345678"]}},
        {"postBuild": {"substitute": {"my-pw": "12345678"}}},
        {"postBuild": {"subsitute": {"pw": "12345678"}}},
        {"postBuild": "pw=12345678"},
        {"substitute": {"pw": "12345678"}},
        {"variables": [{"key": "pw", "value": "12345678"}]},
        {"postBuild": {"substitute": {"pw": {"value": "12345678"}}}},
        {"postBuild": {"substituteFrom": {"pw": "12345678"}}},
        {"postBuild": {"substituteFrom": [{"kind": "ConfigMap", "name": "x", "pw": "12345678"}]}},
        {"postbuild": {"substitute": {"pw": "12345678"}}},
        {"postBuild": {"subsitute": {"password": "12345678"}}},
    ],
)
def test_misplaced_variable_is_confidential_like_any_other(spec: Json) -> None:
    entry = Resource({"kind": "Kustomization", "metadata": {"name": "apps"}, "spec": spec}, Site("apps.yaml"))
    secret = b"kind: Secret\nstringData: {p: '${pw}', q: '${my-pw}'}\n"
    post_build = read_post_build(entry, [], SPEC_FIELDS)

    exposed = UnbuiltFolders(MemoryFileSystem({"prod/secret.yaml": secret})).exposed(
        ["prod"],
        Variables(misplaced=(*post_build.misplaced, Misplaced(frozenset({"SITE"}), "a-public-place"))),
    )

    assert "12345678" in exposed
    assert "a-public-place" not in exposed


def test_variables_in_their_place_are_not_misplaced() -> None:
    spec: Json = {"path": "a", "postBuild": {"substitute": {"pw": "a=b"}, "substituteFrom": [{"name": "x"}]}}
    entry = Resource({"kind": "Kustomization", "metadata": {"name": "apps"}, "spec": spec}, Site("apps.yaml"))

    assert read_post_build(entry, [], SPEC_FIELDS).misplaced == ()


def test_default_beside_a_confidential_variable_is_not() -> None:
    variables = Variables({"pw": "canary-is-a-bird"}, confidential=frozenset({"canary-is-a-bird"}))
    labels: Json = {"mode": "${mode:=ReadWriteOnce}", "dsn": "${pw}"}
    found = noted(variables, metadata={"name": "keys", "labels": labels})
    assert "canary-is-a-bird" in found
    assert "ReadWriteOnce" not in found


class CountedFileSystem(MemoryFileSystem):
    """Counts how often each folder is listed."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        super().__init__(files)
        self.listed: Counter[str] = Counter()

    def list(self, path: str) -> tuple[str, ...]:
        self.listed[path] += 1
        return super().list(path)


def test_folders_in_folders_that_cannot_be_built_are_listed_once() -> None:
    folders = ["/".join("abcdefgh"[:depth]) for depth in range(1, 9)]
    fs = CountedFileSystem({f"{folder}/s.yaml": b"kind: Secret" for folder in folders})
    UnbuiltFolders(fs).exposed(folders, Variables({"pw": "canary-is-a-bird"}))
    assert max(fs.listed.values()) <= 3  # twice to ask whether it is a folder


def test_equal_texts_of_kustomizations_are_searched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = Mock(side_effect=exposures)
    monkeypatch.setattr("renderer.gitops.substitution.exposed_variables.exposures", searched)
    for number in range(3):
        variables = Variables({"A": "first-value", "N": str(number)}, config_maps=(("a", "variables"),))
        assert "first-value" in noted(variables, stringData={"k": "x ${A}"})
    assert searched.call_count == 1
