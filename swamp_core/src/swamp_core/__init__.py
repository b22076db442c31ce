"""Swamp: durable waits with nothing but a bucket."""
