"""Objects that a tree cannot carry, because Flux decrypts what they are made of before it builds them.

DecryptSources decrypts the files of secret generators and of patches before the build, DecryptResource the
objects and the data of Secrets after it (kustomize-controller ``internal/decryptor/decryptor.go``). Only
the second happens to a tree. It is enough for a generated Secret with encrypted files, except for a hash in
its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from renderer.files.file_system import FileSystem
from renderer.model.base64_text import decoded_base64
from renderer.model.codes import Code
from renderer.model.diagnostic import Diagnostic, Severity
from renderer.model.kube.encryption import is_encrypted
from renderer.model.kube.json import object_at, text_at
from renderer.model.kube.resource import Resource

#: Texts by which Flux finds encrypted files, of YAML, JSON, dotenv and INI.
_MARKERS = (b"mac: ENC[", b'"mac": "ENC[', b"sops_mac=ENC[", b"[sops]")
#: A key that SOPS adds to an encrypted dotenv file.
_MAC_OF_DOTENV = "sops_mac"


def objects_of_decrypted_sources(
    resources: Iterable[Resource], entry: Resource, fs: FileSystem
) -> Iterator[Diagnostic]:
    """Yield a warning for each object that would not be the same if Flux applied it from a tree.

    ``entry`` is the Kustomization that deploys the objects, ``fs`` the artifact of its source.
    """
    if text_at(entry.content, "spec", "decryption", "provider") != "sops":
        return
    for each in resources:
        data = object_at(each.content, "data") if each.kind == "Secret" else {}
        if _MAC_OF_DOTENV in data:
            yield _warning(
                each,
                f"{each.current_id} is generated from an encrypted env file, which Flux decrypts first: the"
                " tree has only its ciphertext",
                "write a Secret with these keys, encrypt it with SOPS, and list it under resources",
            )
        elif each.needs_hash and any(map(_holds_encrypted_file, data.values())):
            yield _warning(
                each,
                f"the name of {each.current_id} ends with a hash of files that Flux decrypts first: the tree"
                " has another name",
                "set disableNameSuffixHash: true in the options of its generator",
            )
        elif is_encrypted(each) and any(_is_encrypted_file(fs, layer.path) for layer in each.layers):
            yield _warning(
                each,
                f"{each.current_id} is changed by an encrypted patch, which Flux decrypts first: the"
                " object in the tree is encrypted only in part",
                "encrypt the object with SOPS instead of the patch",
            )


def _holds_encrypted_file(value: object) -> bool:
    try:
        content = decoded_base64(value) if isinstance(value, str) else b""
    except ValueError:
        return False
    return any(marker in content for marker in _MARKERS)


def _is_encrypted_file(fs: FileSystem, path: str) -> bool:
    return fs.is_file(path) and any(marker in fs.read(path) for marker in _MARKERS)


def _warning(resource: Resource, message: str, hint: str) -> Diagnostic:
    return Diagnostic.about(resource, None, Code.NOT_CARRIED, message, hint, severity=Severity.WARNING)
