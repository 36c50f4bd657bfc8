-- Makes foreign text fit to be stored and shown: known secrets out, at most 8 KiB.
create or replace function holdfast.sanitise_text(raw text)
returns text
language sql immutable parallel safe
as $$
  select left(
    regexp_replace(
      regexp_replace(
        regexp_replace(
          regexp_replace(
            regexp_replace(
              left(raw, 65536),
              '(://[^/\s:@]*:)[^/\s@]+@', '\1[redacted]@', 'g'
            ),
            '\m((proxy-)?authorization["'']?\s*[:=]\s*["'']?(bearer|basic|token)?\s*|bearer\s+)[A-Za-z0-9._~+/=-]{6,}', '\1[redacted]', 'gi'
          ),
          '((password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret|session[_-]?id|cookie)["'']?\s*[:=]\s*["'']?)[^\s"'',;&)}]{3,}', '\1[redacted]', 'gi'
        ),
        '\m(sk|pk|rk|ghp|gho|ghs|ghu|xoxb|xoxp|xoxa|hf|glpat|github_pat)[-_][A-Za-z0-9_-]{12,}', '[redacted]', 'g'
      ),
      '\m(AKIA|ASIA)[A-Z0-9]{16}\M|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*', '[redacted]', 'g'
    ),
    8192
  )
$$;
comment on function holdfast.sanitise_text(text) is 'Takes known secrets out of foreign text and bounds it to 8 KiB.';
