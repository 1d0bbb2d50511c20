"""Flux's own substitution of a tree makes the objects that it would have made of the sources at once."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from renderer.gitops.substitution.post_build import Variables
from renderer.gitops.substitution.substitute import SecondPass, substitute
from renderer.model.entry_point import Strictness
from renderer.model.kube.encryption import is_encrypted
from renderer.model.kube.json import JsonObject, without
from renderer.model.kube.location import Site
from renderer.model.kube.resource import Resource, ResourceSet
from tests.properties.examples import examples

PIECES = (
    *("${a}", "${b}", "${c}", "${a:-x}", "${c:=${a}}", "${a:=${c}}", "${b/x/${c}}", "${a^^}", "${#b}"),
    *("$${a}", "$${HOME}", "$$", "$", "$1", "{a}", "}", "x", ": ", " #", '"', "'", "8", "-", "yes", "\n"),
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
VALUES = st.text("x$1{}ab\"' :8", max_size=5) | st.sampled_from(["yes", "010", "[a, b]", "${c}", "$", '"'])


def resources(texts: list[str], key: str, switch: str) -> ResourceSet:
    marks = {"kustomize.toolkit.fluxcd.io/substitute": switch}
    contents: list[JsonObject] = [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": f"o{index}", "annotations": marks if index else {}},
            "data": {key or "key": text, "list": [text, {"nested": text}], "number": 8},
        }
        for index, text in enumerate(texts)
    ]
    return ResourceSet(tuple(Resource(each, Site("o.yaml", index)) for index, each in enumerate(contents)))


def contents(found: ResourceSet) -> list[JsonObject]:
    return [each.content for each in found]


@examples(3)
@given(
    st.lists(TEXTS, min_size=1, max_size=3),
    st.sampled_from(["key", "${a}", "$${b}", "${c}"]),
    st.fixed_dictionaries({}, optional=dict.fromkeys("abc", VALUES)),
    st.sets(st.sampled_from("abc")),
    st.sampled_from(["enabled", "disabled"]),
)
def test_substituting_the_tree_again_gives_what_flux_makes_of_the_sources(
    texts: list[str], key: str, values: dict[str, str], in_cluster: set[str], switch: str
) -> None:
    sources = resources(texts, key, switch)
    complete = Variables(values, always=True)
    at_once = substitute(sources, complete, Strictness.LENIENT)
    known = {name: value for name, value in values.items() if name not in in_cluster}
    partly = Variables(known, always=True, incomplete=True)
    tree = substitute(sources, partly, Strictness.LENIENT, again=SecondPass.ENCRYPTED)
    if at_once.failed:
        return
    assert not tree.failed
    applied = substitute(tree.value.resources, complete, Strictness.LENIENT)
    assert not applied.failed
    assert contents(applied.value.resources) == contents(at_once.value.resources)


def decrypted(found: ResourceSet, text: str) -> ResourceSet:
    """The objects as Flux has them before it substitutes."""
    return found.map(
        lambda each: (
            each.with_content({**without(each.content, "sops"), "stringData": {"text": text}})
            if is_encrypted(each)
            else each
        )
    )


@examples(1)
@given(
    st.lists(TEXTS, min_size=1, max_size=3),
    TEXTS,
    st.fixed_dictionaries({}, optional=dict.fromkeys("abc", VALUES)),
)
def test_substituting_again_reaches_the_values_that_only_flux_decrypts(
    texts: list[str], secret: str, values: dict[str, str]
) -> None:
    content: JsonObject = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": "secret", "annotations": {"clear": texts[0]}},
        "stringData": {"text": "ENC[AES256_GCM,data:eA==,iv:eA==,tag:eA==,type:str]"},
        "sops": {"mac": "ENC[AES256_GCM,data:eA==,iv:eA==,tag:eA==,type:str]"},
    }
    sources = ResourceSet((*resources(texts, "key", "enabled"), Resource(content, Site("secret.yaml"))))
    variables = Variables(values, always=True)
    at_once = substitute(decrypted(sources, secret), variables, Strictness.LENIENT)
    tree = substitute(sources, variables, Strictness.LENIENT, again=SecondPass.ENCRYPTED)
    if at_once.failed:
        return
    assert not tree.failed
    applied = substitute(decrypted(tree.value.resources, secret), variables, Strictness.LENIENT)
    assert not applied.failed
    assert contents(applied.value.resources) == contents(at_once.value.resources)
