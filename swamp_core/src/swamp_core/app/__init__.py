"""The use cases: what a person or a script can ask of Swamp, one module each, apart from any command line."""
