"""What a Secret of one overlay has is shown in no output about another one, whatever is built in the run."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path

import pytest

from renderer.app import diff, known_secrets, workers
from renderer.files.file_system import MemoryFileSystem
from renderer.kubevirt.facts.confidential.secret_values import secret_values
from renderer.model.diagnostic import DiagnosticError
from renderer.model.run.learned_values import confidential_values
from renderer.model.run.work import WorkDone
from renderer.project.secrets_in_files import SecretsInFiles, manifests_of_project, values_of_secrets
from renderer.yamlio.decode import decode_documents
from tests.security.canaries.search import content_of
from tests.security.git_history import committed
from tests.security.test_canary_sweep import ALL, leaks, written
from tests.security.test_secrets import invoked

CANARY, WORD = "X9-canary-is-a-bird", "canary-is-a-bird"
PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [{path: prod}, {path: staging}]\n"
SECRET = "apiVersion: v1\nkind: Secret\nmetadata: {{name: keys, namespace: a}}\n{}\n"  # noqa: S105 - an object
MACHINE = (
    "{{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {{name: web, namespace: a}},"
    " spec: {{runStrategy: Always, template: {{spec: {{"
    "domain: {{devices: {{disks: [{{name: i, disk: {{}}}}]}}}},"
    " volumes: [{{name: i, cloudInitNoCloud: {{{}}}}}]}}}}}}}}\n"
)
USER_DATA = f"#cloud-config\npassword: {CANARY}\n"
LISTED = "resources: [secret.yaml]\n"
#: How the value enters the overlay ``prod``.
WAYS: Mapping[str, Mapping[str, str]] = {
    "a Secret": {
        "prod/kustomization.yaml": LISTED,
        "prod/secret.yaml": SECRET.format(f"stringData: {{p: {CANARY}}}"),
    },
    "a Secret in base64": {
        "prod/kustomization.yaml": LISTED,
        "prod/secret.yaml": SECRET.format(f"data: {{p: {b64encode(CANARY.encode()).decode()}}}"),
    },
    "a password in an address": {
        "prod/kustomization.yaml": LISTED,
        "prod/secret.yaml": SECRET.format(f"stringData: {{url: 'https://joe:{CANARY}@example.org/'}}"),
    },
    "a line of a text": {
        "prod/kustomization.yaml": LISTED,
        "prod/secret.yaml": SECRET.format(f'stringData: {{conf: "a: b\\n{CANARY}\\n"}}'),
    },
    "a word in small letters": {
        "prod/kustomization.yaml": LISTED,
        "prod/secret.yaml": SECRET.format(f"stringData: {{p: {WORD}}}"),
    },
    "a Secret in a list": {
        "prod/kustomization.yaml": "resources: [secrets.txt]\n",
        "prod/secrets.txt": "{kind: List, apiVersion: v1, items: [{apiVersion: v1, kind: Secret,"
        f" stringData: {{p: {CANARY}}}}}]}}\n",
    },
    "a base in a hidden folder": {
        "prod/kustomization.yaml": "resources: [../.base]\n",
        ".base/kustomization.yaml": LISTED,
        ".base/secret.yaml": SECRET.format(f"stringData: {{p: {CANARY}}}"),
    },
    "a literal": {"prod/kustomization.yaml": f"secretGenerator: [{{name: keys, literals: [p={CANARY}]}}]\n"},
    "a file": {
        "prod/kustomization.yaml": "secretGenerator: [{name: keys, files: [p=../key.txt]}]\n",
        "key.txt": f"{CANARY}\n",
    },
    "a file whose name is misspelt": {
        "prod/kustomization.yaml": "secretGenerator: [{name: keys, files: [p=keys.txt]}]\n",
        "prod/key.txt": f"{CANARY}\n",
    },
    "a file of variables with another extension": {
        "prod/kustomization.yaml": "secretGenerator: [{name: keys, envs: [keys.env]}]\n",
        "prod/keys.txt": f"p={CANARY}\n",
    },
    "a file of variables": {
        "prod/kustomization.yaml": "secretGenerator: [{name: keys, envs: [.env]}]\n",
        "prod/.env": f"# a\np={CANARY}\n",
    },
    "a patch": {
        "prod/kustomization.yaml": f"{LISTED}patches: [{{path: patch.yaml, target: {{kind: Secret}}}}]\n",
        "prod/secret.yaml": SECRET.format("stringData: {p: x}"),
        "prod/patch.yaml": f"[{{op: replace, path: /stringData/p, value: {CANARY}}}]\n",
    },
    "a patch in a kustomization": {
        "prod/kustomization.yaml": "resources: [secret.yaml]\npatches: [{target: {kind: Secret}, patch: "
        f"'[{{op: add, path: /data/q, value: {b64encode(CANARY.encode()).decode()}}}]'}}]\n",
        "prod/secret.yaml": SECRET.format("data: {p: eA==}"),
    },
    "user data": {
        "prod/kustomization.yaml": LISTED,
        "prod/secret.yaml": MACHINE.format(f"userData: {USER_DATA!r}").replace("'", '"'),
    },
    "user data in base64": {
        "prod/kustomization.yaml": LISTED,
        "prod/secret.yaml": MACHINE.format(f"userDataBase64: {b64encode(USER_DATA.encode()).decode()}"),
    },
    **{
        f"a file {name}": {f"notes/{name}": SECRET.format(f"stringData: {{p: {CANARY}}}")}
        for name in ("secret", "secret.yaml.bak", "secret.yml~", "secret.json.orig", "secret.yaml.j2")
    },
    "an overlay that cannot be built": {
        "prod/kustomization.yaml": "resources: [secret.yaml, missing.yaml]\n",
        "prod/secret.yaml": SECRET.format(f"stringData: {{p: {CANARY}}}"),
    },
}


def _base64(text: str) -> str:
    return b64encode(text.encode()).decode()


_BROKEN = SECRET.format(f"stringData:\n  p: {CANARY}")
_DATA = SECRET.format(f"data: {{p: {_base64(CANARY)}}}")
#: Files with a Secret that no build reads: each with a mistake.
MALFORMED: Mapping[str, str | bytes] = {
    "a tab": f"{_BROKEN}\tx: y\n",
    "a repeated key": SECRET.format(f"stringData: {{p: {CANARY}, p: y}}"),
    "a wrong indentation": f"{_BROKEN} q: y\n",
    "a quote that is not closed": _BROKEN.replace("p: ", "p: '"),
    "a colon in a value": f"{_BROKEN}  q: a: b\n",
    "an unknown alias": f"{_BROKEN}  q: *x\n",
    "a conflict": f"<<<<<<< HEAD\n{_BROKEN}=======\n>>>>>>> x\n",
    "a template": f"{{{{- if .Values.x }}}}\n{_BROKEN}{{{{- end }}}}\n",
    "Latin-1": f"{_BROKEN}# caf\xe9\n".encode("latin-1"),
    "UTF-16": _BROKEN.encode("utf-16"),
    "a control character": f"{_BROKEN}# \0\n",
    "no separator": f"{_BROKEN}{SECRET.format('')}",
    "JSON": f'{{"kind": "Secret",\n"stringData": {{"p": "{CANARY}",,\n"q": 1}}',
    "base64": f"{_DATA}\tx: y\n",
    "base64 in brackets": f"{{apiVersion: v1, kind: Secret, data: {{q: x, p: {_base64(CANARY)}, r: y}}\n",
    **{
        f"no colon: {line.format('x')}": f"{SECRET.format('stringData:')}  q: x\n  {line.format(CANARY)}\n"
        for line in (
            "password {}",
            "password => {}",
            "password; {}",
            "apiToken -> '{}'",
            "apiToken\uff1a {}",
            "password;{}",
            "password = a {}",
            "password =={};",
            "password|{}",
            "password=>{}",
            "password ({})",
            "code {}",
        )
    },
    "a literal without a sign": f"secretGenerator:\n- name: k\n  literals:\n  - password {CANARY}\n   x: y\n",
    "a block": f"{SECRET.format('stringData:')}  p: |\n    a: b\n    {CANARY}\n\tx: y\n",
    "a block that is not indented": f"{SECRET.format('stringData:')}  p: |\n  {CANARY}\n  a\n",
    "an operation in the text of a patch": "patches:\n- target: {kind: Secret}\n  patch: |\n    - op: add\n"
    f"      path: /data/p\n      value: {_base64(CANARY)}\n\tx: y\n",
    "a Secret in the text of a patch": "patches:\n- patch: |-\n    kind: Secret\n    stringData:\n"
    f"      p: {CANARY}\n\tx: y\n",
    "a Secret in a list of patches": "patchesStrategicMerge:\n- |-\n  kind: Secret\n  stringData:\n"
    f"    p: {CANARY}\n\tx: y\n",
    "a value on its own line": f"{SECRET.format('stringData:')}  p:\n    {CANARY}\n\tx: y\n",
    "a literal": f"secretGenerator:\n- name: k\n  literals:\n  - p={CANARY}\n   x: y\n",
    "literals in brackets": f"secretGenerator: [{{name: k, literals: ['o=p', \"p={CANARY}\", q=y]}}\n",
    "user data": MACHINE.format(f"userData: {USER_DATA!r}").replace("'", '"') + "\tx: y\n",
    "user data in base64": MACHINE.format(f"userDataBase64: {b64encode(USER_DATA.encode()).decode()}")[:-3],
}
#: Texts in such files that are shown elsewhere, with what they are written in.
ORDINARY_IN_MALFORMED: Mapping[str, str] = {
    "production": "metadata: {namespace: production}\n",
    "kubernetes.io/basic-auth": "type: kubernetes.io/basic-auth\n",
    "db.example.org": "  host: db.example.org\n",
    "enabled: true": "  conf: |\n    kind: Config\n    enabled: true\n",
    "enabled": "  conf: |\n    kind: Config\n    enabled: true\n",
    "{name: keys, namespace: a}": "",
    "=======": "=======\n",
    ">>>>>>> feature/x": ">>>>>>> feature/x\n",
    "{{- if .Values.x }}": "{{- if .Values.x }}\n",
    "Sentence-1": "  Sentence-1 of three words\n",
    "Secret-9": "kind Secret-9\n",
    "db-1.example.org": "host db-1.example.org\n",
    "Payments-9": "  labels: {example.org/team: Payments-9}\n",
}
#: Start data whose credential has no name, and Secrets that are not written as such.
UNUSUAL: Mapping[str, str] = {
    **{
        command: MACHINE.format(f"userData: {json.dumps(f'#cloud-config{chr(10)}{command}{chr(10)}')}")
        for command in (
            f"runcmd: ['docker login -u me -p {CANARY} reg']",
            f"runcmd: ['mysql -uroot -p{CANARY}']",
            f"runcmd: ['usermod -p {CANARY} root']",
            f"runcmd: ['echo {CANARY} | realm join -U admin d']",
            f"write_files: [{{encoding: b64, content: {_base64(f'DB_PASSWORD={CANARY}')}}}]",
        )
    },
    "a list": "{apiVersion: v1, kind: SecretList, items: [{metadata: {name: q},"
    f" data: {{p: {_base64(CANARY)}}}}}]}}\n",
    **{
        kind: _DATA.replace("Secret", kind)
        for kind in ("!!str Secret", "&k Secret", "# a\n  Secret", "Scret")
    },
    "a byte order mark after a separator": f"# x\n---\n\ufeff{_DATA}",
    "a default of a chart": SECRET.format(
        f'stringData:\n  p: {{{{ .Values.p | default "{CANARY}" | quote }}}}'
    ),
    "a constant of a chart": SECRET.format(f"stringData: {{p: '{{{{ \"{CANARY}\" | b64enc }}}}'}}"),
    **{
        f"the template of {kind}": f"{{kind: {kind.split()[1]}, spec: {{{template}}}}}\n"
        for kind, template in {
            "a PushSecret": f"template: {{data: {{password: {CANARY}}}}}",
            "a SealedSecret": f"template: {{data: {{conf: 'password={CANARY}'}}}}",
            "an ExternalSecret": f"target: {{template: {{data: {{conf: 'password: {CANARY}'}}}}}}",
        }.items()
    },
    **{
        f"{key}: {text}": SECRET.format(f"stringData: {json.dumps({key: text})}")
        for key, text in {
            "PASSWORD_DB": CANARY,
            "password-for-app": CANARY,
            "token_github_user": CANARY,
            "passwordDb": CANARY,
            "context.xml": f"<Resource username='app' password='{CANARY}'/>",
            "htpasswd": f"op:{CANARY}",
        }.items()
    },
    "a dollar that Flux doubles": SECRET.format("stringData: {p: X9$$canary-is}"),
}
_PATCH = "patches: [{{target: {{kind: Secret}}, patch: '[{}]'}}]\n"
#: Documents of a valid syntax in which a key is misspelt, or a sign or a line is missing.
WRONG_SHAPES: Mapping[str, str] = {
    "a mapping in the place of a text": SECRET.format(f"stringData: {{database: {{password: {CANARY}}}}}"),
    "entries with =": SECRET.format(f"stringData:\n  a=b\n  p={CANARY}\n  q=x"),
    "a section that is a text": SECRET.format(f"stringData: |\n  a: b\n  p: {CANARY}\n  q: x"),
    "a section that is JSON": SECRET.format(f'data: \'{{"a": "b", "p": "{CANARY}"}}\''),
    "a ConfigMap with the type of a Secret": "{apiVersion: v1, kind: ConfigMap, metadata: {name: a},"
    f" type: Opaque, data: {{p: {CANARY}}}}}\n",
    "a generator without a dash": f"secretGenerator: {{name: k, literals: [p={CANARY}]}}\n",
    "a mapping of literals": f"secretGenerator: [{{name: k, literals: {{p: {CANARY}}}}}]\n",
    "a literal that is a mapping": f"secretGenerator: [{{name: k, literals: [{{p: {CANARY}}}]}}]\n",
    "a literal with a colon": f"secretGenerator: [{{name: k, literals: ['p: {CANARY}']}}]\n",
    "literals in one text": f"secretGenerator: [{{name: k, literals: 'o=p p={CANARY}'}}]\n",
    "data in a generator": f"secretGenerator: [{{name: k, stringData: {{p: {CANARY}}}}}]\n",
    "a literal under env": f"secretGenerator: [{{name: k, env: [p={CANARY}]}}]\n",
    "a literal under envs": f"secretGenerator: [{{name: k, envs: p={CANARY}}}]\n",
    "a literal under files": f"secretGenerator: [{{name: k, files: p={CANARY}}}]\n",
    **{
        key: f"{key}: [{{name: k, literals: [p={CANARY}]}}]\n"
        for key in ("SecretGenerator", "secret_generator", "secretsGenerators", "secertGenerator", "secrets")
    },
    "a generator among generators": f"generators: [secretGenerator: [{{name: k, literals: [p={CANARY}]}}]]\n",
    "a value that is misspelt": _PATCH.format(f"{{op: add, path: /stringData/p, vaule: {CANARY}}}"),
    "a source that is misspelt": f"replacements: [{{sourceVaule: {CANARY}, targets: [{{"
    "select: {kind: Secret}, fieldPaths: [stringData.p]}]}]\n",
}


def _text(manifest: str) -> str:
    return "".join(f"  {line}\n" for line in manifest.splitlines())


_USER_DATA = json.dumps(USER_DATA)
_MACHINE = MACHINE.format(f"userData: {_USER_DATA}")
_VOLUMES = "/spec/template/spec/volumes"
_IGNITION = json.dumps({"passwd": {"users": [{"name": "core", "passwordHash": CANARY}]}})
#: Start data and keys of machines, by where they are written.
OF_MACHINES: Mapping[str, str] = {
    "a patch in a kustomization": f"patches:\n- patch: |\n  {_text(_MACHINE)}",
    "a merge patch in a kustomization": f"patchesStrategicMerge:\n- |\n{_text(_MACHINE)}",
    "an operation in a kustomization": "patches:\n- target: {kind: VirtualMachine}\n  patch: |\n"
    f"    - op: add\n      path: {_VOLUMES}/-\n      value: {{cloudInitNoCloud: {{userData: {_USER_DATA}}}}}",
    "an operation on user data": f"- op: add\n  path: {_VOLUMES}/0/cloudInitNoCloud/userData\n"
    f"  value: {_USER_DATA}\n",
    "a mapping in the place of a text": MACHINE.format(f"userData: {{password: {CANARY}}}"),
    "a misspelt key": MACHINE.format(f"userDta: {_USER_DATA}"),
    "a text in a ConfigMap": f"kind: ConfigMap\ndata:\n  vm.yaml: |\n  {_text(_MACHINE)}",
    "an answer file under another key": "kind: ConfigMap\ndata:\n  answers.xml: |\n    <unattend>"
    f"<AdministratorPassword><Value>{CANARY}</Value></AdministratorPassword></unattend>\n",
    "Ignition": f"metadata: {{annotations: {{kubevirt.io/ignitiondata: '{_IGNITION}'}}}}\n",
    "launch security": f"domain: {{launchSecurity: {{sev: {{session: {CANARY}, policy: {{}}}}}}}}\n",
}
#: Texts that are shown elsewhere, with the Secrets that have them.
ORDINARY: Mapping[str, Mapping[str, str]] = {
    "db.example.org": {"host": "db.example.org"},
    "https://example.org/repo": {"url": "https://example.org/repo"},
    "production": {"mode": "production"},
    "fedora": {"password": "fedora"},
    "grafana-admin": {"admin": "grafana-admin"},
    "kind: Config": {"conf": "kind: Config\nenabled: true\n"},
    "enabled: true": {"conf": "kind: Config\nenabled: true\n"},
    "metadata:": {"conf": "metadata:\n  name: x\n"},
    "#!/bin/bash": {"conf": "#!/bin/bash\nrun\n"},
    "${SECRET_DOMAIN}": {"domain_of": "${SECRET_DOMAIN}"},
    "password": {"password": "password"},
    "/var/run/secrets/tls.key": {"password": "/var/run/secrets/tls.key"},
    "<path:secret/data/db#key>": {"password": "<path:secret/data/db#key>"},
    "DB_PASSWORD": {"password": "DB_PASSWORD"},
    "org/repo.git": {"url": "git@github.com:org/repo.git"},
    "[default]": {"conf": "[default]\n<a>b</a>\n"},
    "<a>b</a>": {"conf": "[default]\n<a>b</a>\n"},
    "VirtualMachine": {"p": "VirtualMachine"},
    "short": {"p": "short"},
}
KUSTOMIZATION = (
    "apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\n"
    "metadata: {name: apps, namespace: flux-system}\nspec: {path: ./misspelt, POST_BUILD}\n"
)
_VARIABLES = (
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: v, namespace: flux-system}\n"
    f"data: {{smtp: {CANARY}}}\n"
)
#: What may give a variable its value that a Secret uses.
VARIABLES: Mapping[str, str] = {
    "a key": _VARIABLES,
    "a password in an address": _VARIABLES.replace("smtp", "pw"),
    "a key that lost its section": _VARIABLES.replace("}\ndata: {", ", "),
    "a document that cannot be parsed": f"{_VARIABLES}\tx: y\n".replace("{smtp", "\n  smtp").replace(
        f"{CANARY}}}", CANARY
    ),
    "a literal of a generator": f"configMapGenerator: [{{name: v, literals: [smtp={CANARY}]}}]\n",
    "a password in user data": _VARIABLES.replace("smtp", "root_pw"),
    "a Kustomization": KUSTOMIZATION.replace("POST_BUILD", f"postBuild: {{substitute: {{smtp: {CANARY}}}}}"),
}
#: Shown, refused and warned of, and a name that nothing has.
STAGING = {
    "staging/kustomization.yaml": "resources: [cm.yaml, vm.yaml]\n",
    "staging/cm.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: cm, namespace: a},"
    f" data: {{dsn: 'is {CANARY} x'}}}}\n",
    "staging/vm.yaml": "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\n"
    f"metadata: {{name: web, namespace: a, labels: {{note: {CANARY}}}}}\n"
    f"spec: {{running: true, template: {{metadata: {{annotations: {{pw: {CANARY}}}}}, spec: {{dnsPolicy: DNS,"
    f" accessCredentials: [], domain: {{machine: {{type: {CANARY}}}, devices: {{}}}}}}}}}}\n",
}

CONFIG_MAP = "configMapGenerator: [{name: cm, literals: [a=b]}]\n"
#: A warning names the volume, which no disk uses.
WARNED = {
    "staging/kustomization.yaml": "resources: [vm.yaml]\n",
    "staging/vm.yaml": f"""\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {{name: web, namespace: a}}
