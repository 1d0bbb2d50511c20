"""Find what deploys virtual machines in a repository that has no project file yet."""
