"""A repository with a canary in every confidential field, and ways to break it."""

from __future__ import annotations

from base64 import b64encode

#: Every canary begins with this, so that its base64 has a fixed start.
CANARY = "canary-is-a-bird"
ENCODED = b64encode(CANARY.encode()).decode()
#: Allowed in no output: the canary, and the start of each encoding of it.
FORBIDDEN = ("canary", "Y2FuYXJ5")

SECRET = f"""\
apiVersion: v1
kind: Secret
metadata:
  name: keys
  namespace: prod
stringData:
  password: {CANARY}
data:
  token: {ENCODED}
"""
MACHINE = f"""\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: web
  namespace: prod
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: |
      {{"kind":"VirtualMachine","userData":"{CANARY}"}}
spec:
  runStrategy: Always
  instancetype:
    name: large
  template:
    spec:
      accessCredentials:
      - userPassword:
          source:
            secret:
              secretName: keys
          propagationMethod:
            qemuGuestAgent: {{}}
      domain:
        devices:
          disks:
          - name: init
            disk: {{}}
          - name: config
            disk: {{}}
          - name: answers
            cdrom:
              bus: sata
      volumes:
      - name: init
        cloudInitNoCloud:
          userData: |
            #cloud-config
            password: {CANARY}
          networkData: "{CANARY}"
      - name: config
        cloudInitConfigDrive:
          userDataBase64: {ENCODED}
          networkDataBase64: {ENCODED}
      - name: answers
        sysprep:
          configMap:
            name: answers
"""
#: Content of other ConfigMaps is shown in comparisons of trees.
CONFIG_MAP = f"""\
apiVersion: v1
kind: ConfigMap
metadata:
  name: answers
  namespace: prod
data:
  autounattend.xml: |
    <ComputerName>web</ComputerName>
    <AdministratorPassword>
    {CANARY}
    </AdministratorPassword>
"""
KUSTOMIZATION = f"""\
resources:
- secret.yaml
- machine.yaml
- answers.yaml
- size.yaml
secretGenerator:
- name: generated
  namespace: prod
  literals:
  - password={CANARY}
  envs:
  - passwords.env
  files:
  - key.txt
replacements:
- source:
    kind: Secret
    name: keys
    fieldPath: stringData.password
  targets:
  - select:
      kind: VirtualMachine
    options:
      create: true
    fieldPaths:
    - metadata.labels.copied
patches:
- patch: |-
    apiVersion: v1
    kind: Secret
    metadata:
      name: keys
      namespace: prod
    stringData:
      patched: {CANARY}
- target:
    kind: Secret
    name: keys
  patch: |-
    - op: add
      path: /stringData/added
      value: {CANARY}
"""
SIZE = """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata:
  name: large
spec:
  cpu:
    guest: 4
  memory:
    guest: 8Gi
"""
PROJECT = """\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig
catalogs: [{path: prod}]
overlays:
- path: prod
"""
FILES = {
    "vmrender.yaml": PROJECT,
    "prod/kustomization.yaml": KUSTOMIZATION,
    "prod/secret.yaml": SECRET,
    "prod/machine.yaml": MACHINE,
    "prod/answers.yaml": CONFIG_MAP,
    "prod/size.yaml": SIZE,
    "prod/passwords.env": f"A={CANARY}\n",
    "prod/key.txt": f"{CANARY}\n",
}

