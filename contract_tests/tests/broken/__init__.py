"""Stores that break one promise each, as real ones do, so that the suite is seen to catch them."""
