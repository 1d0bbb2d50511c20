"""Memory and work of loads larger than any real one."""