#: Breakages: the file, the old text and the new text.
BREAKAGES = {
    "nothing": ("vmrender.yaml", "", ""),
    "project": ("vmrender.yaml", "overlays:", "overlay: x\noverlays:"),
    # a Secret of wrong types
    "number": ("prod/secret.yaml", f"password: {CANARY}", "password: 5"),
    "mapping": ("prod/secret.yaml", f"password: {CANARY}", f"password: {{a: {CANARY}}}"),
    "list": ("prod/secret.yaml", f"password: {CANARY}", f"password: [{CANARY}]"),
    "text-for-data": ("prod/secret.yaml", f"data:\n  token: {ENCODED}", f"data: {ENCODED}"),
    "text-for-string-data": (
        "prod/secret.yaml",
        f"stringData:\n  password: {CANARY}",
        f"stringData: {CANARY}",
    ),
    "list-for-data": ("prod/secret.yaml", f"  token: {ENCODED}", f"- {ENCODED}\n- {CANARY}"),
    "no-base64": ("prod/secret.yaml", ENCODED, f"{CANARY}!"),
    "key-of-wrong-form": ("prod/secret.yaml", "  token:", '  "to ken":'),
    "misspelt-data": ("prod/secret.yaml", "stringData:", "stringdata:"),
    "misspelt-values": ("prod/secret.yaml", "stringData:\n  password:", "values:\n  password:"),
    "type-of-metadata": ("prod/secret.yaml", "metadata:", f"metadata: {CANARY}\nmeta:"),
    "no-kind": ("prod/secret.yaml", "kind: Secret\n", ""),
    "misspelt-kind": ("prod/secret.yaml", "kind: Secret", "kind: secret"),
    "misspelt-group": ("prod/secret.yaml", "apiVersion: v1", f"apiVersion: [{CANARY}]"),
    "twice": ("prod/kustomization.yaml", "- secret.yaml", "- secret.yaml\n- ./secret.yaml"),
    # bad YAML around it
    "open-quote": ("prod/secret.yaml", f"password: {CANARY}", f'password: "{CANARY}'),
    "tab": ("prod/secret.yaml", "  password:", "\tpassword:"),
    "colon": ("prod/secret.yaml", f"password: {CANARY}", f"password: {CANARY}: {CANARY}"),
    "duplicate-key": ("prod/secret.yaml", f"password: {CANARY}", f"password: {CANARY}\n  password: {CANARY}"),
    "unknown-alias": ("prod/secret.yaml", f"password: {CANARY}", f"password: *{CANARY}"),
    "unknown-tag": ("prod/secret.yaml", f"password: {CANARY}", f"password: !{CANARY} {CANARY}"),
    "bad-binary": ("prod/secret.yaml", f"password: {CANARY}", f"password: !!binary {CANARY}!"),
    "bad-number": ("prod/secret.yaml", f"password: {CANARY}", f"password: !!int {CANARY}"),
    "control-character": ("prod/secret.yaml", f"password: {CANARY}", f"password: {CANARY}\x01"),
    "indentation": ("prod/secret.yaml", "data:\n  token", "   data:\n  token"),
    "document-marker": ("prod/secret.yaml", "data:\n  token", "--- token"),
    "not-text": ("prod/secret.yaml", f"password: {CANARY}", f"password: {CANARY}\udcff"),
    # the machine
    "machine-field": ("prod/machine.yaml", "runStrategy:", "runstrategy:"),
    "machine-conflict": ("prod/machine.yaml", "      domain:", "      domain:\n        cpu: {cores: 2}"),
    "user-data-list": ("prod/machine.yaml", "userData: |\n", "userData:\n            - |\n"),
    "user-data-mapping": ("prod/machine.yaml", f'networkData: "{CANARY}"', f"networkData: {{a: {CANARY}}}"),
    "user-data-misspelt": ("prod/machine.yaml", f'networkData: "{CANARY}"', f'networkdata: "{CANARY}"'),
    "user-data-unknown": ("prod/machine.yaml", f'networkData: "{CANARY}"', f'password: "{CANARY}"'),
    "user-data-base64": ("prod/machine.yaml", f"userDataBase64: {ENCODED}", f"userDataBase64: {CANARY}!"),
    "user-data-twice": (
        "prod/machine.yaml",
        "userDataBase64:",
        f"userData: {CANARY}\n          userDataBase64:",
    ),
    "user-data-long": ("prod/machine.yaml", f"userDataBase64: {ENCODED}", f"userDataBase64: {ENCODED * 200}"),
    "user-data-quote": ("prod/machine.yaml", f'networkData: "{CANARY}"', f'networkData: "{CANARY}'),
    "no-disk": ("prod/machine.yaml", "          - name: config\n            disk: {}\n", ""),
    "credentials": ("prod/machine.yaml", "source:\n            secret:", "source:\n            secrets:"),
    "password-in-credentials": ("prod/machine.yaml", "secretName: keys", "secretName: absent"),
    "unknown-size": ("prod/machine.yaml", "name: large", "name: larg"),
    # kustomization
    "literal-without-value": ("prod/kustomization.yaml", f"password={CANARY}", CANARY),
    "literal-mapping": ("prod/kustomization.yaml", f"password={CANARY}", f"password: {CANARY}"),
    "literal-twice": ("prod/kustomization.yaml", "  literals:", f"  literals:\n  - password={CANARY}x"),
    "literal-quote": ("prod/kustomization.yaml", f"- password={CANARY}", f'- "password={CANARY}'),
    "literal-key": ("prod/kustomization.yaml", f"password={CANARY}", f"pass word={CANARY}"),
    "literals-text": (
        "prod/kustomization.yaml",
        f"literals:\n  - password={CANARY}",
        f"literals: password={CANARY}",
    ),
    "literals-misspelt": ("prod/kustomization.yaml", "  literals:", "  literal:"),
    "env-line": ("prod/passwords.env", "A=", "A B C="),
    "env-twice": ("prod/passwords.env", "A=", f"A={CANARY}\nA="),
    "no-such-file": ("prod/kustomization.yaml", "key.txt", "keys.txt"),
    "generator-misspelt": ("prod/kustomization.yaml", "secretGenerator:", "secretGenerators:"),
    "patch-target": ("prod/kustomization.yaml", "name: keys\n      namespace", "name: key\n      namespace"),
    "patch-type": ("prod/kustomization.yaml", f"patched: {CANARY}", f"patched: [{CANARY}]"),
    "patch-yaml": ("prod/kustomization.yaml", f"patched: {CANARY}", f'patched: "{CANARY}'),
    "patch-duplicate": (
        "prod/kustomization.yaml",
        f"patched: {CANARY}",
        f"patched: {CANARY}\n      patched: {CANARY}",
    ),
    "operation-path": ("prod/kustomization.yaml", "/stringData/added", "/stringDate/added/x"),
    "operation-test": ("prod/kustomization.yaml", "op: add", "op: test"),
    "operation-unknown": ("prod/kustomization.yaml", "op: add", "op: ad"),
    # what was rendered, edited by hand
    "edited": ("rendered/prod/prod/secret_keys.yaml", "added", f"by-hand: {CANARY}\n  added"),
    "edited-kind": ("rendered/prod/prod/secret_keys.yaml", "kind: Secret", "kind: Secrets"),
    "edited-yaml": ("rendered/prod/prod/secret_keys.yaml", "stringData:", "stringData: {"),
    "edited-machine": (
        "rendered/prod/prod/virtualmachine_web.yaml",
        "runStrategy: Always",
        "runStrategy: Manual",
    ),
    "edited-user-data": ("rendered/prod/prod/virtualmachine_web.yaml", "#cloud-config", f"#{CANARY}"),
    "edited-copy": ("rendered/prod/prod/virtualmachine_web.yaml", "  labels:", "  labels:\n    edited: a"),
    "edited-flow": (
        "rendered/prod/prod/virtualmachine_web.yaml",
        "runStrategy: Always",
        f'extra: {{"userData":"{CANARY}"}}\n  runStrategy: Always',
    ),
    "edited-alias": (
        "rendered/prod/prod/virtualmachine_web.yaml",
        "runStrategy: Always",
        f"extra: &data\n    {CANARY}\n  userData: *data\n  runStrategy: Always",
    ),
    "edited-explicit-key": (
        "rendered/prod/prod/virtualmachine_web.yaml",
        f"networkData: {CANARY}",
        f"? networkData\n          : >-\n            {CANARY}\n            more",
    ),
    "edited-canonical": (
        "rendered/prod/prod/virtualmachine_web.yaml",
        f"networkData: {CANARY}",
        f'? !!str "networkData"\n          : !!str "{CANARY}\\\n            more"',
    ),
    "edited-answers": (
        "rendered/prod/prod/configmap_answers.yaml",
        "<ComputerName>",
        f"<Password>{CANARY}</Password><ComputerName>",
    ),
    # a value of a Secret where it is refused
    "copied-into-a-field": ("prod/kustomization.yaml", "metadata.labels.copied", "spec.runStrategy"),
    "copied-into-a-name": ("prod/kustomization.yaml", "metadata.labels.copied", "spec.instancetype.name"),
    # sources that changed since
    "stale-secret": ("prod/secret.yaml", f"password: {CANARY}", f"password: {CANARY}-new\n  other: {CANARY}"),
    "stale-user-data": ("prod/machine.yaml", f"password: {CANARY}", f"password: {CANARY}-new"),
    "stale-answers": ("prod/answers.yaml", "<ComputerName>", f"{CANARY}-new\n    <ComputerName>"),
    "stale-literal": ("prod/kustomization.yaml", f"password={CANARY}", f"password={CANARY}-new"),
    "secret-removed": ("prod/kustomization.yaml", "- secret.yaml\n", ""),
    "renamed": ("prod/secret.yaml", "name: keys", "name: other"),
}
