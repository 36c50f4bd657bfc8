"""What every route uses: the access key, the body, filters, pages, answers and problems."""
