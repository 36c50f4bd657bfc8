-- chore_view is called maintenance_view now. The set of functions creates the new one and drops functions, but no views.
drop view if exists holdfast.chore_view;
