"""Flow control in virtual time: how much of the best possible goodput a controller reaches in nine scenarios."""
