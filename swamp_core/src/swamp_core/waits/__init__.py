"""Waits and signals: what is decided about them (pure), and the protocols around the decisions."""
