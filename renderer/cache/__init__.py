"""What earlier runs found out, kept outside of the repository; it can make a run quicker and nothing else."""
