"""From what use cases answer to parts of a text for people. Pure; escaping and colour are the output's."""
