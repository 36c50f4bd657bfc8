"""What the page of one job makes of its records."""
