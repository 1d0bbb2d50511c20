"""The keys by which lists merge: of Kubernetes' kinds, of KubeVirt's, and of OpenAPI documents."""
