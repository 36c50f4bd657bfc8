-- Which of a call's ends is meant for a job: the one with both its id and its token; null if none is.
-- A job may come twice, once with a token that it lost, and once with the one that its worker got afterwards.
create or replace function holdfast.place_of(ids uuid[], tokens uuid[], job uuid, mark uuid)
returns integer
language sql immutable parallel safe
as $$
  select i::integer
  from unnest(ids, tokens) with ordinality as e (id, token, i)
  where id = job
    and token = mark
  limit 1
$$;
comment on function holdfast.place_of(uuid[], uuid[], uuid, uuid) is 'Which of a call''s ends is meant for a job; null if none is.';
