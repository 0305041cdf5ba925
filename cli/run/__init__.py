"""Running the analysis of many files: jobs, executors, isolated worker processes, checkpoints."""
