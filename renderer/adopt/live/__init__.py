"""Compare the objects in Git with the objects in a cluster."""
