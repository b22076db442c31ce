"""A run's journal: appending with fencing, reading with snapshots, and the protocols of a run's start and end."""
