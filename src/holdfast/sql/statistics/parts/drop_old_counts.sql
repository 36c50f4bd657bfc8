-- Folds minutes that are over their time into hours until then, at least one hour, and deletes what is older.
-- this: the minute under way; sure: up to when ends are counted for good.
create or replace function holdfast.drop_old_counts(this timestamptz, sure timestamptz, until timestamptz)
returns void
language plpgsql volatile
as $$
declare
  kept holdfast.statistics_settings;
begin
  select s.* into kept from holdfast.statistics_settings as s;
  while holdfast.fold_hour(this - kept.keep_minutes) and clock_timestamp() < until loop
  end loop;
  delete from holdfast.end_counts as c where c.is_hour and c.minute < this - kept.keep_hours;
  -- For an hour longer than counting needs: check_invariants counts the last hour again.
  delete from holdfast.replayed_ends as r where r.ended_at < sure - interval '1 hour';
end
$$;
