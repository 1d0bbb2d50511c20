"""More than anybody has: how much memory and work it takes."""
