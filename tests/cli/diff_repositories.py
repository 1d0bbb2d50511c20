"""What the repositories of the tests of ``vmrender diff`` have in common."""

from __future__ import annotations

import json
from pathlib import Path

#: The schema of ``--format json``.
SCHEMA = json.loads((Path(__file__).parents[2] / "schemas/vmrender/diff.json").read_text(encoding="utf-8"))
PROJECT = 'apiVersion: vmrender.io/v1alpha1\nkind: RenderConfig\nkubevirt: "1.9"\n'
SETTINGS = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: prod}\n"
#: The address of the repository, for Flux and Argo CD.
ORIGIN = "https://git.example.org/vms.git"
GIT_REPOSITORY = f"""\
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {{name: fleet, namespace: flux-system}}
spec:
  interval: 1m
  url: {ORIGIN}
"""
APPLICATION_OF_PATH = f"""\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {{name: apps, namespace: argocd}}
spec:
  project: default
  source: {{repoURL: "{ORIGIN}", targetRevision: main, path: PATH}}
  destination: {{server: "https://kubernetes.default.svc"}}
"""
