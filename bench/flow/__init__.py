"""Flow control in virtual time: what a controller makes of nine scenarios, in % of the best possible."""
