-- Makes foreign text fit to be stored and shown: known secrets out, at most 8 KiB.
create or replace function holdfast.sanitise_text(raw text)
returns text
language plpgsql immutable parallel safe
as $$
declare
  safe text := left(raw, 65536);
begin
  -- name:password@ in an address
  safe := regexp_replace(safe, '(://[^/\s:@]*:)[^/\s]+@', '\1[redacted]@', 'g');
  safe := regexp_replace(
    safe,
    '\m((?:proxy-)?authorization[\\"'']*\s*[:=]\s*[\\"'']*(?:bearer|basic|digest|token)?\s*|bearer\s+)(?!(?:bearer|basic|digest|token)\M)[A-Za-z0-9._~+/=-]{6,}',
    '\1[redacted]', 'gi'
  );
  safe := regexp_replace(safe, '(\m(?:set-)?cookie[\\"'']*\s*[:=]\s*)[^\r\n]+', '\1[redacted]', 'gi');
  -- a name that tells, then its value, quoted or bare; in JSON within JSON the quotes are escaped
  safe := regexp_replace(
    safe,
    '((?:password|passwd|passphrase|pwd|secret|token|credential|session[_-]?id|(?:api|access|account|private|secret|signing|auth)[_-]?key)s?[\\"'']*\s*[:=]\s*)'
      || '(?:\\*"[^"]*"|''[^'']*''|[^\s"'',;&)}]+)',
    '\1[redacted]', 'gi'
  );
  -- keys that tell by their shape: a known prefix, and a digit somewhere, which names of variables seldom have
  safe := regexp_replace(
    safe,
    '\m(?:sk|pk|rk|gh[opsur]|xox[a-z]|xapp|hf|npm|glpat|github_pat|whsec)[-_](?=[A-Za-z_-]*[0-9])[A-Za-z0-9_-]{12,}',
    '[redacted]', 'g'
  );
  safe := regexp_replace(
    safe,
    '\m(?:AKIA|ASIA)[A-Z0-9]{16}\M|\mAIza[A-Za-z0-9_-]{30,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*',
    '[redacted]', 'g'
  );
  safe := regexp_replace(safe, '(-----BEGIN [A-Z ]*PRIVATE KEY-----)[A-Za-z0-9+/=\s\\]+', '\1[redacted]', 'g');
  safe := left(safe, 8192);
  -- Bytes, not characters, of which each has up to four.
  while octet_length(safe) > 8192 loop
    safe := left(safe, length(safe) - (octet_length(safe) - 8192 + 3) / 4);
  end loop;
  return safe;
end
$$;
comment on function holdfast.sanitise_text(text) is 'Takes known secrets out of foreign text and bounds it to 8 KiB.';
