"""The commands, one a module. A command imports its use case when it is run: listing commands costs nothing."""
