"""The project file and the first overlay of a new repository."""

from __future__ import annotations

from renderer.model.release import Release

PROJECT = "vmrender.yaml"
OVERLAY = "overlays/dev"

_PROJECT = """\
apiVersion: vmrender.io/v1alpha1
kind: RenderConfig

# The release that the cluster runs. What it refuses is refused here, too.
kubevirt: "{release}"

# Where instance types and preferences are looked up; the first hit wins.
catalogs:
  - builtin: common-instancetypes

# Each folder here that has a kustomization is rendered into a folder of its own.
overlays:
  - path: overlays/*
output: rendered/{{name}}
"""

_KUSTOMIZATION = """\
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization

namespace: dev

resources:
  - web.yaml
"""

# It has to be right for every release that can be rendered for.
_VIRTUAL_MACHINE = """\
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata:
  name: web
spec:
  runStrategy: Always
  instancetype:
    name: u1.small
  preference:
    name: fedora
  template:
    spec:
      domain:
        devices:
          disks:
            - name: root
              disk: {}
          interfaces:
            - name: default
              masquerade: {}
      networks:
        - name: default
          pod: {}
      volumes:
        - name: root
          containerDisk:
            image: quay.io/containerdisks/fedora:42
"""


def project_files(release: Release) -> dict[str, str]:
    """``vmrender.yaml``, text by path."""
    return {PROJECT: _PROJECT.format(release=release)}


def overlay_files() -> dict[str, str]:
    """An overlay with one virtual machine, text by path."""
    return {f"{OVERLAY}/kustomization.yaml": _KUSTOMIZATION, f"{OVERLAY}/web.yaml": _VIRTUAL_MACHINE}