spec:
  runStrategy: Always
  template:
    spec:
      domain: {{memory: {{guest: 1Gi}}, devices: {{disks: [{{name: root, disk: {{bus: virtio}}}}]}}}}
      volumes:
      - {{name: root, containerDisk: {{image: 'quay.io/a/b:c'}}}}
      - {{name: {WORD}, emptyDisk: {{capacity: 1Gi}}}}
""",
}


def repository(dns: str = "Default") -> dict[str, str]:
    """The repository with the value in both overlays; with it as a ``dns`` policy, the machine is refused."""
    staging = {path: text.replace("DNS", dns) for path, text in STAGING.items()}
    return {"vmrender.yaml": PROJECT, **staging, **WAYS["a Secret"]}


@pytest.mark.parametrize("way", WAYS)
def test_value_is_learned_from_files(way: str) -> None:
    fs = MemoryFileSystem({path: text.encode() for path, text in WAYS[way].items()})

    found = values_of_secrets(fs, manifests_of_project(fs, (), ["prod"]))

    assert (WORD if way == "a word in small letters" else CANARY) in found


@pytest.mark.parametrize("mistake", MALFORMED)
def test_value_is_learned_from_a_file_that_cannot_be_parsed(mistake: str) -> None:
    content = MALFORMED[mistake]
    fs = MemoryFileSystem({"secret.yaml": content.encode() if isinstance(content, str) else content})
    with pytest.raises(DiagnosticError):
        decode_documents(fs.read("secret.yaml"), "secret.yaml")

    assert CANARY in values_of_secrets(fs, ["secret.yaml"])


@pytest.mark.parametrize("text", ORDINARY_IN_MALFORMED)
def test_ordinary_text_in_a_file_that_cannot_be_parsed_is_no_value_elsewhere(text: str) -> None:
    content = SECRET.format(f"stringData:\n  p: x\n{ORDINARY_IN_MALFORMED[text]}\tx: y")
    fs = MemoryFileSystem({"secret.yaml": content.encode()})

    assert text not in values_of_secrets(fs, ["secret.yaml"])


def test_image_is_not_read_as_a_manifest() -> None:
    fs = MemoryFileSystem({"logo": b"\x89PNG\r\n\0\0 userData: password=Pa55-of-joe\n"})

    assert values_of_secrets(fs, ["logo"]) == frozenset()


def test_fields_of_a_kustomization_that_cannot_be_parsed_are_no_values_elsewhere() -> None:
    content = (
        "images: [{name: a, newName: quay.io/Org/App, newTag: v1.2.3}]\n"
        f"configMapGenerator: [{{name: c, literals: [MODE=Ordinary-1]}}]\n"
        f"secretGenerator:\n- name: k\n  files: [p=../key.txt, ca.crt]\n  literals: [p={CANARY}]\n"
        "commonAnnotations: {x: Ordinary-2}\nconfigurations: [x=Ordinary-3]\n\tx: y\n"
    )
    fs = MemoryFileSystem({"kustomization.yaml": content.encode()})

    found = values_of_secrets(fs, ["kustomization.yaml"])

    assert CANARY in found
    assert {each for each in found if "Ordinary" in each or "." in each} == set()


@pytest.mark.parametrize("shape", WRONG_SHAPES)
def test_value_is_learned_from_a_wrong_shape(shape: str) -> None:
    fs = MemoryFileSystem({"x.yaml": WRONG_SHAPES[shape].encode()})
    assert decode_documents(fs.read("x.yaml"), "x.yaml")

    assert CANARY in values_of_secrets(fs, ["x.yaml"])


@pytest.mark.parametrize("way", OF_MACHINES)
def test_credential_of_a_machine_counts_in_its_own_overlay_and_in_others(way: str) -> None:
    fs = MemoryFileSystem({"x.yaml": OF_MACHINES[way].encode()})

    assert CANARY in values_of_secrets(fs, ["x.yaml"])
    assert CANARY in secret_values(decode_documents(fs.read("x.yaml"), "x.yaml"))


@pytest.mark.parametrize("line", [f"p: {CANARY}", f"p {CANARY}", f"a=b\n{CANARY}", f'export p="{CANARY}"'])
def test_value_is_learned_from_a_file_of_variables(line: str) -> None:
    kustomization = b"secretGenerator: [{name: keys, envs: [.env]}]\n"
    fs = MemoryFileSystem({"kustomization.yaml": kustomization, ".env": line.encode()})

    assert CANARY in values_of_secrets(fs, ["kustomization.yaml"])


@pytest.mark.parametrize("way", UNUSUAL)
def test_value_is_learned_however_it_is_written(way: str) -> None:
    fs = MemoryFileSystem({"secret.yaml": UNUSUAL[way].encode()})

    assert ("X9$canary-is" if "$" in UNUSUAL[way] else CANARY) in values_of_secrets(fs, ["secret.yaml"])


#: Where a value without quotes may be.
UNQUOTED: Mapping[str, str] = {
    "a block": SECRET.format("stringData:\n  p: VALUE"),
    "brackets": SECRET.format("stringData: {p: VALUE, q: x}"),
    "a value before a comment": SECRET.format("stringData:\n  p: VALUE # of prod\n  q: x"),
    "a value on its own line": SECRET.format("stringData:\n  p:\n    VALUE"),
    "JSON": SECRET.format('stringData: {"p":VALUE}'),
    "a list": SECRET.format("stringData:\n  p:\n  - VALUE"),
    "an operation": "- op: add\n  path: /stringData/p\n  value: VALUE\n",
    "an operation in a kustomization": "patches:\n- target: {kind: Secret}\n  patch: |\n    - op: add\n"
    "      path: /stringData/p\n      value: VALUE\n",
    "a patch in a kustomization": "patches:\n- patch: |\n    kind: Secret\n    stringData:\n      p: VALUE\n",
}


@pytest.mark.parametrize("place", UNQUOTED)
def test_value_whose_quotes_are_missing_is_learned_as_it_is_written(place: str) -> None:
    for text in (
        *("!X9-canary", "&X9canary", "012345671", "0x12d687ff", "1_234_567", "12345e7", "2024-01-31"),
        *(".1234567890", "12345678901234567890123", "!X9 canary", "&X9 is-a-bird"),
    ):
        fs = MemoryFileSystem({"secret.yaml": UNQUOTED[place].replace("VALUE", text).encode()})

        assert text in values_of_secrets(fs, ["secret.yaml"])


def test_number_beside_a_secret_is_no_value_elsewhere() -> None:
    files = {
        "kustomization.yaml": "images: [{name: a, newTag: 2024.10}]\ncommonLabels:\n  built: 2024-01-31\n"
        f"secretGenerator:\n- literals: [p={CANARY}]\n",
        "vm.yaml": f"kind: List\nitems:\n- kind: Secret\n  stringData: {{p: {CANARY}}}\n"
        "- kind: VirtualMachine\n  spec: {serial: 0x12d687ff}\n",
        "secret.yaml": f"kind: Secret\nmetadata: {{generation: 1_000_000}}\nstringData: {{p: {CANARY}}}\n",
    }
    fs = MemoryFileSystem({path: text.encode() for path, text in files.items()})

    found = values_of_secrets(fs, files)

    assert CANARY in found
    assert found.isdisjoint({"2024.10", "2024-01-31", "0x12d687ff", "1_000_000"})


@pytest.mark.parametrize("text", ["Tr0ub@dor:3-canary", "<X9-canary>", "aa${canary9}x", "op:X9-canary"])
def test_password_that_looks_like_a_reference_is_a_value_elsewhere(text: str) -> None:
    fs = MemoryFileSystem({"s.yaml": SECRET.format(f"stringData: {json.dumps({'password': text})}").encode()})

    assert text in values_of_secrets(fs, ["s.yaml"])


@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_is_no_value_elsewhere(text: str) -> None:
    files = {
        "secret.yaml": SECRET.format(f"stringData: {json.dumps(ORDINARY[text])}"),
        "cm.yaml": "{apiVersion: v1, kind: ConfigMap, metadata: {name: grafana-admin,"
        " labels: {a: fedora}}}\n",
    }
    fs = MemoryFileSystem({path: text.encode() for path, text in files.items()})

    assert text not in values_of_secrets(fs, files)


@pytest.mark.parametrize("given", VARIABLES)
def test_variable_that_a_secret_uses_is_learned_without_its_kustomization(given: str) -> None:
    assert CANARY in _values_of_variables({"clusters/vars.yaml": VARIABLES[given]})


def test_variable_of_one_side_is_learned_if_the_other_side_uses_it() -> None:
    after = {
        "clusters/apps.yaml": KUSTOMIZATION,
        "apps/secret.yaml": SECRET.format("stringData: {p: '${smtp}'}"),
    }
    sides = ({"clusters/vars.yaml": VARIABLES["a key"]}, after)
    files = [{path: text.encode() for path, text in side.items()} for side in sides]

    assert CANARY in confidential_values(SecretsInFiles(MemoryFileSystem(each), each) for each in files)


@pytest.mark.parametrize("value", ["db.example.org", "10.0.0.7", "2048Mi", "Europe/Berlin", "short", "words"])
def test_ordinary_value_of_a_variable_is_no_value_elsewhere(value: str) -> None:
    assert value not in _values_of_variables(
        {"clusters/vars.yaml": VARIABLES["a key"].replace(CANARY, value)}
    )


@pytest.mark.parametrize(
    ("path", "given"),
    [
        ("other/vars.yaml", VARIABLES["a key"].replace("flux-system", "other")),
        ("clusters/vars.yaml", VARIABLES["a key"].replace("smtp", "SMTP_HOST")),
        ("clusters/vars.yaml", VARIABLES["a key"].replace("smtp", "unused")),
        ("clusters/vars.yaml", VARIABLES["a key"].replace("smtp", "domain")),
    ],
)
def test_variable_that_no_secret_uses_as_a_value_is_shown_elsewhere(path: str, given: str) -> None:
    assert CANARY not in _values_of_variables({path: given})


def test_variable_is_learned_from_a_folder_with_the_namespace_of_a_kustomization() -> None:
    files = {
        "vars/kustomization.yaml": "namespace: flux-system\nresources: [vars.yaml]\n",
        "vars/vars.yaml": VARIABLES["a key"].replace(", namespace: flux-system", ""),
    }

    assert CANARY in _values_of_variables(files)


def _values_of_variables(given: Mapping[str, str]) -> frozenset[str]:
    files = {
        "clusters/apps.yaml": KUSTOMIZATION,
        "apps/machine.yaml": MACHINE.format('userData: "#cloud-config\\npassword: ${root_pw}\\n"'),
        "apps/secret.yaml": SECRET.format(
            "stringData: {p: '${smtp:=none}', host: '${SMTP_HOST}', u: 'https://a:${pw}@db.${domain}/'}"
        ),
        **given,
    }
    return values_of_secrets(MemoryFileSystem({path: text.encode() for path, text in files.items()}), files)


def test_example_of_a_missing_file_has_no_value_elsewhere() -> None:
    files = {
        "kustomization.yaml": b"secretGenerator: [{name: keys, envs: [.env]}]\n",
        ".env.example": b"p=Change-Me-1\n",
    }

    assert values_of_secrets(MemoryFileSystem(files), ["kustomization.yaml"]) == frozenset()


_PLAIN_ENTRIES = {
    "MEMORY": "2048Mi",
    "IMAGE": "quay.io/containerdisks/fedora:40",
    "GATEWAY": "10.20.30.1",
    "MAC": "02:00:00:00:00:01",
    "MODEL": "Cascadelake-Server",
    "STORAGE": "ceph-block",
    "NAD": "default/vlan100",
}
_FIELDS = (
    "{kind: VirtualMachine, spec: {cpu: {model: Cascadelake-Server}, storageClassName: ceph-block}}\n---\n"
    "patches: [{patch: '{kind: VirtualMachine, spec: {multus: {networkName: default/vlan100}}}'}]\n"
)


def _learned(fields: str, entries: Mapping[str, str]) -> frozenset[str]:
    """Return what one side has in Secrets that counts, if the other side has the fields."""
    sides = ({"s.yaml": SECRET.format(f"stringData: {json.dumps(entries)}")}, {"vm.yaml": fields})
    files = [{path: text.encode() for path, text in side.items()} for side in sides]
    return confidential_values(SecretsInFiles(MemoryFileSystem(each), each) for each in files)


def test_what_fields_name_and_quantities_are_no_values_elsewhere() -> None:
    assert _learned(_FIELDS, _PLAIN_ENTRIES).intersection(_PLAIN_ENTRIES.values()) == set()


def test_what_no_field_names_is_a_value_elsewhere() -> None:
    objects = "{kind: ConfigMap, data: {model: Cascadelake-Server}}\n---\n{kind: Secret, image: ceph-block}"

    found = _learned(objects, _PLAIN_ENTRIES).intersection(_PLAIN_ENTRIES.values())

    assert found == {"Cascadelake-Server", "ceph-block", "default/vlan100"}


def test_what_the_name_of_a_credential_has_is_a_value_elsewhere() -> None:
    for value in ("2048Mi", "10.20.30.1", "Cascadelake-Server", "default/vlan100"):
        assert value in _learned(_FIELDS, {"password": value})


#: How kustomize puts a text of a ConfigMap into a Secret or into user data.
COPIES = {
    "a replacement": {
        "prod/kustomization.yaml": "resources: [o.yaml, cm.yaml]\nreplacements:\n"
        "- source: {kind: ConfigMap, fieldPath: data.p}\n"
        "  targets: [{select: {kind: Secret}, fieldPaths: [stringData.p]}]\n",
        "prod/o.yaml": SECRET.format("stringData: {p: x}"),
    },
    "a variable": {
        "prod/kustomization.yaml": "resources: [o.yaml, cm.yaml]\nconfigurations: [c.yaml]\nvars:\n"
        "- {name: PW, objref: {apiVersion: v1, kind: ConfigMap, name: c}, fieldref: {fieldpath: data.p}}\n",
        "prod/c.yaml": "varReference: [{path: spec/template/spec/volumes/cloudInitNoCloud/userData}]\n",
        "prod/o.yaml": MACHINE.format('userData: "#cloud-config\\npassword: $(PW)\\n"'),
    },
}


@pytest.mark.parametrize("copy", COPIES)
def test_value_that_kustomize_puts_into_a_secret_is_a_value_elsewhere(
    copy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = {
        "vmrender.yaml": PROJECT,
        **COPIES[copy],
        "prod/cm.yaml": f"{{apiVersion: v1, kind: ConfigMap, metadata: {{name: c}}, data: {{p: {CANARY}}}}}",
        "staging/kustomization.yaml": f"configMapGenerator: [{{name: cm, literals: [a=is {CANARY}]}}]\n",
    }
    written(tmp_path, sources)
    monkeypatch.chdir(tmp_path)
    committed(tmp_path)
    written(tmp_path, {path: text.replace("is-a-bird", "is-a-word") for path, text in sources.items()})

    assert leaks(("diff",)) == []


_GENERATOR = "secretGenerator: [{name: keys, files: [p=key.txt]}]\n"


@pytest.mark.parametrize(
    ("generator", "key"),
    [
        ({"prod/kustomization.yaml": _GENERATOR.replace("key.txt", "../key.txt")}, "key.txt"),
        (
            {
                "prod/kustomization.yaml": "generators: [secret.yaml]\n",
                "prod/secret.yaml": "{apiVersion: builtin, kind: SecretGenerator, metadata: {name: keys},"
                " files: [p=key.txt]}\n",
            },
            "prod/key.txt",
        ),
        ({"prod/kustomization.yaml": _GENERATOR}, "prod/linked.txt"),
        ({"prod/kustomization.yaml": _GENERATOR}, "prod/keys.txt"),
    ],
    ids=["a file", "a file of an object", "a link", "a misspelt name"],
)
def test_former_value_in_a_file_of_a_generator_is_a_value_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, generator: Mapping[str, str], key: str
) -> None:
    config_map = "configMapGenerator: [{{name: cm, literals: [a=b{}]}}]\n"
    written(
        tmp_path,
        {
            "vmrender.yaml": PROJECT,
            **generator,
            key: f"{CANARY}\n",
            "staging/kustomization.yaml": config_map.format(f", p={CANARY}"),
        },
    )
    if key == "prod/linked.txt":
        (tmp_path / "prod/key.txt").symlink_to("linked.txt")
    monkeypatch.chdir(tmp_path)
    committed(tmp_path)
    written(tmp_path, {key: "x", "staging/kustomization.yaml": config_map.format("")})

    assert leaks(("diff", "diff --overlay staging")) == []


def test_value_is_not_shown_in_another_overlay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, repository())
    monkeypatch.chdir(tmp_path)
    invoked("render")
    committed(tmp_path)
    assert leaks(("validate", "render", "render --check", "render staging", "validate staging/vm.yaml")) == []
    # Now staging alone differs: nothing has to be built of the overlay with the Secret.
    written(tmp_path, {"staging/vm.yaml": repository(CANARY)["staging/vm.yaml"].replace("note:", "other:")})
    assert leaks(each for each in ALL if each.split()[1:2] not in (["prod"], ["secret/keys"])) == []
    assert leaks(("build staging", "render staging", "diff --overlay staging", "fix --diff")) == []


def test_value_that_only_a_rendered_tree_has_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config_map = "{apiVersion: v1, kind: ConfigMap, metadata: {name: cm, namespace: a}, data: {a: {}}}\n"
    staging = {
        "staging/kustomization.yaml": "resources: [cm.yaml]\n",
        "staging/cm.yaml": config_map.replace("{}", CANARY),
    }
    project = PROJECT.replace("{path: prod}", "{path: prod, output: deployed/prod}")
    written(tmp_path, {"vmrender.yaml": project, **WAYS["a Secret"], **staging})
    monkeypatch.chdir(tmp_path)
    invoked("render")
    written(
        tmp_path, {"prod/kustomization.yaml": CONFIG_MAP, "staging/cm.yaml": config_map.replace("{}", "y")}
    )
    (tmp_path / "prod/secret.yaml").unlink()
    without_prod = PROJECT.replace("{path: prod}, ", "")

    for settings in (project, without_prod):
        written(tmp_path, {"vmrender.yaml": settings})
        for command in ("render --check", "render --check staging"):
            code, stdout, _ = invoked(command)

            assert code == 1
            assert "-  a: ***" in stdout
            assert CANARY not in stdout


def test_value_is_not_shown_without_a_project_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = {path: text.replace("/cm.yaml", "/x.yaml") for path, text in repository(CANARY).items()}
    written(tmp_path, {path: text for path, text in machine.items() if path != "vmrender.yaml"})
    monkeypatch.chdir(tmp_path)
    committed(tmp_path)

    assert leaks(("build staging", "expand staging/vm.yaml", "validate staging/vm.yaml")) == []


def test_cache_and_workers_do_not_reveal_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said and stored is the same, be it found by one process or several, or known already."""
    project, cache = tmp_path / "project", tmp_path / "cache"
    written(project, {"vmrender.yaml": PROJECT, **WARNED, **WAYS["a word in small letters"]})
    monkeypatch.chdir(project)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    monkeypatch.setattr(workers, "workers_worth", lambda seconds, _: 99 if seconds else 0)

    def rendered(options: str = "") -> str:
        code, stdout, _ = invoked(f"render --format json {options}")
        assert code == 0, stdout
        assert "has no disk" in stdout
        return stdout

    hidden = [rendered(options) for options in ("--jobs 1", "--jobs 2", "--no-cache", "")]
    assert len({*hidden}) == 1
    assert "canary" not in hidden[0]
    assert not [file for file in cache.rglob("*") if file.is_file() and "canary" in content_of(file)]
    # The result of an overlay depends on the Secrets of others, whether or not the cache knows it.
    written(project, {"prod/secret.yaml": SECRET.format("stringData: {p: x}")})
    shown = [rendered(), rendered()]
    assert "canary" in shown[0]
    assert shown[0] == shown[1]
    written(project, WAYS["a word in small letters"])
    assert rendered() == hidden[0]
    assert leaks(("render", "render --check")) == []


