"""The Secrets that operators make of other objects, such as an ExternalSecret or a SealedSecret.

External Secrets names it in ``target`` (external-secrets ``apis/externalsecrets/v1/externalsecret_types.go``
ExternalSecretTarget), the Vault Secrets Operator in ``destination``, cert-manager in ``secretName``, others
in the fields below. Without such a field, the Secret has the name of the object, as that of a SealedSecret
(sealed-secrets ``pkg/apis/sealedsecrets/v1alpha1/sealedsecret_expansion.go`` Unseal).
"""

from __future__ import annotations

from collections.abc import Iterator

from renderer.kubevirt.facts.kinds import SECRET
from renderer.model.kube.json import JsonObject, array_at, object_at, text_at
from renderer.model.kube.res_id import Gvk, ResId
from renderer.model.kube.resource import Resource
from renderer.model.pattern import pattern

#: Kinds of objects of which an operator makes Secrets.
MAKES_SECRETS = pattern(r".Secrets?$")
#: Other such kinds; and one that writes a Secret of the cluster into a store.
_CERTIFICATE, _PUSH_SECRET = "Certificate", "PushSecret"
_OTHERS = frozenset({_CERTIFICATE, "OnePasswordItem"})
_GVK = Gvk("", "v1", SECRET)
#: The fields of ``spec`` that name the Secret, and lists of mappings that have them.
_NAMES = (
    ("target", "name"),
    ("destination", "name"),
    ("managedSecret", "name"),
    ("managedSecretReference", "secretName"),
    ("output", "name"),
    ("output", "secret", "name"),
    ("secretName",),
)
_LISTS_OF_NAMES = (("managedKubeSecretReferences", "secretName"), ("secretTemplates", "name"))
#: Fields that say when the Secret is made anew or deleted, and not what is in it.
_WHEN = pattern(r"(?i)^[^.]*interval|^refresh|^rollout|^renew|^target\.(?:creation|deletion)Policy$")
#: Policies by which the Secret stays if its object goes, and the one by which another object makes it.
_KEPT, _NOT_MADE = frozenset({"Merge", "Orphan"}), "None"


def made_secrets(resource: Resource) -> tuple[ResId, ...]:
    """Return the Secrets that an operator makes of an object, or writes into."""
    is_maker = MAKES_SECRETS.search(resource.kind) or resource.kind in _OTHERS
    if not is_maker or not resource.gvk.group or resource.kind == _PUSH_SECRET:
        return ()
    if _creation_policy(resource) == _NOT_MADE:
        return ()
    names = dict.fromkeys(_names(object_at(resource.content, "spec"))) or (resource.name,)
    namespace = text_at(resource.content, "spec", "managedSecret", "namespace") or resource.namespace
    return tuple(ResId(_GVK, name, namespace) for name in names)


def owned_secrets(resource: Resource) -> tuple[ResId, ...]:
    """Return the Secrets that are deleted with an object.

    That of a Certificate stays, unless cert-manager is started with ``--enable-certificate-owner-ref``
    (cert-manager ``cmd/controller/app/options/options.go``).
    """
    is_kept = resource.kind == _CERTIFICATE or _creation_policy(resource) in _KEPT
    return () if is_kept else made_secrets(resource)


def says_when(field: str) -> bool:
    """Return True for a field of ``spec``, by its path, that leaves the content of the Secret as it is."""
    return _WHEN.search(field) is not None


def _creation_policy(resource: Resource) -> str:
    return text_at(resource.content, "spec", "target", "creationPolicy")


def _names(spec: JsonObject) -> Iterator[str]:
    yield from filter(None, (text_at(spec, *path) for path in _NAMES))
    for path, key in _LISTS_OF_NAMES:
        yield from filter(None, (text_at(object_at(each), key) for each in array_at(spec, path)))
