"""`holdfast top`: watch the whole, live.

`view` is what is shown and selected, `frame` how it looks, `keys` what a key does to it; `screen` connects
them to a terminal.
"""
