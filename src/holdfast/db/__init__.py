"""The only package that sends SQL: one thin function per verb."""
