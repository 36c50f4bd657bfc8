"""Drivers whose connections a caller may pass: one file each."""
