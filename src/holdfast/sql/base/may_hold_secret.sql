-- Whether redact_text may change a text: false only if no rule of it can match and the text fits.
-- A new rule there needs its first words here; a test compares the two.
create or replace function holdfast.may_hold_secret(raw text)
returns boolean
language sql immutable parallel safe
as $$
  select octet_length(raw) > 8192
    or raw ~* $re$(?x)://[^\s"'<>]*(?:@|hook|telegram|with/key)|authorization|bearer\s|basic\s|cookie
      # names of secrets
      |pass(?:word|wd|phrase|code)|_pass\M|pwd|secret|credential|csrf|token|session[_-]?id|conn(?:ection)?[ _-]?str
      |(?:api|access|account|private|signing|auth|encryption|subscription|master|storage|session|consumer|functions
        |service|webhook|license|client)[ _-]?key
      # options of commands
      |identified\s|\s-u[=\s]|--user|mysql|sshpass|docker
      # signatures and queries
      |\m(?:sig|hmac)|[?&;](?:key|auth|pass|pw|sid|jwt|code)=
      # keys known by their shape
      |\m(?:(?:[spr]k|gh[opsur]|xox[a-z]|xapp|hf|npm|gl(?:pat|dt|rt|sa|c)|github_pat|whsec|pypi|do[opr]_v1
        |shp(?:at|ca|pa|ss)|sq0[a-z]{3}|lin_api|figd|r8|gsk|xai|pplx|tvly|sntry[su]|nvapi|ph[cx]|rubygems|dckr_pat
        |dp\.[a-z]+|hv[sbr]|ccipat|bkua)[-_.]|atatt3|atctt3|ya29\.|dapi|sg\.|1//0|eaaa
        |(?:key|pat|ops|ntn|sbp|re|fly)[-_][a-z0-9_]{20}
        |a[ks]ia|abia|acca|aiza|[0-9]{8,10}:aa|[mno][a-z0-9_-]{22,27}\.[a-z0-9_-]{6}\.)
      |eyj|-----begin$re$
$$;
