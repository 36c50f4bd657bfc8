-- Cancels the live children of jobs that were cancelled or are dead, then the children of those, level by level.
-- No recursion: a deep tree would exceed the server's stack. At most 10,000 jobs per call; close_runs does the rest.
-- plan: no seqscan, no bitmapscan
create or replace function holdfast.cancel_children(parents uuid[])
returns void
language plpgsql volatile
as $$
declare
  room  integer := 10000;
  runs  uuid[];
  level record;
begin
  while cardinality(parents) > 0 loop
    -- Two statements: one that also asks for open runs in their order could walk all of them, by runs_open.
    runs := array(select r.id from holdfast.runs as r where r.parent_id = any (parents));
    -- Also those that are cancelled already: cancel_run takes max jobs per call, and skips locked ones.
    runs := array(
      select r.id from holdfast.runs as r where r.id = any (runs) and r.ended_at is null order by r.id for update
    );
    exit when cardinality(runs) = 0;
    select * into level from holdfast.cancel_level(runs, room, 'its parent has ended', null);
    room := room - level.asked;
    parents := level.ended;
  end loop;
end
$$;
