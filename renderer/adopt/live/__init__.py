"""The comparison of what Git holds with what a cluster holds."""
