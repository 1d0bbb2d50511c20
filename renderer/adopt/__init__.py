"""From a cluster to Git: read a dump, fit instance types to VMs, compare a cluster with Git."""
