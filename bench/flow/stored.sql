-- What the scenarios on PostgreSQL call: each moves the clock, then calls the real verb. One round trip a step.
create schema bench;

-- The random number that the next call of random() gives after this seed.
create function bench.draw(chance double precision)
returns double precision
language plpgsql
as $$
begin
  perform setseed(chance);
  return random();
end
$$;

create function bench.enqueue(at timestamptz, options jsonb, payloads json[], each jsonb[])
returns table (job_id uuid)
language plpgsql
as $$
begin
  update holdfast.test_clock set at = enqueue.at;
  return query select e.job_id from holdfast.enqueue_jobs(array['call'], payloads, options, each) as e;
end
$$;

-- The claimed jobs in the order in which they were admitted.
create function bench.claim(
  at timestamptz, worker uuid, n integer, out ids uuid[], out tokens uuid[], out due_in interval
)
language plpgsql
as $$
begin
  update holdfast.test_clock set at = claim.at;
  select array_agg(t.job_id) filter (where t.kind = 'job'), max(t.due_in) into ids, due_in
  from holdfast.settle_and_claim(worker, n, '{}', '{}', '{}', '{}', '{}') as t;
  select array_agg(j.id order by j.in_flight_at_start), array_agg(j.token order by j.in_flight_at_start)
  into ids, tokens
  from holdfast.jobs as j
  where j.id = any (ids);
end
$$;

-- The wait is null if the job has ended.
create function bench.settle(
  at timestamptz, chance double precision, worker uuid, id uuid, mark uuid, verb text, detail jsonb,
  out failures integer, out wait double precision, out lost boolean
)
language plpgsql
as $$
begin
  update holdfast.test_clock set at = settle.at;
  perform setseed(chance);
  lost := exists (
    select from holdfast.settle_and_claim(
      worker, 0, array[id], array[mark], array[verb], array[null::json], array[detail]
    )
  );
  select j.failures, extract(epoch from j.due_at - settle.at) into failures, wait
  from holdfast.jobs as j
  where j.id = settle.id;
end
$$;
