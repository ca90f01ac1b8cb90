"""The address book."""
