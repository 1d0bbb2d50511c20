"""Dumps with credentials in unexpected places, and forged dumps: ``import`` and ``diff --live``."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from tests.security.test_secrets import contains_canary, invoked

CANARY = "canary-is-a-bird"
ENCODED = base64.b64encode(CANARY.encode()).decode()
PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [{path: prod}]\n"


def secret(metadata: str, rest: str = f"data: {{p: {ENCODED}}}") -> str:
    return f"apiVersion: v1\nkind: Secret\nmetadata: {{name: keys, namespace: a, {metadata}}}\n{rest}\n"


def machine(metadata: str = "", domain: str = "", rest: str = "") -> str:
    return (
        "apiVersion: kubevirt.io/v1\nkind: VirtualMachine\n"
        f"metadata: {{name: web, namespace: a, {metadata}}}\n"
        f"spec: {{runStrategy: Always, {rest}template: {{spec: {{domain: {{devices: {{}}, {domain}}}}}}}}}\n"
    )


def config_map(rest: str) -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c, namespace: a}}\n{rest}\n"


HEADER = f'["Authorization: Bearer {CANARY}"]'
HOLDERS = {
    "annotation of a Secret": secret(f"annotations: {{note: {CANARY}}}"),
    "label of a Secret": secret(f"labels: {{note: {ENCODED[:-2]}x}}", f"stringData: {{p: {ENCODED[:-2]}x}}"),
    "copy of kapp": secret(f'annotations: {{kapp.k14s.io/original: \'{{"data":"{ENCODED}"}}\'}}'),
    "copy of Rancher": machine(f"annotations: {{objectset.rio.cattle.io/applied: H4sI{CANARY}}}"),
    "token of OpenShift": secret(
        f"annotations: {{openshift.io/token-secret.value: {CANARY}}}", "data: {p: eA==}"
    ),
    "Secret of another group": secret("").replace("v1\n", "x.example/v1\n", 1),
    "SecretList": "apiVersion: v1\nkind: SecretList\n"
    f"items: [{{metadata: {{name: k}}, data: {{p: {ENCODED}}}}}]\n",
    "List in List": "apiVersion: v1\nkind: List\nitems:\n- apiVersion: v1\n  kind: List\n  items:\n"
    f"  - {{apiVersion: v1, kind: Secret, metadata: {{name: k}}, data: {{p: {ENCODED}}}}}\n",
    "launch security": machine(domain=f"launchSecurity: {{sev: {{session: {CANARY}}}}}"),
    "header": machine(
        rest="dataVolumeTemplates: [{metadata: {name: d}, "
        f'spec: {{source: {{http: {{url: "http://h/", extraHeaders: {HEADER}}}}}}}}}], '
    ),
    "header with any name": machine(
        rest="dataVolumeTemplates: [{metadata: {name: d}, "
        f'spec: {{source: {{http: {{url: "http://h/", extraHeaders: ["X-My-Thing: {CANARY}"]}}}}}}}}], '
    ),
    "answer file": config_map(f"binaryData: {{Unattend.xml: {ENCODED}}}"),
    "private key": config_map(f'data: {{k: "-----BEGIN EC PRIVATE KEY-----\\n{CANARY}"}}'),
    "hash": config_map(f'data: {{k: "root:$6$salt$canary{"x" * 80}"}}'),
}
PEM_IN_BASE64 = base64.b64encode(f"-----BEGIN OPENSSH PRIVATE KEY-----\n{CANARY}\n".encode()).decode()
INIT = f'"#cloud-config\\npassword: {CANARY}\\n"'
RUN = f'"#cloud-config\\nruncmd: [[redis-cli, -a, {CANARY}, ping]]\\n"'
VOLUMES = f"volumes: [{{name: c, cloudInitNoCloud: {{userData: {INIT}}}}}]"
COPY = f'{{"apiVersion":"v1","kind":"Secret","data":{{"p":"{ENCODED}"}}}}'


def custom(kind: str, rest: str) -> str:
    """An object of another API: its group does not matter."""
    return f"apiVersion: x.example/v1\nkind: {kind}\nmetadata: {{name: t, namespace: a}}\n{rest}\n"


HOLDERS |= {
    "Secret in a Template": custom(
        "Template", f"objects: [{{apiVersion: v1, kind: Secret, stringData: {{p: {CANARY}}}}}]"
    ),
    "cloud-init in a Template": custom("Template", f"objects: [{{spec: {{{VOLUMES}}}}}]"),
    "parameter of a Template": custom("Template", f"parameters: [{{name: DB_PASSWORD, value: {CANARY}}}]"),
    "password of a repository": custom(
        "Application", f"spec: {{source: {{repoURL: 'https://me:{CANARY}@git.example/x.git'}}}}"
    ),
    "parameters of a chart": custom(
        "Application", f"spec: {{source: {{helm: {{parameters: [{{name: a.password, value: {CANARY}}}]}}}}}}"
    ),
    "values of a chart": custom("HelmRelease", f"spec: {{values: {{auth: {{rootPassword: {CANARY}}}}}}}"),
    "values of a chart as text": custom(
        "Application", f"spec: {{helm: {{values: 'rootPassword: {CANARY}'}}}}"
    ),
    "variable of a container": custom("Foo", f"spec: {{env: [{{name: DB_TOKEN, value: {CANARY}}}]}}"),
    "hook": machine(
        f'annotations: {{hooks.kubevirt.io/hookSidecars: \'[{{"args": ["--token", "{CANARY}"]}}]\'}}'
    ),
    "command of cloud-init": machine().replace(
        "{domain:", f"{{volumes: [{{name: c, cloudInitNoCloud: {{userData: {RUN}}}}}], domain:"
    ),
    "command of a container": custom("Foo", f"spec: {{command: [vault], args: [login, {CANARY}]}}"),
    "copy of another tool": machine(f"annotations: {{example.com/last: '{COPY}'}}"),
    "private key in base64": config_map(f"binaryData: {{id_rsa: {PEM_IN_BASE64}}}"),
    "URL without a user": config_map(f"data: {{k: 'redis://:{CANARY}@redis:6379/0'}}"),
    "token as a user": config_map(f"data: {{k: 'see https://{CANARY}@h/x.git'}}"),
    "header of another scheme": config_map(f"data: {{k: 'Authorization: token {CANARY}'}}"),
    "hash of another kind": config_map(f"data: {{k: 'root:$y$j9T$salt${CANARY}'}}"),
    "hash of LDAP": config_map(f"data: {{k: '{{SSHA}}{CANARY}'}}"),
    "key with a credential": f"apiVersion: example.com/v1\nkind: Thing\nmetadata: {{name: t, namespace: a}}\n"
    f"spec: {{dsn: {{'{{user: app, password: {CANARY}}}': x}}}}\n",
    "key that is a URL": f"apiVersion: example.com/v1\nkind: Thing\nmetadata: {{name: t, namespace: a}}\n"
    f"spec: {{dsn: {{'postgres://app:{CANARY}@h/x': {{password: y}}}}}}\n",
    "answer file by another name": config_map(f"data: {{k: '<unattend><Password>{CANARY}</Password>'}}"),
}
KEYS = (
    f"apiVersion: v1\nkind: Secret\nmetadata: {{name: keys, namespace: a}}\ndata: {{password: {ENCODED}}}\n"
)
HOLDERS |= {
    "repeated in a ConfigMap": f"{KEYS}---\n{config_map(f'data: {{k: run {CANARY} now}}')}",
    "repeated in base64": f"{KEYS}---\n{config_map(f'data: {{k: {ENCODED}}}')}",
    "repeated in another object": f"{KEYS}---\n{custom('Foo', f'spec: {{word: x-{CANARY}}}')}",
    "repeated in start data": f"{KEYS}---\n"
    + machine().replace(
        "{domain:", f"{{volumes: [{{name: c, cloudInitNoCloud: {{userData: run {CANARY}}}}}], domain:"
    ),
    "repeated from a Secret that a controller made": KEYS.replace(
        "namespace: a",
        "namespace: a, ownerReferences: [{apiVersion: external-secrets.io/v1, kind: ExternalSecret, name: k,"
        " uid: u, controller: true}]",
    )
    + f"---\n{config_map(f'data: {{k: {CANARY}}}')}",
    "input of another object": custom(
        "ResourceSet",
        "spec: {inputsFrom: [{name: i}], resources: [{apiVersion: v1, kind: Secret, metadata: {name: k}, "
        "stringData: {p: '<< inputs.word >>'}}]}",
    )
    + "---\n"
    + custom("ResourceSetInputProvider", f"spec: {{type: Static, defaultValues: {{word: {CANARY}}}}}"),
}
HOLDERS |= {
    f"repeated from {key}": secret("", f"stringData: {json.dumps({key: text})}")
    + f"---\n{config_map(f'data: {{k: see {CANARY}}}')}"
    for key, text in {
        "userdata": f"#cloud-config\npassword: {CANARY}\n",
        "DATABASE_URL": f"postgres://app:{CANARY}@db/x",
        "application.properties": f"db.password={CANARY}\n",
        ".env": f"# a\nDB_PASSWORD='{CANARY}'\n",
        ".dockerconfigjson": json.dumps(
            {"auths": {"r": {"auth": base64.b64encode(f"me:{CANARY}".encode()).decode()}}}
        ),
        "PASSWORD_DB": CANARY,
    }.items()
}
HOLDERS["repeated from a machine"] = (
    machine().replace("{domain:", f"{{{VOLUMES}, domain:").replace(CANARY, f"X9-{CANARY}")
    + f"---\n{config_map(f'data: {{k: see X9-{CANARY}}}')}"
)
FORGED = {
    "kind": 'apiVersion: v1\nkind: "../..\\e[2J\\n::error::\\u202E"\nmetadata: {name: x, namespace: a}\n',
    "name": machine().replace("name: web", 'name: "../../x"'),
    "namespace": machine().replace("namespace: a", 'namespace: ".."'),
    "status": 'apiVersion: v1\nkind: Status\nmessage: "\\e[2J\\n::error::\\u202E##vso[x]"\n',
    "lists without end": '{"apiVersion": "v1", "kind": "List", "items": [' * 3000,
    "number": f'{{"apiVersion": "v1", "kind": "Foo", "metadata": {{"name": "a"}}, "x": {"9" * 5000}}}',
    "tag": config_map("data: !!python/object/apply:os.system [x]"),
    "metadata": "apiVersion: v1\nkind: Foo\nmetadata: [x]\n",
    "template": machine().replace("{spec: {domain: {devices: {}, }}}", "[1]"),
}


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two folders below ``tmp_path``, so that a way out of it would be seen there."""
    folder = tmp_path / "around/repository"
    (folder / "prod").mkdir(parents=True)
    (folder / "vmrender.yaml").write_text(PROJECT, encoding="utf-8")
    (folder / "prod/kustomization.yaml").write_text("resources: [all.yaml]\n", encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize("place", HOLDERS)
def test_an_import_writes_no_credentials(place: str, repository: Path) -> None:
    code, stdout, stderr = invoked("import - --all-namespaces --output made", HOLDERS[place])
    written = "\n".join(path.read_text(encoding="utf-8") for path in repository.glob("made/*/*"))
    assert code == 0
    assert not contains_canary(stdout + stderr + written)


def test_an_import_repeats_no_value_of_a_secret_that_git_has(repository: Path) -> None:
    (repository / "made/a").mkdir(parents=True)
    (repository / "made/a/keys.yaml").write_text(KEYS.replace(ENCODED, "eA=="), encoding="utf-8")
    (repository / "made/a/kustomization.yaml").write_text("resources: [keys.yaml]\n", encoding="utf-8")
    dump = f"{KEYS}---\n{config_map(f'data: {{k: {CANARY}}}')}---\n{machine()}"
    code, stdout, stderr = invoked("import - --output made", dump)
    written = "\n".join(path.read_text(encoding="utf-8") for path in repository.glob("made/*/*"))
    assert code == 0
    assert "name: web" in written
    assert not contains_canary(stdout + stderr + written)


HOLDERS_OF_FACTS = {
    "key with a credential, of a looked up object": "apiVersion: storage.k8s.io/v1\nkind: StorageClass\n"
    f"metadata: {{name: c}}\nparameters: {{'{{user: app, password: {CANARY}}}': x}}\n",
    "configuration of a network": "apiVersion: k8s.cni.cncf.io/v1\nkind: NetworkAttachmentDefinition\n"
    f'metadata: {{name: n, namespace: a}}\nspec: {{config: \'{{"password": "{CANARY}"}}\'}}\n',
    "parameters of a storage class": "apiVersion: storage.k8s.io/v1\nkind: StorageClass\n"
    f"metadata: {{name: c}}\nparameters: {{adminPassword: {CANARY}}}\n",
    "address of an image": "apiVersion: hco.kubevirt.io/v1beta1\nkind: HyperConverged\n"
    "metadata: {name: kubevirt-hyperconverged, namespace: a}\nspec: {dataImportCronTemplates: [{spec: "
    f"{{template: {{spec: {{source: {{registry: {{url: 'docker://me:{CANARY}@h/x'}}}}}}}}}}}}]}}\n",
    "token in an annotation": "apiVersion: hco.kubevirt.io/v1beta1\nkind: HyperConverged\n"
    "metadata: {name: h, annotations: {kubevirt.kubevirt.io/jsonpatch: "
    f"'Authorization: Bearer {CANARY}'}}}}\n",
    "labels and status": "apiVersion: cdi.kubevirt.io/v1beta1\nkind: DataSource\n"
    f"metadata: {{name: d, namespace: a, labels: {{password: {CANARY}}}}}\nstatus: {{x: {CANARY}}}\n",
    "name of a host": "apiVersion: v1\nkind: Node\n"
    f"metadata: {{name: {CANARY}}}\nstatus: {{nodeInfo: {{architecture: amd64}}}}\n",
}


@pytest.mark.parametrize("place", [*HOLDERS, *HOLDERS_OF_FACTS])
def test_facts_of_a_cluster_have_no_credentials(place: str, repository: Path) -> None:
    dump = {**HOLDERS, **HOLDERS_OF_FACTS}[place]
    node = "apiVersion: v1\nkind: Node\nmetadata: {name: n}\nstatus: {nodeInfo: {architecture: arm64}}\n"
    code, stdout, stderr = invoked("import - --facts", f"{dump}---\n{node}")
    assert code == 0, stderr
    assert not contains_canary(stdout + stderr + (repository / "facts.yaml").read_text(encoding="utf-8"))


FORGED_FACTS = {
    "architecture": "apiVersion: v1\nkind: Node\nmetadata: {name: n}\n"
    'status: {nodeInfo: {architecture: "\\e[2J\\n::error::", kubeletVersion: v1.33.1}}\n',
    "release": "apiVersion: v1\nkind: Node\nmetadata: {name: n}\n"
    f"status: {{nodeInfo: {{architecture: amd64, kubeletVersion: v1.{'9' * 5000}}}}}\n",
    "types": "apiVersion: kubevirt.io/v1\nkind: KubeVirt\nmetadata: {name: k, namespace: a, labels: [x]}\n"
    "spec: [1]\n---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\n"
    "metadata: {name: c, annotations: {storageclass.kubernetes.io/is-default-class: true}}\n"
    "allowVolumeExpansion: {a: b}\n---\napiVersion: cdi.kubevirt.io/v1beta1\nkind: StorageProfile\n"
    "metadata: {name: c}\nstatus: {claimPropertySets: [1, {accessModes: x}, {accessModes: [1, null]}]}\n",
}


@pytest.mark.parametrize("forged", [*FORGED, *FORGED_FACTS])
def test_forged_dumps_make_no_facts_that_cannot_be_read(forged: str, repository: Path) -> None:
    (repository / "prod/all.yaml").write_text(machine(), encoding="utf-8")
    code, stdout, stderr = invoked("import - --facts", {**FORGED, **FORGED_FACTS}[forged])
    assert code in (0, 2)
    assert "\x1b" not in stdout + stderr
    assert "\n::error::" not in stdout + stderr
    assert (repository / "facts.yaml").exists() is (code == 0)
    assert invoked("validate")[0] == 0


@pytest.mark.parametrize("place", ["copy of kapp", "copy of Rancher", "token of OpenShift", "List in List"])
def test_comparison_shows_no_credentials(place: str, repository: Path) -> None:
    other = HOLDERS[place].replace(CANARY, "x").replace(ENCODED, "eA==")
    (repository / "prod/all.yaml").write_text(other.rpartition("  - ")[2], encoding="utf-8")
    for form in ("text", "json", "markdown", "html"):
        code, stdout, stderr = invoked(f"diff --live - --format {form}", HOLDERS[place])
        assert code == 1, stderr
        assert not contains_canary(stdout + stderr)


def test_comparison_shows_no_value_of_a_secret_that_only_the_cluster_has(repository: Path) -> None:
    """An operator made the Secret: Git has none, and no object of its kind."""
    (repository / "prod/all.yaml").write_text(config_map("data: {k: x}"), encoding="utf-8")
    dump = f"{KEYS}---\n{config_map(f'data: {{k: run {CANARY} now}}')}"
    for form in ("text", "json", "markdown", "html"):
        code, stdout, stderr = invoked(f"diff --live - --format {form}", dump)
        assert code == 1, stderr
        assert "data.k" in stdout.replace("<wbr>", "")
        assert not contains_canary(stdout + stderr)


@pytest.mark.parametrize("forged", FORGED)
def test_forged_dumps_do_not_control_the_terminal_or_ci(
    forged: str, repository: Path, tmp_path: Path
) -> None:
    (repository / "prod/all.yaml").write_text(machine(), encoding="utf-8")
    before = set(tmp_path.rglob("*"))
    for command in ("import - --all-namespaces --output made --fit", "diff --live -"):
        code, stdout, stderr = invoked(command, FORGED[forged])
        assert code in (0, 1, 2), stderr
        output = stdout + stderr
        assert "\x1b" not in output
        assert "\u202e" not in output
        assert not any(line.startswith("::") or "##vso[" in line for line in output.splitlines())
    made = set(tmp_path.rglob("*")) - before
    assert all(path.is_relative_to(repository / "made") or path.name == "vmrender.yaml" for path in made)


def test_old_value_of_a_confidential_field_is_masked(repository: Path) -> None:
    """The cluster has an old password in a ConfigMap, and the dump has no Secret that reveals it."""
    (repository / "prod/all.yaml").write_text(
        secret("", "stringData: {p: new-password}") + "---\n" + config_map("data: {dsn: x}"), encoding="utf-8"
    )
    (repository / "prod/kustomization.yaml").write_text(
        "resources: [all.yaml]\nreplacements: [{source: {kind: Secret, fieldPath: stringData.p}, "
        "targets: [{select: {kind: ConfigMap}, fieldPaths: [data.dsn]}]}]\n",
        encoding="utf-8",
    )
    for form in ("text", "json", "markdown", "html"):
        code, stdout, stderr = invoked(
            f"diff --live - --format {form}", config_map(f"data: {{dsn: {CANARY}}}")
        )
        assert code == 1, stderr
        assert "ConfigMap" in stdout
        assert not contains_canary(stdout + stderr)
