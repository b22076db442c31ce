"""Says at the end of a run which promises were not proven, so that none is skipped in silence."""
