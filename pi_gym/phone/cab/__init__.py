"""Rides by cab."""
