"""JSON from outside: reading it strictly, checking it against a schema, comparing it as JSON."""
