"""A run as events and their fold: pure, and the one place where its transitions are written."""
