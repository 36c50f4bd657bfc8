"""Optional routes for workers that claim a message by its id."""
