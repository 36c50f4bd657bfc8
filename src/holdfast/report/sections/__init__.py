"""The panels of the page, a module for each subject."""
