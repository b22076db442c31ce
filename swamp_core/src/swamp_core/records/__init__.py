"""The record families: their models, their keys, and how a record is read."""
