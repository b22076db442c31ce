"""What runs a workflow: which steps are ready (pure), the driver, and the protocols of its suspension and return."""
