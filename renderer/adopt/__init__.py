"""From a cluster to Git: read a dump, fit instance types to machines, compare a cluster with Git."""
