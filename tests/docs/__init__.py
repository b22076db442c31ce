"""The documentation as data: its sessions are replayed, its reference is generated, its links are followed."""
