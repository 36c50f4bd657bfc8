"""What things are: plain types, standard library only."""
