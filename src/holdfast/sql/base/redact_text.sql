-- Removes known secrets from text of other systems and cuts it to 8 KiB: the full rules of sanitise_text.
create or replace function holdfast.redact_text(raw text)
returns text
language plpgsql immutable parallel safe
as $$
declare
  -- A secret that is cut in half might not be recognised, so the last word goes.
  safe text := case
    when length(raw) > 16384 then regexp_replace(left(raw, 16384), $re$\S{1,255}\Z$re$, '')
    else raw
  end;
  kept constant text := $re$\1[redacted]$re$;
  -- Names of secrets. Not counts of tokens, nor a parser's token of a character or two.
  name constant text := $re$(?:pass(?:word|wd|phrase|code)|_pass\M|pwd(?![=:]\s*[/~])|secret|credential|csrf
    |token(?!s?[\\"'\]]*\s*[:=]\s*(?:[0-9]{1,5}\M|['"].{1,3}['"])|s[\\"'\]]*\s*[:=]\s*[0-9])
    |session[_-]?id|conn(?:ection)?[\ _-]?str(?:ing)?|(?:api|access|account|private|secret|signing|auth|encryption
      |subscription|master|storage|session|consumer|functions|service|webhook|license|client)[\ _-]?key(?:[ ]provided)?
    )(?:s|[_-]?(?:hash|confirmation|value|b64|base64|[0-9]))?$re$;
  sign constant text := $re$(?:[]\\"')]|%22)*\s*(?::=|=>|->|:(?!=)|=(?!>)|%3[ad])\s*(?:%22)?$re$;
  -- Words, types and code, as in a line of a traceback, are not the secret itself.
  plain constant text := $re$(?!(?:%22)?\[redacted\]|(?:null|none|nil|true|false|undefined|required|missing|invalid
      |expired|expected|unexpected|not|is|was|must|cannot|empty|to|or|and|for|with|from|option|flag|str|string|bytes
      |int|text|optional|<[a-z_ ]+>|(?:[a-z]+_)?(?:password|secret|token|key|credential)s?)(?![^]\s"',;.:()=|}[])
    |(?:self|cls|os|settings|config|request|response|ctx|args|kwargs|options|env|environ|process)[.[]
    |[a-z_]+(?:\.[a-z_]+)*\((?![rbu]?["']))$re$;
  quoted constant text := $re$(?:[rbu]{0,2}(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)|\\+"[^"]*"?|\\+'[^']*'?)$re$;
  -- Quoted, in a call, a list, an object, a block of YAML, or bare.
  value constant text := '(?:' || quoted || $re$|[a-z_]+\((?:[a-z_]+=)?$re$ || quoted || $re$[^)]*\)?
    |\[(?:[^][]|\[[^]]*\])*\]?|\{(?:[^{}]|\{[^{}]*\})*\}?|\([^)]*\)?|[|>][-+]?\s*\n\s+\S+
    |(?:(?:bearer|basic|digest|token)\s+)?(?:[^]\s"'(){},;&[]|[])}'"](?=[a-z0-9]))+)$re$;
begin
  -- name:password@ in an address, where a number and a slash may be a port of the web; else what stands before the @
  safe := regexp_replace(safe, $re$((?:sql|postgres|rediss?|amqps?|mongodb)[a-z0-9+]*://[^/\s:@"'<>]*:
    |://[^/\s:@"'<>]*:(?![0-9]{1,5}[/?\#]))(?:[^/\s"'<>]+|[^\s"'<>]{1,120})@$re$, kept || '@', 'gx');
  safe := regexp_replace(safe, $re$(https?://)(?!git@)[^/\s@?#"'<>]+@$re$, kept || '@', 'gi');
  safe := regexp_replace(safe, '(authorization(?:' || sign || $re$|["'],\s*)(?![[\\"']*\[redacted)
    [[\\"'(]*(?:b(?=["']))?[\\"']*$re$ || plain || $re$)(?:(?:digest|aws4-hmac-sha256|oauth|hawk|signature)\s[^\r\n]+
    |(?:[a-z0-9-]+\s+)?[^\s"',;\\]{6,})$re$, kept, 'gix');
  safe := regexp_replace(safe, $re$\m(bearer\s+|basic\s+)(?=\S{0,40}[0-9]|\S{24})[a-z0-9._~+/=-]{6,}$re$, kept, 'gi');
  safe := regexp_replace(safe, $re$(\mcookie$re$ || sign || ')(?:' || quoted || $re$|[^\r\n]+)$re$, kept, 'gix');
  safe := regexp_replace(safe, '(' || name || sign || plain || ')' || value, kept, 'gix');
  -- the same without a sign: an option of a command, SQL, .netrc; then XML, HTML and pairs
  safe := regexp_replace(safe, $re$(\s["']?--?[a-z-]*$re$ || name || $re$["']?,?\s+(?!-)$re$ || plain || $re$
    |\m(?:password|identified\s+by)\s+(?=')|\mlogin\s+\S+\s+password\s+|(?:\s-u|--user)[=\s]["']?[^\s:"']+:
    |\m(?:mysql[a-z]*|sshpass|docker\s+login)\M[^\r\n]*\s-p\s*)$re$ || value, kept, 'gix');
  safe := regexp_replace(safe, '(' || name || $re$(?:>|["']\s+value=["']|["'],\s*b?["'](?=[^"']*[0-9])))[^<"']+$re$,
    kept, 'gix');
  -- what signs a request, and a query's own names
  safe := regexp_replace(safe, $re$(\m(?:x-[a-z-]*-)?(?:sig|signature|hmac)(?:-[a-z0-9]+)?[\\"']*\s*[:=]\s*[\\"']*
    (?:sha[0-9]+=|v[0-9]=|t=[0-9]+,v[0-9]=)?)(?=[^\s"'&]{0,40}[0-9])[a-z0-9+/=_%.-]{16,}$re$, kept, 'gix');
  safe := regexp_replace(safe, $re$([?&;](?:key|sig|signature|auth|pass|pw|sid|jwt|code(?=[^\s&]{16}))=)[^\s"'&<>]+$re$,
    kept, 'gi');
  -- a webhook's address is its password
  safe := regexp_replace(safe, $re$(://(?:hooks\.[^\s/]+/|api\.telegram\.org/bot
    |(?=[^\s"'<>]{4,80}(?:hooks?[a-z0-9]*|with/key)/[^\s"'<>]{0,80}[a-z0-9_-]{16})[^\s"'<>/]+/))[^\s"'<>]+$re$,
    kept, 'gix');
  -- keys known by their shape: a known prefix, and a digit somewhere, which names of variables seldom have
  safe := regexp_replace(safe, $re$\m(?:(?:[spr]k|gh[opsur]|xox[a-z]|xapp|hf|npm|gl(?:pat|dt|rt|sa|c)|github_pat|whsec
    |pypi|do[opr]_v1|shp(?:at|ca|pa|ss)|sq0[a-z]{3}|lin_api|figd|r8|gsk|xai|pplx|tvly|sntry[su]|nvapi|ph[cx]|rubygems
    |dckr_pat|dp\.[a-z]+|hv[sbr]|CCIPAT|bkua)[-_.]|ATATT3|ATCTT3|ya29\.|dapi|SG\.|1//0|EAAA|AGE-SECRET-KEY-1)
      (?=[A-Za-z_.-]{0,40}[0-9])[A-Za-z0-9_.=-]{12,}
    |\m(?:key|pat|ops|ntn|sbp|re|fly)[-_](?=[A-Za-z_]{0,40}[0-9])[A-Za-z0-9_]{20,}$re$, '[redacted]', 'gx');
  safe := regexp_replace(safe, $re$\m(?:A[KS]IA|ABIA|ACCA)[A-Z0-9]{16}\M|\mAIza[A-Za-z0-9_-]{30,}
    |eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)*|\m[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}
    |\m[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}$re$, '[redacted]', 'gx');
  safe := regexp_replace(safe, $re$(-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----)(?:[^-]|-(?!----))*$re$,
    kept, 'g');
  safe := left(safe, 8192);
  -- Bytes, not characters, of which each has up to four.
  while octet_length(safe) > 8192 loop
    safe := left(safe, length(safe) - (octet_length(safe) - 8192 + 3) / 4);
  end loop;
  return safe;
end
$$;
