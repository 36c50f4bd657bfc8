"""`./dev chaos --soak`: steady load for hours."""
