"""Text from records and files, made safe for a terminal: whatever is not plainly visible is shown as an escape.

A step's name or a payload may hold escape sequences, line breaks, or characters that turn the direction of a line.
Nothing of that reaches a terminal: the output escapes every part that it prints, so no command can forget to.
"""

from __future__ import annotations


def printable(text: str) -> str:
    """The text on one line, with an escape for each character that a terminal might obey or not show."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else _escape(char) for char in text)


def json_safe(document: str) -> str:
    """Indented JSON in which strings hold escapes for what `printable` would escape; the value stays the same."""
    return "\n".join(line if line.isprintable() else _in_string(line) for line in document.split("\n"))


def shortened(text: str, characters_max: int) -> str:
    """The text, cut where it is longer."""
    return text if len(text) <= characters_max else f"{text[: characters_max - 1]}…"


def _escape(char: str) -> str:
    number = ord(char)
    if char in "\n\r\t":
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}[char]
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _in_string(line: str) -> str:
    return "".join(char if char.isprintable() else _json_escape(ord(char)) for char in line)


def _json_escape(number: int) -> str:
    if number < 0x10000:
        return f"\\u{number:04x}"
    high, low = divmod(number - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
