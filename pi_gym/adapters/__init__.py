"""Adapters to trainers."""
