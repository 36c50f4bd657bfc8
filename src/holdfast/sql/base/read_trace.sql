-- Reads the option trace: a W3C traceparent, or an object with traceparent and tracestate. Returns an object, or raises
-- an error: a context that no tracer can read would be stored for nothing.
create or replace function holdfast.read_trace(value jsonb)
returns jsonb
language plpgsql immutable
as $$
declare
  parent text;
  state  text;
begin
  if value is null or value = 'null' then
    return null;
  end if;
  parent := case jsonb_typeof(value) when 'string' then value #>> '{}' else value ->> 'traceparent' end;
  if holdfast.is_traceparent(parent) is not true
    or jsonb_typeof(value) = 'object' and value - array['traceparent', 'tracestate'] <> '{}' then
    perform holdfast.refuse('HF002',
      format('The option trace must be a W3C traceparent (got %s).', left(value::text, 200)),
      'Pass a string such as 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01, or an object with traceparent and'
      ' tracestate.');
  end if;
  state := nullif(value ->> 'tracestate', '');
  -- Printable ASCII. W3C asks for up to 512 characters to be passed on.
  if length(state) > 512 or state !~ '^[ -~]+$' then
    perform holdfast.refuse('HF002', 'The tracestate must have at most 512 characters, all printable ASCII.',
      'Leave out the tracestate, or shorten it.');
  end if;
  return jsonb_strip_nulls(jsonb_build_object('traceparent', parent, 'tracestate', state));
end
$$;
