"""The command `holdfast report`."""
