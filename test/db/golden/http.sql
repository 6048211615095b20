-- src/http/idempotency/idempotency.queries.ts deleteExpiredAnswers
delete
from "idempotency_keys"
where ("principal", "key") in (select "principal", "key"
from "idempotency_keys"
where "expires_at" <= $1
order by "expires_at"
limit $2
for update skip locked);

-- src/http/idempotency/idempotency.queries.ts findAnswers
    select k.principal, k.key, k.fingerprint, k.status, k.headers, k.body
    from unnest(
      $1::text[], $2::text[]
    ) as asked (principal, key)
    join idempotency_keys as k on k.principal = asked.principal
and k.key = asked.key
    where k.expires_at > $3::timestamptz;

-- src/http/idempotency/idempotency.queries.ts storeAnswers
    insert into idempotency_keys (principal, key, fingerprint, status, headers, body, created_at, expires_at)
    select principal, key, fingerprint, status, headers::jsonb, body, created_at, expires_at
    from json_to_recordset($1::json) as answer (
      principal text, key text, fingerprint text, status int4, headers text, body text,
      created_at timestamptz, expires_at timestamptz
    )
    on conflict (principal, key) do update
set
      fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers, body = excluded.body,
      created_at = excluded.created_at, expires_at = excluded.expires_at;

-- src/http/idempotency/idempotency.queries.ts tryLocks
    select array_agg(pg_try_advisory_xact_lock(lock # lock_seed())
order by place) as held
    from unnest($1::bigint[]) with ordinality as requested (lock, place);
