"""The rules of this house, as checks that print file, line and what to do instead; and what is shipped from it."""
