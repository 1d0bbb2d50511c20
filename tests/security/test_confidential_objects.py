"""What is confidential in an object of any kind, in any form, is in no output of any command and format."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import indent

import pytest

from tests.security.git_history import committed
from tests.security.test_secrets import invoked

CANARY = "canary-is-a-bird"
PROJECT = "apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\noverlays: [{path: prod}]\n"
KEYS = "apiVersion: v1\nkind: Secret\nmetadata: {name: keys, namespace: a}\nstringData: {value: VALUE}\n"
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: obj, namespace: a}\ndata: {copy: x}\n"
MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: obj, namespace: a}
spec:
  runStrategy: Always
  template:
    spec:
      terminationGracePeriodSeconds: 30
      domain: {memory: {guest: 1Gi}, devices: {disks: [{name: root, disk: {}}]}}
      volumes: [{name: root, containerDisk: {image: "a/b:1"}}]
"""
#: Masked values are written in each format: each case tries one besides the text.
FORMATS = {
    "diff": ("json", "markdown", "html"),
    "render --check": ("json", "sarif", "junit", "github", "gitlab"),
    "validate": ("text", "json", "sarif", "json --strict"),
    "explain obj": ("text", "json"),
}


def commands(number: int) -> tuple[str, ...]:
    """Return the command lines for the case of this number."""
    return (
        "diff",
        "render --check",
        *(f"{name} --format {formats[number % len(formats)]}" for name, formats in FORMATS.items()),
        "migrate --diff",
        "expand prod/obj.yaml --format json",
    )


def copied(value: str, *fields: str, kind: str = "ConfigMap", target: str = CONFIG_MAP) -> dict[str, str]:
    """A Secret's value that a replacement copies into fields of another object."""
    paths = ", ".join(fields or ("data.copy",))
    return {
        "prod/secret.yaml": KEYS.replace("VALUE", json.dumps(value)),
        "prod/obj.yaml": target,
        "prod/kustomization.yaml": "resources: [secret.yaml, obj.yaml]\nreplacements:\n"
        "- source: {kind: Secret, name: keys, fieldPath: stringData.value}\n"
        f"  targets: [{{select: {{kind: {kind}}}, options: {{create: true}}, fieldPaths: [{paths}]}}]\n",
    }


def templated(objects: str, template_values: str) -> dict[str, str]:
    return {
        "prod/kustomization.yaml": "generators: [t.yaml]\n",
        "prod/t.yaml": "apiVersion: vmrender.io/v1alpha1\nkind: Template\nmetadata: {name: t}\n"
        f"spec: {{template: t.j2, values: {{{template_values}}}}}\n",
        "prod/t.j2": objects,
    }


def one(text: str) -> dict[str, str]:
    return {"prod/kustomization.yaml": "resources: [obj.yaml]\n", "prod/obj.yaml": text}


def holding(field: str, value: str, kind: str = "Thing") -> dict[str, str]:
    """An object of another kind with a value, which is YAML."""
    head = f"apiVersion: example.com/v1\nkind: {kind}\nmetadata: {{name: obj, namespace: a}}\n"
    return one(f"{head}spec:\n  {field}:\n{indent(value, '    ')}\n")


def texts(text: str) -> str:
    return json.dumps(text)


def machine_with(user_data: str) -> str:
    volumes = f"[{{name: a, cloudInitNoCloud: {{userData: '{user_data}'}}}}]"
    spec = f"{{runStrategy: Always, template: {{spec: {{domain: {{devices: {{}}}}, volumes: {volumes}}}}}}}"
    identity = "apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: m, namespace: a}"
    return f"{{{identity}, spec: {spec}}}"


