"""What holds for every test: a property is judged by its answer, not by how busy the machine is."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("swamp", deadline=None)
settings.load_profile("swamp")