def test_nothing_is_learned_if_there_is_nothing_to_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(
        tmp_path, {"vmrender.yaml": PROJECT, **WAYS["a Secret"], "staging/kustomization.yaml": CONFIG_MAP}
    )
    monkeypatch.chdir(tmp_path)
    invoked("render")
    committed(tmp_path)
    learned: list[object] = []

    def learn(*asked: object) -> tuple[()]:
        learned.extend(asked)
        return ()

    for module, function in ((known_secrets, "_secrets_of_project"), (diff, "SecretsInFiles")):
        monkeypatch.setattr(module, function, learn)

    for command in ("validate", "render", "render --no-cache", "render --check", "diff", "build prod"):
        assert invoked(command)[0] == 0

    assert learned == []


def _word(number: int) -> str:
    return "-".join("abcdefghij"[int(digit)] * 3 for digit in str(number + 1000))


def test_work_is_proportional_to_the_secrets() -> None:
    steps = []
    for count in (200, 400):
        entries = (f"{{kind: Secret, stringData: {{password: {_word(each)}}}}}\n" for each in range(count))
        texts = {f"{number}.yaml": each.encode() for number, each in enumerate(entries)}
        fs, done = MemoryFileSystem(texts), WorkDone()
        values_of_secrets(fs, texts)
        steps.append(done.since()[0])

    assert steps[1] < 2.5 * steps[0]


