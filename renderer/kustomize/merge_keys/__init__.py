"""The merge keys of lists: for Kubernetes' kinds, for KubeVirt's, and from OpenAPI documents."""
