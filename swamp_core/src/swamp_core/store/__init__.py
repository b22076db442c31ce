"""The control-plane store: its protocol, key rules, errors, registry and fan-out."""
