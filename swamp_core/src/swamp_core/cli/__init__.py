"""The command line: one click command a module, rendering apart from doing, one renderer for every error."""
