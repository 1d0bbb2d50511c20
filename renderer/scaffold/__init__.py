"""What ``vmrender init`` writes: a project, its first overlay, and what runs vmrender on commit and in CI."""
