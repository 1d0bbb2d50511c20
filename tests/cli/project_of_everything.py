"""A project with one of each kind of file that rendering an overlay reads."""

from __future__ import annotations

from pathlib import Path

_VM = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: "{name}"
  labels: {{tier: web}}
spec:
  runStrategy: {run}
  instancetype: {{name: "{size}"}}
  preference: {{name: linux}}
  template:
    spec:
      terminationGracePeriodSeconds: 60
      domain:
        devices:
          disks: [{{name: root, disk: {{}}}}]
      volumes:
        - name: root
          containerDisk: {{image: "quay.io/containerdisks/fedora:42"}}
"""

FILES = {
    "vmrender.yaml": """\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig
catalogs: [path: sizes]
schemas: [path: schemas]
overlays:
  - path: overlays/*
  - path: overlays/flux
    flux: {kustomization: clusters/flux.yaml}
  - path: overlays/hashed
    instancetypeNames: hash
""",
    "sizes/kustomization.yaml": "resources: [small.yaml, linux.yaml]\ngenerators: [series.yaml]\n",
    "sizes/small.yaml": """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterInstancetype
metadata: {name: small}
spec: {cpu: {guest: 1}, memory: {guest: 2Gi}}
""",
    "sizes/linux.yaml": """\
apiVersion: instancetype.kubevirt.io/v1beta1
kind: VirtualMachineClusterPreference
metadata: {name: linux}
spec: {devices: {preferredDiskBus: virtio}}
""",
    "sizes/series.yaml": """\
apiVersion: vmrender.io/v1alpha1
kind: InstancetypeSeries
metadata: {name: s1}
spec:
  sizes:
    - {name: large, vcpus: 8, memory: 16Gi}
""",
    "schemas/lan.yaml": """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: lans.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {plural: lans, kind: Lan}
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties: {spec: {type: object, properties: {vlan: {type: integer}}}}
""",
    "base/kustomization.yaml": "resources: [vm.yaml]\n",
    "base/vm.yaml": _VM.format(name="web", run="Always", size="small"),
    "components/backup/kustomization.yaml": """\
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
commonAnnotations: {backup: nightly}
""",
    "overlays/prod/kustomization.yaml": """\
resources: [../../base, lan.yaml]
components: [../../components/backup]
namePrefix: prod-
patches: [path: patch.yaml]
generators: [template.yaml]
configMapGenerator:
  - name: settings
    files: [settings.txt]
""",
    "overlays/prod/lan.yaml": """\
apiVersion: example.org/v1
kind: Lan
metadata: {name: lan}
spec: {vlan: 7}
""",
    "overlays/prod/patch.yaml": """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: web}
spec: {instancetype: {name: s1.large}}
""",
    "overlays/prod/template.yaml": """\
apiVersion: vmrender.io/v1alpha1
kind: Template
metadata: {name: notes}
spec: {template: notes.yaml.j2, values: {zone: a}}
""",
    "overlays/prod/notes.yaml.j2": """\
apiVersion: v1
kind: ConfigMap
metadata: {name: notes}
data: {zone: "{{ zone }}"}
""",
    "overlays/prod/settings.txt": "one\n",
    "overlays/dev/kustomization.yaml": "resources: [../../base]\nnamePrefix: dev-\n",
    "overlays/hashed/kustomization.yaml": "resources: [../../sizes, ../../base]\nnamePrefix: h-\n",
    "overlays/flux/kustomization.yaml": "resources: [vm.yaml]\n",
    "overlays/flux/vm.yaml": _VM.format(name="${site}", run="Always", size="${size}"),
    "clusters/flux.yaml": """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: flux, namespace: flux-system}
spec:
  path: ./overlays/flux
  postBuild:
    substitute: {site: berlin}
    substituteFrom: [{kind: ConfigMap, name: sizes}]
""",
    "clusters/sizes.yaml": """\
apiVersion: v1
kind: ConfigMap
metadata: {name: sizes, namespace: flux-system}
data: {size: small}
""",
    "overlays/warned/kustomization.yaml": "resources: [vm.yaml]\n",
    "overlays/warned/vm.yaml": _VM.format(name="old", run="Always", size="small").replace(
        "runStrategy: Always", "running: true"
    ),
}


def write_project(root: Path) -> None:
    for path, text in FILES.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
