"""Variables of a Secret that is not in the repository keep their place, and break no object."""

from __future__ import annotations

from renderer.gitops.substitution.post_build import VariableReader, Variables, read_post_build
from renderer.gitops.substitution.substitute import SecondPass, substitute
from renderer.model.diagnostic import Diagnostic
from renderer.model.entry_point import Strictness
from renderer.model.kube.json import Json, JsonObject, object_at
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet

LISTS: JsonObject = {
    "name": "${APP}-db",
    "extensions": "${q:='}${EXTENSIONS:=}${q:='}",
    "owner": "${OWNER:=${APP}}",
}


def data(variables: Variables) -> tuple[JsonObject, list[str]]:
    content: JsonObject = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "db"},
        "data": LISTS,
    }
    outcome = substitute(ResourceSet((Resource(content, Site("db.yaml")),)), variables, Strictness.LENIENT)
    [changed] = outcome.value.resources
    return object_at(changed.content, "data"), [str(each.code) for each in outcome.diagnostics]


def test_text_valid_only_with_all_variables_stays_as_written() -> None:
    values = {"APP": "shop", "EXTENSIONS": "[\n  { name: vector }\n]\n"}
    assert data(Variables(values, incomplete=True)) == (
        {"name": "shop-db", "extensions": LISTS["extensions"], "owner": LISTS["owner"]},
        [],
    )


def test_complete_variables_are_substituted_like_flux() -> None:
    values = {"APP": "shop", "EXTENSIONS": "[\n  { name: vector }\n]\n"}
    assert data(Variables(values)) == (
        {"name": "shop-db", "extensions": "[ { name: vector } ] ", "owner": "shop"},
        [],
    )


def test_text_invalid_with_all_variables_is_an_error() -> None:
    values = {"APP": "shop", "EXTENSIONS": "it's"}
    assert data(Variables(values))[1] == ["substitution-failed"]


def test_value_that_an_encrypted_secret_overrides_is_unknown() -> None:
    settings = resource("ConfigMap", "settings", data={"SIZE": "small", "SITE": "north", "TIER": "a"})
    secret = resource("Secret", "secrets", stringData={"SIZE": "ENC[x]", "TIER": "ENC[y]"}, sops={})
    later = resource("ConfigMap", "later", data={"TIER": "b"})
    sources = [("ConfigMap", "settings"), ("Secret", "secrets"), ("ConfigMap", "later")]
    references: list[Json] = [{"kind": kind, "name": name} for kind, name in sources]
    entry = resource("Kustomization", "apps", spec={"postBuild": {"substituteFrom": references}})
    for secrets in (False, True):
        findings: list[Diagnostic] = []
        reader = VariableReader((settings, secret, later), secrets=secrets, findings=findings, lenient=True)
        variables = reader.read(read_post_build(entry, findings, (), variables_only=False))
        assert (variables.values, variables.incomplete) == ({"SITE": "north", "TIER": "b"}, True)
        assert [str(each.code) for each in findings] == ["variables-not-found"]


def test_text_whose_quotes_come_from_variables_stays_as_written() -> None:
    """Without the quotes, Flux would read the number that ``OWNER`` may be."""
    content: JsonObject = {"a": "${q}${OWNER}${q}", "b": "${q}shop${q}", "c": "$${HOME} $1 $$"}
    resources = ResourceSet((resource("ConfigMap", "db", data=content),))
    variables = Variables({"q": '"'}, incomplete=True)
    outcome = substitute(resources, variables, Strictness.LENIENT, again=SecondPass.ENCRYPTED)
    assert object_at(outcome.value.resources.resources[0].content, "data") == {**content, "b": "shop"}


def resource(kind: str, name: str, **fields: Json) -> Resource:
    metadata: JsonObject = {"name": name, "namespace": "flux-system"}
    content: JsonObject = {"apiVersion": "v1", "kind": kind, "metadata": metadata, **fields}
    return Resource(content, Site(f"{name}.yaml"))


def test_variable_in_a_default_that_is_not_used_may_be_known_elsewhere() -> None:
    content: JsonObject = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "db"},
        "data": {"url": "${DOMAIN:=${APP}.${SECRET_DOMAIN}}"},
    }
    resources = ResourceSet((Resource(content, Site("db.yaml")),))
    values = {"DOMAIN": "idm.example.org"}
    partly = substitute(resources, Variables(values, incomplete=True), Strictness.STRICT)
    complete = substitute(resources, Variables(values), Strictness.STRICT)

    assert partly.diagnostics == ()
    assert [found.message.partition(":")[0] for found in complete.diagnostics] == [
        "nothing gives a value to ${APP}",
        "nothing gives a value to ${SECRET_DOMAIN}",
    ]


def test_variable_of_an_optional_source_that_is_missing_may_be_in_the_cluster() -> None:
    metadata: JsonObject = {"name": "db"}
    content: JsonObject = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata,
        "data": {"a": "${A}"},
    }
    resources = ResourceSet((Resource(content, Site("db.yaml")),))
    variables = Variables({"B": "b"}, uncertain=True)

    by_release = substitute(resources, variables, Strictness.STRICT)
    by_project = substitute(resources, variables, Strictness.ASKED)

    assert [str(each.severity) for each in by_release.diagnostics] == ["warning"]
    assert [str(each.severity) for each in by_project.diagnostics] == ["error"]