NESTED = f"apiVersion: v1\nkind: Secret\nmetadata: {{name: k}}\nstringData: {{password: {CANARY}}}\n"
DATA = NESTED.replace("stringData", "data")
LINE_FEED = "\n"
JSON_SECRET = json.dumps({"kind": "Secret", "metadata": {"name": "k"}, "data": {"password": CANARY}})
ENCODED = NESTED.replace("Secret", '"S\\u0065cret"').replace("stringData", "data")
SET = """\
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata: {name: obj, namespace: a}
spec:
"""
MADE = "{apiVersion: v1, kind: Secret, metadata: {name: k, namespace: a}, stringData: {url: DATA}}"
PROVIDER = f"""\
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSetInputProvider
metadata: {{name: obj, namespace: a}}
spec: {{type: Static, defaultValues: {{of: {{db: {CANARY}}}}}}}
"""
MESSAGE = (
    f"Server=tcp:sql.example.com,1433; Database=orders; User ID=app; Password={CANARY}; Encrypt=True; "
    "TrustServerCertificate=False"
)
RAW = f"""\
|
  {{{{- range .x }}}}
  - objectDefinition:
      kind: Secret
      data: {{p: {CANARY}}}
  {{{{- end }}}}
"""
OPENSHIFT = f"""\
apiVersion: template.openshift.io/v1
kind: Template
metadata: {{name: obj, namespace: a}}
parameters: [{{name: PW, value: {CANARY}}}, {{name: NAME}}]
objects:
- {{apiVersion: v1, kind: Secret, metadata: {{name: '${{NAME}}'}}, FIELD: {{dsn: 'user:${{PW}}'}}}}
- {{apiVersion: v1, kind: ConfigMap, metadata: {{name: obj, namespace: a}}, data: {{dsn: '${{PW}}'}}}}
"""
VM_TEMPLATE = f"""\
apiVersion: template.kubevirt.io/v1beta1
kind: VirtualMachineTemplate
metadata: {{name: obj, namespace: a}}
spec:
  parameters: [{{name: LOGIN, value: {CANARY}}}, {{name: NAME, value: public}}]
  virtualMachine:
    metadata: {{name: '${{NAME}}'}}
    spec:
      template:
        spec:
          volumes:
          - cloudInitNoCloud:
              userData: "hostname: ${{NAME}}\\npassword: ${{LOGIN}}"
"""
#: Templates of a machine whose guest gets a value in a file, beside a ConfigMap with the same value.
MOTD = "#cloud-config\\nwrite_files: [{path: /etc/motd, content: '${GREETING}'}]"
VOLUMES = f'volumes: [{{name: c, cloudInitNoCloud: {{userData: "{MOTD}"}}}}]'
GREETING = f"parameters: [{{name: GREETING, value: {CANARY}}}, {{name: NAME, value: public}}]"
OPENSHIFT_MOTD = (
    f"apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {{name: t}}\n{GREETING}\nobjects:\n"
    "- apiVersion: kubevirt.io/v1\n  kind: VirtualMachine\n  metadata: {name: '${NAME}'}\n"
    f"  spec: {{runStrategy: Always, template: {{spec: {{domain: {{devices: {{}}}}, {VOLUMES}}}}}}}\n"
    "- {apiVersion: v1, kind: ConfigMap, metadata: {name: copy}, data: {x: 'a ${GREETING} b'}}\n"
)
VM_TEMPLATE_MOTD = (
    "apiVersion: template.kubevirt.io/v1beta1\nkind: VirtualMachineTemplate\n"
    f"metadata: {{name: t, namespace: a}}\nspec:\n  {GREETING}\n  virtualMachine:\n"
    "    metadata: {name: '${NAME}', annotations: {x: '${GREETING}'}}\n"
    f"    spec: {{runStrategy: Always, template: {{spec: {{domain: {{devices: {{}}}}, {VOLUMES}}}}}}}\n"
)
SAME = f"---\n{CONFIG_MAP.replace('copy: x', f'copy: {CANARY}')}"
ADDRESSES = {
    "a user": f"http: {{url: 'https://user:{CANARY}@host.example.com/a.img'}}",
    "a token": f"http: {{url: 'https://{CANARY}@host.example.com/a.img'}}",
    "a query": f"http: {{url: 'https://host.example.com/a.img?a=b&access_token={CANARY}&x=1'}}",
    "a signature of Azure": f"http: {{url: 'https://a.blob.core.windows.net/a.img?sv=1&sig={CANARY}'}}",
    "a signature of S3": f"s3: {{url: 'https://b.s3.amazonaws.com/a.img?X-Amz-Signature={CANARY}'}}",
    "a registry": f"registry: {{url: 'docker://user:{CANARY}@quay.io/a/b'}}",
    "a token without a password": f"http: {{url: 'https://{CANARY}:@host.example.com/a.img'}}",
    "a token with a password": f"http: {{url: 'https://{CANARY}:x-oauth-basic@host.example.com/a.img'}}",
    "a user of a domain": f"imageio: {{url: 'https://admin@internal:{CANARY}@ovirt.example.com', diskId: x}}",
    "a fragment": f"http: {{url: 'https://host.example.com/a.img#access_token={CANARY}'}}",
    "imageio": f"imageio: {{url: 'https://admin:{CANARY}@ovirt.example.com/api', diskId: x}}",
    "a header": f"http: {{url: 'https://host/a', extraHeaders: ['Authorization: Bearer {CANARY}']}}",
    "an odd header": f"http: {{url: 'https://host/a', extraHeaders: ['Authorization: {CANARY}']}}",
    "a cookie": f"http: {{url: 'https://host/a', extraHeaders: ['Cookie: session={CANARY}']}}",
    "any other header": f"http: {{url: 'https://host/a', extraHeaders: ['Subscription-Key: {CANARY}']}}",
}
KERNEL_ARGUMENTS = (
    f"rd.iscsi.password={CANARY}",
    f'inst.vncpassword="{CANARY}"',
    f"inst.rootpw={CANARY}",
    f"systemd.set_credential=passwd.plaintext-password.root:{CANARY}",
    f"inst.ks=https://app:{CANARY}@example.org/ks.cfg",
    f"netroot=iscsi:app:{CANARY}@10.0.0.1::3260::iqn.2009-01:x",
    f"cc:{{password: {CANARY}}}end_cc",
    f"cc: users: [{{passwd: {CANARY}}}]",
)
PROCESSED = PROJECT.replace("path: prod", "path: prod, parameters: {NAME: keys}")
OPERATIONS = [{"op": "add", "path": "/stringData/password", "value": CANARY}]
PATCHES = {
    "strategic": f"kind: any\nmetadata: {{name: any}}\ndata:\n  password: {CANARY}",
    "operations": json.dumps(OPERATIONS),
    "whole data": json.dumps([{"op": "replace", "path": "/data", "value": {"password": CANARY}}]),
    "escaped": json.dumps([{"op": "add", "path": "/data/a~1b", "value": CANARY}]),
}


def application(source: str) -> dict[str, str]:
    return one(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: obj, namespace: a}\n"
        f"spec:\n  source:\n{indent(source, '    ')}\n"
    )


