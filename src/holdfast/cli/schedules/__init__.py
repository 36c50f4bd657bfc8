"""`holdfast schedules`: what runs at times."""