def test_work_is_proportional_to_the_variables() -> None:
    steps = []
    for count in (100, 200):
        names = [f"v{number}" for number in range(count)]
        done = WorkDone()
        found = _values_of_variables(
            {
                "s.yaml": SECRET.format(f"stringData: {{p: '{''.join(map('${{{}}}'.format, names))}'}}"),
                "clusters/v.yaml": VARIABLES["a key"].replace(
                    f"smtp: {CANARY}", ", ".join(f"{name}: {CANARY}{name}" for name in names)
                ),
            }
        )
        assert CANARY + names[-1] in found
        steps.append(done.since()[0])

    assert steps[1] < 2.5 * steps[0]


def test_work_is_proportional_to_a_text_that_cannot_be_parsed() -> None:
    for line in ("  p{}: Value-{}\n", "a{}: {{p: 'Value-{}', ", "a{}=Value-{} ", "password Value{} {} "):
        steps = []
        for count in (100, 200):
            lines = "".join(line.format(each, each) for each in range(count))
            fs, done = (
                MemoryFileSystem({"a.yaml": f"kind: Secret\ndata:\n\tx: y\n{lines}".encode()}),
                WorkDone(),
            )
            values_of_secrets(fs, ["a.yaml"])
            steps.append(done.since()[0])

        assert steps[1] < 2.5 * steps[0]