GENERATOR = "apiVersion: builtin\nkind: SecretGenerator\nmetadata: {name: obj, namespace: a}\n"
LITERALS = {
    "literals": f"literals: [a={CANARY}]\n",
    "a misspelt field": f"litrals: [a={CANARY}]\n",
    "content of files": f"files: ['a={CANARY}']\nenvs: ['a={CANARY}']\n",
    "a mapping of paths": f"envs: {{a: {CANARY}}}\nenv: {{a: {CANARY}}}\nfiles: {{a: {CANARY}}}\n",
}
CASES = {
    "a long line": copied(MESSAGE),
    "a long line with quotes": copied(f'it\'s "{CANARY}": {"a word " * 20}'),
    "many lines": copied(f"first\n  {CANARY}: x\n\n{CANARY} last\n"),
    "escapes": copied(f"\t{CANARY}\u2028\\ \u00a0{CANARY}\u0001"[:-1]),
    "JSON": copied(json.dumps({CANARY: [CANARY, {"a": f'"{CANARY}"'}]})),
    "XML": copied(f"<a b='{CANARY}'>&lt;{CANARY}</a>"),
    "a long word": copied(CANARY * 20),
    "in a key": {
        **copied(CANARY),
        "prod/kustomization.yaml": "resources: [secret.yaml, obj.yaml]\n"
        "patches:\n- target: {kind: ConfigMap}\n"
        f'  patch: \'[{{"op": "add", "path": "/data/{CANARY}", "value": "x"}}]\'\n',
    },
    "names of elements": copied(
        CANARY,
        "spec.template.spec.volumes.0.name",
        "spec.template.spec.domain.devices.disks.0.name",
        kind="VirtualMachine",
        target=MACHINE,
    ),
    "a field that refuses it": copied(
        f"{CANARY} " * 9, "spec.template.spec.domain.memory.guest", kind="VirtualMachine", target=MACHINE
    ),
    "a label": copied(CANARY, "metadata.labels.a", "metadata.annotations.b"),
    "a number": templated(
        KEYS.replace("VALUE", '"{{ pin }}"') + "---\n" + MACHINE.replace("30", "{{ pin }}"), "pin: 12345678"
    ),
    "a number in a ConfigMap's text": templated(
        KEYS.replace("VALUE", '"{{ pin }}"') + "---\n" + CONFIG_MAP.replace("copy: x", 'copy: "a{{ pin }}b"'),
        "pin: 12345678",
    ),
    "a policy": holding("policy-templates", f"- objectDefinition:\n{indent(NESTED, '    ')}", "Policy"),
    "a policy with data": holding(
        "policy-templates", f"- objectDefinition:\n{indent(DATA, '    ')}", "Policy"
    ),
    "a raw policy": holding("object-templates-raw", RAW, "ConfigurationPolicy"),
    "a ManifestWork": holding(
        "workload", f"manifests:\n- {texts(NESTED)}\n-\n{indent(DATA, '  ')}", "ManifestWork"
    ),
    "a list of a list": holding("items", f"- kind: List\n  items:\n  -\n{indent(DATA, '    ')}"),
    "a SecretList": holding(
        "list", f"kind: SecretList\nitems: [{{metadata: {{name: k}}, data: {{p: {CANARY}}}}}]"
    ),
    "a kind that is a variable": holding("object", DATA.replace("kind: Secret", "kind: '${KIND}'")),
    "a secretGenerator": holding("kustomization", f"secretGenerator: [{{name: g, literals: [a={CANARY}]}}]"),
    **{f"a generator of Secrets with {name}": one(GENERATOR + text) for name, text in LITERALS.items()},
    "a generator of Secrets in a ConfigMap": one(
        CONFIG_MAP.replace("x}", texts(GENERATOR + LITERALS["literals"]) + "}")
    ),
    "a misspelt generator of Secrets": one(GENERATOR.replace("SecretG", "SecertG") + LITERALS["literals"]),
    "a patch of a generator of Secrets": holding(
        "patches",
        f"[{{target: {{kind: SecretGenerator}}, patch: '{{literals: [a={CANARY}]}}'}}, "
        f"{{target: {{name: g}}, patch: '[{{op: add, path: /literals/0, value: a={CANARY}}}]'}}]",
        "Kustomization",
    ),
    "a value that kustomize adds to Secrets": one(
        "apiVersion: builtin\nkind: ValueAddTransformer\nmetadata: {name: obj, namespace: a}\n"
        f"value: {CANARY}\ntargets: [{{selector: {{kind: Secret}}, fieldPath: stringData/password}}]\n"
    ),
    "a value that is written into a generator of Secrets": holding(
        "replacements",
        f"[{{sourceValue: {CANARY}, "
        "targets: [{select: {kind: SecretGenerator}, fieldPaths: [literals.0]}]}]",
    ),
    "a template of Secrets": holding(
        "secretTemplates", f"[{{name: a, data: {{p: {CANARY}}}}}]", "SopsSecret"
    ),
    "a policy that generates": holding(
        "generate", f"kind: Secret\nname: k\ndata: {{data: {{p: {CANARY}}}}}", "ClusterPolicy"
    ),
    "the template of an ExternalSecret": holding(
        "target", f"template: {{data: {{password: {CANARY}}}}}", "ExternalSecret"
    ),
    "the template of an ExternalSecret as a text": holding(
        "target", f"template: {{templateFrom: [{{literal: 'password: {CANARY}'}}]}}", "ExternalSecret"
    ),
    **{
        f"a text of the template of an ExternalSecret: {text}": holding(
            "target", f'template: {{data: {{app.ini: "{text}"}}}}', "ExternalSecret"
        )
        for text in (
            f"[db]\\nuser = app\\npassword = {CANARY}\\n",
            f"[db]\\nurl = https://a.example.org\\npassword = {CANARY}\\n",
            f"db.user=app\\ndb.password={CANARY}\\n",
            f"# a\\nurl=https://a: b\\nTOKEN={CANARY}",
            f"--password {CANARY}",
        )
    },
    "the template of a ClusterExternalSecret": holding(
        "externalSecretSpec",
        f"target: {{template: {{data: {{password: {CANARY}}}}}}}",
        "ClusterExternalSecret",
    ),
    "the template of a SealedSecret": holding("template", f"data: {{password: {CANARY}}}", "SealedSecret"),
    "a plain value in a SealedSecret": holding("encryptedData", f"a: {CANARY}", "SealedSecret"),
    "the values of a store for tests": holding(
        "provider", f"fake: {{data: [{{key: /db, value: {CANARY}}}]}}", "SecretStore"
    ),
    "a password of an interface": holding("interface", f"802.1x: {{private-key-password: {CANARY}}}"),
    "a shared key of a tunnel": holding("libreswan", f"psk: {CANARY}", "NodeNetworkConfigurationPolicy"),
    "a user of Ignition": holding("passwd", f"users: [{{name: core, passwordHash: {CANARY}}}]"),
    "start data: a file of Ignition": holding("contents", f"source: 'data:,{CANARY}'", "MachineConfig"),
    "an option of a command": holding("containers", f"[{{args: [--db-password={CANARY}]}}]"),
    "a patch of operations": holding("operations", json.dumps(OPERATIONS)),
    "manifests in a ConfigMap": one(CONFIG_MAP.replace("x}", texts(f"{CONFIG_MAP}---\n{NESTED}") + "}")),
    "JSON in a ConfigMap": one(CONFIG_MAP.replace("x}", texts(JSON_SECRET) + "}")),
    "escaped in a ConfigMap": one(CONFIG_MAP.replace("x}", texts(ENCODED) + "}")),
    "wrong YAML in a ConfigMap": one(CONFIG_MAP.replace("x}", texts(f"{DATA}\n  x: y: z") + "}")),
    "a template of Helm in a ConfigMap": one(
        CONFIG_MAP.replace("x}", texts(f"{{{{ if .a }}}}\n{DATA}") + "}")
    ),
    "a ConfigMap in a ConfigMap": one(
        CONFIG_MAP.replace("x}", texts(CONFIG_MAP.replace("x}", texts(NESTED) + "}")) + "}")
    ),
    "start data in a ConfigMap": one(
        CONFIG_MAP.replace("x}", texts(f"volumes: [{{cloudInitNoCloud: {{userData: '{CANARY}'}}}}]") + "}")
    ),
    **{
        f"a patch of Argo CD: {name}": application(
            f"kustomize: {{patches: [{{target: {{kind: Secret}}, patch: {texts(patch)}}}]}}"
        )
        for name, patch in PATCHES.items()
    },
    **{
        f"a patch of Flux for any kind: {name}": holding(
            "patches",
            f"[{{target: {{name: keys}}, patch: {texts(patch.replace('kind: any', ''))}}}]",
            "Kustomization",
        )
        for name, patch in PATCHES.items()
    },
    **{
        f"a patch of Flux for the kinds {kind}: {name}": holding(
            "patches",
            f"[{{target: {{kind: {texts(kind)}}}, patch: {texts(patch.replace('kind: any', ''))}}}]",
            "Kustomization",
        )
        for kind in ("Sec.*", "^Secret$", "Secret|ConfigMap", "(?i)secret", "Secrte")
        for name, patch in PATCHES.items()
    },
    "a patch of Flux for any kind, which cannot be parsed": holding(
        "patches",
        f"[{{target: {{kind: .*}}, patch: {texts(f'data: {{a: {CANARY}}}{LINE_FEED}b: [')}}}]",
        "Kustomization",
    ),
    "a patch of a HelmRelease": holding(
        "postRenderers",
        f"[{{kustomize: {{patches: [{{target: {{kind: S.+t}}, patch: {texts(PATCHES['whole data'])}}}]}}}}]",
        "HelmRelease",
    ),
    "patches of an early HelmRelease": holding(
        "postRenderers",
        f"[{{kustomize: {{patchesStrategicMerge: [{{metadata: {{name: any}}, data: {{a: {CANARY}}}}}]}}}}]",
        "HelmRelease",
    ),
    "a patch of a policy of Kyverno": holding(
        "rules", f"[{{mutate: {{patchStrategicMerge: {{data: {{a: {CANARY}}}}}}}}}]", "ClusterPolicy"
    ),
    "operations of a policy of Kyverno": holding(
        "rules", f"[{{mutate: {{patchesJson6902: {texts(PATCHES['escaped'])}}}}}]", "ClusterPolicy"
    ),
    "a value that is written into what may be a Secret": holding(
        "replacements",
        f"[{{sourceValue: {CANARY}, targets: [{{select: {{kind: Sec.*}}, fieldPaths: [data.a]}}]}}]",
    ),
    "a patch for a pattern in a ConfigMap": one(
        CONFIG_MAP.replace(
            "x}",
            texts(f"patches: [{{target: {{kind: Sec.*}}, patch: {texts(PATCHES['whole data'])}}}]") + "}",
        )
    ),
    **{
        f"a misspelt Secret: {kind}": one(
            f"apiVersion: {version}\nkind: {kind}\nmetadata: {{name: obj, namespace: a}}\n"
            f"data: {{a: {CANARY}}}\n"
        )
        for kind, version in (("SECRET", "v1"), ("Secert", "v1"), ("Secrets", "v2"), ("Sceretts", "v1"))
    },
    "a misspelt Secret in a ConfigMap": one(
        CONFIG_MAP.replace("x}", texts(DATA.replace("Secret", "Secert")) + "}")
    ),
    **{
        f"a parameter of a plugin: {name}, {field}": application(
            f"plugin: {{parameters: [{{name: {name}, {field}: {value}}}]}}"
        )
        for name, field, value in (
            ("password", "string", CANARY),
            ("tokens", "array", f"[{CANARY}, b]"),
            ("db-password", "array", f"[{CANARY}, b]"),
            ("api-key", "map", f"{{a: {CANARY}}}"),
            ("settings", "map", f"{{db.adminToken: {CANARY}}}"),
            ("arguments", "array", f"[--set, db.password={CANARY}, --token, {CANARY}]"),
        )
    },
    "a variable of a plugin": application(f"plugin: {{env: [{{name: API_KEY, value: {CANARY}}}]}}"),
    **{
        f"a header of a mapping: {name}": holding("headers", f"{{set: {{{name}: {CANARY}}}, Accept: a/b}}")
        for name in ("Authorization", "X-Api-Key", "X-Vault-Token", "Cookie")
    },
    "a header of a webhook": holding("requestHeaders", f"{{Authorization: 'Bearer {CANARY}'}}", "Webhook"),
    "a header of a store": holding(
        "provider", f"{{webhook: {{headers: {{Authorization: 'Basic {CANARY}'}}}}}}", "SecretStore"
    ),
    **{
        f"a header in a text: {text.partition(CANARY)[0]}": holding("note", json.dumps(text))
        for text in (
            f"Authorization: {CANARY}",
            f"Authorization: Digest username='u', response='{CANARY}'",
            f"Authorization: AWS4-HMAC-SHA256 Credential=x, Signature={CANARY}",
        )
    },
    "the body of a request": holding("webhook", f"body: 'user=a&password={CANARY}'", "Webhook"),
    "a value in the reference of a store": holding(
        "provider", f"vault: {{auth: {{appRole: {{secretRef: {{value: {CANARY}}}}}}}}}", "SecretStore"
    ),
    "a value in a key of a reference of a store": holding(
        "provider",
        f"aws: {{auth: {{secretRef: {{accessKeyIDSecretRef: {{id: {{value: {CANARY}}}}}}}}}}}",
        "SecretStore",
    ),
    **{
        f"a value in a reference of another operator: {key}": holding(
            "auth", f"{{{key}: {{value: {CANARY}}}}}"
        )
        for key in ("secretRef", "secretKeyRef", "passwordSecretRef", "apiTokenSecretKeyRef")
    },
    "values of a generator for tests": holding("data", f"{{a: {CANARY}}}", "Fake"),
    "values of a generator of generators": holding(
        "generator", f"fakeSpec: {{data: {{a: {CANARY}}}}}", "ClusterGenerator"
    ),
    **{f"a field {name}": holding(name, CANARY) for name in ("authToken", "secretAccessKey", "DB_TOKEN")},
    "variables": holding(
        "env", f"[{{name: MINIO_SECRET, value: {CANARY}}}, {{name: WIFI_PSK, value: {CANARY}}}]"
    ),
    "credentials in the text of a Secret": {
        **holding("note", CANARY),
        "prod/secret.yaml": KEYS.replace("VALUE", f"'mysql -uroot -p{CANARY} db'"),
        "prod/kustomization.yaml": "resources: [obj.yaml, secret.yaml]\n",
    },
    "values of a chart": holding("values", f"auth: {{password: {CANARY}, user: x}}", "HelmRelease"),
    "values of a chart as a text of any kind": holding(
        "valuesTemplate", f"{texts(f'auth: {{password: {CANARY}}}')}", "HelmChartProxy"
    ),
    "a manifest in a text": holding(
        "object", texts(f"kind: Pod\nspec: {{env: [{{name: DB_PASSWORD, value: {CANARY}}}]}}")
    ),
    "a ClusterSecret": one(
        "apiVersion: clustersecret.io/v1\nkind: ClusterSecret\nmetadata: {name: obj, namespace: a}\n"
        f"data: {{user: {CANARY}}}\n"
    ),
    "copied out of values of a chart": {
        **holding("values", f"secrets: {{a: {{stringData: {{user: {CANARY}}}}}}}", "HelmRelease"),
        "prod/note.yaml": CONFIG_MAP.replace("name: obj", "name: note").replace("copy: x", f"copy: {CANARY}"),
        "prod/kustomization.yaml": "resources: [obj.yaml, note.yaml]\n",
    },
    "a Secret in values": holding("values", f"extraDeploy:\n- {texts(NESTED)}", "HelmRelease"),
    "values as a text": application(f"helm: {{values: {texts(f'auth: {{adminPassword: {CANARY}}}')}}}"),
    "a Secret in values as a text": application(
        f"helm: {{values: {texts(f'secrets: {{a: {{data: {{x: {CANARY}}}}}}}')}}}"
    ),
    "an element of an ApplicationSet": one(
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: obj, namespace: a}\nspec:\n"
        f"  generators: [{{list: {{elements: [{{word: {CANARY}}}]}}}}]\n  template:\n    spec: {{source: {{"
        "kustomize: {patches: [{target: {kind: Secret}, patch: 'stringData: {a: \"{{word}}\"}'}]}}}\n"
    ),
    "a Secret of another kind": one(f"{CONFIG_MAP.replace('copy: x', f'db: {CANARY}')}type: Opaque\n"),
    "values of an Application": application(f"helm: {{valuesObject: {{db: {{token: {CANARY}}}}}}}"),
    "parameters of a chart": application(f"helm: {{parameters: [{{name: auth.password, value: {CANARY}}}]}}"),
    "a password of a machine's Template, and what a filter makes of it": templated(
        machine_with("password: {{ password }}")
        + "\n---\n"
        + CONFIG_MAP.replace("copy: x", 'copy: \'{{ password | replace("-", "_") }}\''),
        f"password: {CANARY}",
    ),
    "a Template with its own value": {
        "vmrender.yaml": PROCESSED,
        **one(OPENSHIFT.replace("FIELD", "stringData")),
    },
    "a Template whose value is data": {"vmrender.yaml": PROCESSED, **one(OPENSHIFT.replace("FIELD", "data"))},
    "a Template that stays one": one(OPENSHIFT.replace("FIELD", "stringData")),
    "a Template of a machine": {
        "vmrender.yaml": PROCESSED,
        **one(
            "apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: t}\n"
            f"parameters: [{{name: LOGIN, value: {CANARY}}}, {{name: NAME}}]\nobjects:\n"
            "- apiVersion: kubevirt.io/v1\n  kind: VirtualMachine\n  metadata: {name: '${NAME}'}\n"
            "  spec: {runStrategy: Always, template: {spec: {domain: {devices: {}}, volumes: [{name: c, "
            "cloudInitNoCloud: {userData: 'x: ${LOGIN}'}}]}}}\n"
            "- {apiVersion: v1, kind: ConfigMap, metadata: {name: obj}, data: {x: '${LOGIN}'}}\n"
        ),
    },
    "a VirtualMachineTemplate": one(VM_TEMPLATE),
    "a VirtualMachineTemplate with given values": {"vmrender.yaml": PROCESSED, **one(VM_TEMPLATE)},
    "a parameter that is named after what it holds": one(
        VM_TEMPLATE.replace("LOGIN, v", "ADMIN_PASSWORD, v").replace("${LOGIN}", "")
    ),
    **{
        f"a parameter that goes into a file of the guest: {kind}, {name}": {
            "vmrender.yaml": project,
            **one(text),
        }
        for kind, text in (("OpenShift", OPENSHIFT_MOTD + SAME), ("KubeVirt", VM_TEMPLATE_MOTD + SAME))
        for name, project in (("as it is", PROJECT), ("processed", PROCESSED))
    },
    "a Template among the resources": {
        "prod/kustomization.yaml": "resources: [t.yaml, obj.yaml]\n",
        "prod/obj.yaml": CONFIG_MAP,
        "prod/t.yaml": "apiVersion: vmrender.io/v1alpha1\nkind: Template\nmetadata: {name: t}\n"
        f"spec: {{template: t.j2, values: {{motd: [{CANARY}]}}}}\n",
        "prod/t.j2": NESTED.replace(CANARY, "{{ motd }}"),
    },
    **{
        f"{name} in the address of a disk image": one(
            f"{MACHINE}  dataVolumeTemplates:\n  - metadata: {{name: root}}\n    spec:\n"
            f"      source: {{{source}}}\n      storage: {{resources: {{requests: {{storage: 1Gi}}}}}}\n"
        )
        for name, source in ADDRESSES.items()
    },
    "inputs of a ResourceSet": one(
        f"{SET}  inputs: [{{of: {CANARY}}}]\n"
        f"  resources: [{MADE.replace('DATA', 'postgres-<< inputs.of | upper >>')}]\n"
    ),
    "inputs of a ResourceSet as start data": one(
        f"{SET}  inputs: [{{of: {CANARY}}}]\n  resources:\n  - {machine_with('password: << inputs.of >>')}\n"
    ),
    "inputs in a text of a ResourceSet": one(
        f"{SET}  inputs: [{{all: [{{of: {CANARY}}}]}}]\n  resourcesTemplate: |\n"
        "    << range $each := inputs.all >>\n    ---\n"
        f"    {MADE.replace('DATA', '<< $each.of | quote >>')}\n    << end >>\n"
    ),
    "inputs that no text of a ResourceSet can hold": one(
        f"{SET}  inputs: [{{of: '{CANARY}: x'}}]\n"
        "  resourcesTemplate: |\n    kind: Secret\n    << inputs.of >>: << inputs.of >>\n"
    ),
    "inputs named after what they hold": one(f"{SET}  inputs: [{{dbPassword: {CANARY}}}]\n"),
    "inputs of another object": {
        "prod/kustomization.yaml": "resources: [obj.yaml, set.yaml]\n",
        "prod/obj.yaml": PROVIDER,
        "prod/set.yaml": f"{SET.replace('name: obj', 'name: set')}  inputsFrom: [{{name: obj}}]\n"
        f"  resources: [{MADE.replace('DATA', '<< inputs.of.db >>')}]\n",
    },
    "a header in two fields": holding(
        "httpGet", f"httpHeaders: [{{name: Authorization, value: 'Bearer {CANARY}'}}]"
    ),
    "a password in two fields": holding("env", f"[{{name: DB_PASSWORD, value: {CANARY}}}]"),
    "a value that an image splits into name and tag": copied(
        f"{CANARY}:app",
        "spec.template.spec.volumes.0.containerDisk.image",
        kind="VirtualMachine",
        target=MACHINE,
    ),
    "a value that a hint spells as the name of a device": copied(
        f"{CANARY}:app",
        "spec.template.spec.domain.devices.gpus.0.name",
        kind="VirtualMachine",
        target=MACHINE.replace("devices: {", "devices: {gpus: [{name: g, deviceName: a.com/b}], "),
    ),
    "a value that a network splits into namespace and name": copied(
        f"{CANARY}/a/b:1",
        "spec.template.spec.networks.0.multus.networkName",
        kind="VirtualMachine",
        target=MACHINE.replace("devices: {", "devices: {interfaces: [{name: n, bridge: {}}], ")
        + "      networks: [{name: n, multus: {networkName: a/b}}]\n",
    ),
    "a user in the name of an image": one(
        MACHINE.replace("a/b:1", f"app:{CANARY}@registry.example.org/a/b:1")
    ),
    **{
        f"arguments of a kernel: {text.partition(CANARY)[0]}": one(
            MACHINE.replace(
                "domain: {",
                "domain: {firmware: {kernelBoot: {container: {image: a/b, kernelPath: /k}, "
                f"kernelArgs: 'console=ttyS0 {text} quiet'}}}}, ",
            )
        )
        for text in KERNEL_ARGUMENTS
    },
    "a key that is an address": holding("auths", f"https://app:{CANARY}@registry.example.org: {{a: b}}"),
    "an entry in braces": one(
        "apiVersion: v1\nkind: Secret\nmetadata: {name: obj, namespace: a}\n"
        f"stringData: {{password: {{{CANARY}}}}}\n"
    ),
    **{
        f"arguments of a container: {text.partition(CANARY)[0]}": holding(
            "containers", f"[{{name: a, {text}}}]"
        )
        for text in (
            f"args: [serve, '--password={CANARY}']",
            f"args: [--user, me, --db-password, {CANARY}]",
            f"command: [sh, -c, 'mysql -u me -p{CANARY} db']",
            f"command: [sh, -c, 'API_TOKEN={CANARY} run']",
            f"livenessProbe: {{exec: {{command: [check, --token, {CANARY}]}}}}",
            f"livenessProbe: {{exec: {{command: [vault, login, {CANARY}]}}}}",
            f"command: [net], args: [user, Jane Doe, {CANARY}]",
        )
    },
    "a number as the password of an operator": one(
        "apiVersion: metallb.io/v1beta2\nkind: BGPPeer\nmetadata: {name: obj, namespace: a}\n"
        "spec: {myASN: 1, peerASN: 2, peerAddress: 10.0.0.1, password: 12345678}\n"
    ),
    "an entry without a colon": one(
        "apiVersion: v1\nkind: Secret\nmetadata: {name: obj, namespace: a}\n"
        f"stringData: {{password {CANARY}}}\n"
    ),
    "a key with its value": holding("env", f"[{{name: A, value:{CANARY}}}]"),
    "a name": copied(CANARY, "metadata.name"),
    "a namespace": copied(CANARY, "metadata.namespace"),
    "a kind": copied(CANARY, "kind"),
    "a namespace that is refused": copied(f"{CANARY} is no name", "metadata.namespace"),
    **{
        f"copied within its Secret: {name}": {
            "prod/kustomization.yaml": "resources: [obj.yaml]\npatches:\n- target: {kind: Secret|Policy}\n"
            f"  patch: {texts(json.dumps([{'op': 'copy', **each} for each in operations]))}\n",
            "prod/obj.yaml": text,
        }
        for name, text, operations in (
            ("a namespace", NESTED, [{"from": "/stringData/password", "path": "/metadata/namespace"}]),
            ("a kind", NESTED, [{"from": "/stringData/password", "path": "/kind"}]),
            (
                "a name, by way of an annotation",
                NESTED,
                [
                    {"from": "/stringData", "path": "/metadata/annotations"},
                    {"from": "/metadata/annotations/password", "path": "/metadata/name"},
                ],
            ),
            (
                "the namespace of a policy",
                holding("object", NESTED, "Policy")["prod/obj.yaml"],
                [
                    {"from": "/spec/object/stringData", "path": "/spec/copy"},
                    {"from": "/spec/copy/password", "path": "/metadata/namespace"},
                ],
            ),
        )
    },
    "copied out of a policy": {
        **holding("policy-templates", f"- objectDefinition:\n{indent(NESTED, '    ')}", "Policy"),
        "prod/cm.yaml": CONFIG_MAP.replace("name: obj", "name: cm"),
        "prod/kustomization.yaml": "resources: [obj.yaml, cm.yaml]\nreplacements:\n"
        "- source: {kind: Policy, fieldPath: spec.policy-templates.0.objectDefinition.stringData.password, "
        "options: {delimiter: '-', index: 2}}\n"
        "  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.copy]}]\n",
    },
    "moved out of a policy": {
        **holding("object", NESTED, "Policy"),
        "prod/kustomization.yaml": "resources: [obj.yaml]\npatches:\n- target: {kind: Policy}\n  patch: '"
        + json.dumps(
            [
                {"op": "move", "from": "/spec/object/stringData/password", "path": "/spec/note"},
                {"op": "remove", "path": "/spec/object"},
            ]
        )
        + "'\n",
    },
}


