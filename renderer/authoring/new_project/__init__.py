"""What ``vmrender init`` writes into a new project: project file, first overlay, Git hooks and CI jobs."""
