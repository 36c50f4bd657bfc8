-- Describes what a run has used of its budget.
create or replace function holdfast.budget_words(b holdfast.run_budgets)
returns text
language sql stable
as $$
  select format('Run %s: ', b.run_id) || concat_ws(', ',
    case when b.max_money is not null then
      format('of its budget of %s, %s is spent and %s reserved', b.max_money,
        round(b.spent::numeric, 6)::double precision, round(b.reserved::numeric, 6)::double precision) end,
    case when b.max_units is not null then
      format('of its %s units, %s are used and %s reserved', b.max_units, round(b.used::numeric, 6)::double precision,
        round(b.reserved_units::numeric, 6)::double precision) end,
    case when b.stops_at is not null
      then format('its time %s at %s', case when b.stops_at <= holdfast.now() then 'was over' else 'is over' end,
        holdfast.time_words(b.stops_at)) end
  ) || case when b.stops_at <= holdfast.now() then '; extend_run continues it.' else '; raise_budget continues it.' end
$$;