@pytest.mark.parametrize("case", CASES)
def test_no_output_shows_the_value(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path, text in {"vmrender.yaml": PROJECT, **CASES[case]}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    code, _, stderr = invoked("render")
    assert code in (0, 1), stderr
    committed(tmp_path)
    for path in CASES[case]:
        text = (tmp_path / path).read_text(encoding="utf-8")
        changed = text.replace("canary", "newcanary").replace("12345678", "98765432").replace("1Gi", "2Gi")
        (tmp_path / path).write_text(changed.replace("a/b:1", "a/b:2"), encoding="utf-8")
    leaks: list[str] = []
    differs = False
    for command in commands(list(CASES).index(case)):
        code, stdout, stderr = invoked(command)
        assert code in (0, 1, 2), (command, stderr)
        differs = differs or (command.startswith("diff") and code == 1)
        stdout = "" if command.startswith("expand") else stdout  # manifests
        leaks += [
            f"{command}: {line}"
            for line in (stdout + stderr).splitlines()
            if any(word in line for word in ("canary", "12345678", "98765432", "-bird"))
        ]
    assert leaks == []
    assert differs


@pytest.mark.parametrize(
    ("user", "part", "is_host"),
    [
        (f"app:pw-{CANARY}", (":", 2), 0),
        (f"app:pw-{CANARY}", ("@", 0), 0),
        (f"app:pw-{CANARY}", ("-", 1), 0),
        (f"app:pw-{CANARY}", ("@", 1), 1),
        (f"{CANARY}:x-oauth-basic", (":", 1), 0),
    ],
)
def test_part_of_an_address_shows_no_credential(
    user: str, part: tuple[str, int], is_host: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    delimiter, index = part
    address = f"https://{user}@host.example.org"
    files = {
        "vmrender.yaml": PROJECT,
        "prod/from.yaml": f"{{apiVersion: v1, kind: Thing, metadata: {{name: from}}, url: '{address}'}}\n",
        "prod/obj.yaml": CONFIG_MAP,
        "prod/kustomization.yaml": "resources: [from.yaml, obj.yaml]\nreplacements:\n"
        f"- source: {{kind: Thing, fieldPath: url, options: {{delimiter: '{delimiter}', index: {index}}}}}\n"
        "  targets: [{select: {kind: ConfigMap}, fieldPaths: [data.copy]}]\n",
    }
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    code, stdout, stderr = invoked("render --check --no-cache")
    _, explained, _ = invoked("explain configmap/obj data.copy")

    assert code in (0, 1), stderr
    assert "canary" not in stdout + stderr + explained
    assert ("data.copy: host.example.org" in explained) == bool(is_host)


#: The cases in which a value of a Secret is in one object of another kind.
IN_OTHER_OBJECTS = tuple(
    case
    for case, files in CASES.items()
    if [*files] == ["prod/kustomization.yaml", "prod/obj.yaml"]
    and not case.startswith(("values", "parameters of a chart", "start data", "a key with its value"))
)


@pytest.mark.parametrize("case", IN_OTHER_OBJECTS)
def test_import_writes_no_object_with_a_secret_in_it(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "vmrender.yaml").write_text("apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\n", "utf-8")
    monkeypatch.chdir(tmp_path)

    code, stdout, stderr = invoked("import - --all-namespaces --output made", CASES[case]["prod/obj.yaml"])

    written = "".join(path.read_text(encoding="utf-8") for path in tmp_path.glob("made/**/*.yaml"))
    assert code in (0, 1, 2), stderr
    assert "canary" not in written + stdout + stderr


def test_import_writes_objects_that_refer_to_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    reference = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: obj, namespace: a}\n"
    text = "see: {kind: Secret, name: public-name}\nsecretRef: {name: public-name}\n"

    code, _, stderr = invoked("import - --output made", f"{reference}data: {{a.yaml: {texts(text)}}}\n")

    assert code == 0, stderr
    written = "".join(path.read_text(encoding="utf-8") for path in tmp_path.glob("made/**/*.yaml"))
    assert "public-name" in written


PUBLIC = {
    "a reference": holding("ref", "apiVersion: v1\nkind: Secret\nname: CANARY\nclone: {name: CANARY}"),
    "a text of the template of an ExternalSecret": holding(
        "target",
        'template: {data: {app.ini: "[db]\\nhost = CANARY\\npassword = {{ .password }}\\n"}}',
        "ExternalSecret",
    ),
    "an ExternalSecret": holding(
        "target", "template: {data: {host: CANARY}}\nsecretStoreRef: {name: CANARY}", "ExternalSecret"
    ),
    "references of stores and others": holding(
        "auth",
        "secretRef: {accessKeyIDSecretRef: {name: CANARY, key: a, namespace: b}}\n"
        "tokenSecretRef: {name: CANARY}\nclientSecret: {name: CANARY, key: a}",
        "SecretStore",
    ),
    "references of others": holding(
        "auth", "secretRef: {name: CANARY, fieldPath: CANARY, mountPath: CANARY, version: CANARY}"
    ),
    "a definition": holding(
        "clientSecret", "properties: {data: {type: CANARY}}\nstringData: CANARY", "CustomResourceDefinition"
    ),
    "values of a chart": holding(
        "values", "auth: {existingSecret: CANARY, host: CANARY}\nnote: 'kind: CANARY'", "HelmRelease"
    ),
    "a ConfigMap": one(CONFIG_MAP.replace("x}", "'the Secret: CANARY'}")),
    "a patch of a ConfigMap": holding(
        "patches", "[{target: {kind: ConfigMap}, patch: '{data: {a: CANARY}}'}]", "Kustomization"
    ),
    "a patch of machines of a pattern": holding(
        "patches",
        "[{target: {kind: Virtual.*}, patch: '[{op: add, path: /spec/runStrategy, value: CANARY}]'}]",
        "Kustomization",
    ),
    "a value that is written into machines": holding(
        "replacements",
        "[{sourceValue: CANARY, targets: [{select: {kind: V.*}, fieldPaths: [spec.running]}]}]",
    ),
    "a parameter of a plugin": application("plugin: {parameters: [{name: revision, string: CANARY}]}"),
    "headers": holding("headers", "{set: {X-Team: CANARY}, Accept: CANARY, X-Frame-Options: CANARY}"),
    "texts that mention authorization": holding(
        "note", "[ 'authorization: enabled, CANARY', 'Allow-Headers: Authorization, CANARY', 'cc: CANARY' ]"
    ),
    "a header that is put in later": holding(
        "headers", "{Authorization: 'Basic {{ print .CANARY }}', X-Api-Key: '${CANARY}'}"
    ),
    "the body of a request": holding("webhook", "body: 'user=CANARY'", "Webhook"),
    "a kind that resembles no Secret": one(
        "apiVersion: example.com/v1\nkind: Server\nmetadata: {name: obj}\ndata: {a: CANARY}\n"
    ),
    "a value that kustomize adds to machines": one(
        "apiVersion: builtin\nkind: ValueAddTransformer\nmetadata: {name: obj, namespace: a}\n"
        "value: CANARY\ntargets: [{selector: {kind: VirtualMachine}, fieldPath: spec/x}]\n"
    ),
    "paths and names of a generator of Secrets": one(
        "apiVersion: builtin\nkind: SecretGenerator\nmetadata: {name: obj, namespace: a}\n"
        "files: [CANARY, a=b/CANARY.txt]\nenvs: [CANARY]\noptions: {labels: {a: CANARY}}\ntype: CANARY\n"
    ),
    "words that end like a token": holding("tokenizer", "CANARY"),
    "a Template": one(OPENSHIFT.replace("FIELD", "data").replace("name: NAME", "name: NAME, value: CANARY")),
    "inputs of a ResourceSet": one(
        f"{SET}  inputs: [{{of: 'CANARY', at: b}}]\n  resources:\n"
        "  - apiVersion: v1\n    kind: Secret\n    metadata: {name: << inputs.of >>}\n"
        "    stringData: {a: << inputs.at >>}\n"
    ),
    "arguments of a container": holding(
        "containers",
        "[{args: [--token-file, CANARY, --host=CANARY, --password, $(CANARY)], command: [CANARY]}]",
    ),
    "a name and its value": holding("env", "[{name: HOST, value: CANARY}, {name: TOKEN_FILE, value: a}]"),
}


@pytest.mark.parametrize("case", PUBLIC)
def test_what_is_harmless_is_shown(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path, text in {"vmrender.yaml": PROJECT, **PUBLIC[case]}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text.replace("CANARY", "public-word"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    invoked("render")
    committed(tmp_path)
    text = (tmp_path / "prod/obj.yaml").read_text(encoding="utf-8")
    (tmp_path / "prod/obj.yaml").write_text(text.replace("public-word", "public-term"), encoding="utf-8")

    for command in ("diff", "render --check", "explain obj"):
        _, stdout, stderr = invoked(command)
        assert "public-term" in stdout, (command, stdout, stderr)
