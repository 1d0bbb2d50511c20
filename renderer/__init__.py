"""Offline GitOps manifest renderer for KubeVirt."""

__version__ = "0.1.0"
