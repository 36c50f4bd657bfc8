"""`holdfast audit`: the audit trail."""
