"""What a workflow is, how its file is read, and what must hold before it may run."""
