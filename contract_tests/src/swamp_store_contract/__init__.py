"""The suite that a control-plane store of Swamp must pass."""
