"""Variables of a Secret that is not in the repository keep their place, and break no object."""

from __future__ import annotations

from renderer.gitops.substitution.post_build import Variables
from renderer.gitops.substitution.substitute import substitute
from renderer.model.json import JsonObject, object_at
from renderer.model.location import Site
from renderer.model.resource import Resource, ResourceSet

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
    outcome = substitute(ResourceSet((Resource(content, Site("db.yaml")),)), variables, strict=False)
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
