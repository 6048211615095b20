-- src/http/idempotency.queries.ts deleteExpiredAnswers
delete
from "idempotency_keys"
where ("principal", "key") in (select "principal", "key"
from "idempotency_keys"
where "expires_at" <= $1
order by "expires_at"
limit $2
for update skip locked);

-- src/http/idempotency.queries.ts findAnswer
select "fingerprint", "status", "headers", "body"
from "idempotency_keys"
where "principal" = $1
and "key" = $2
and "expires_at" > $3;

-- src/http/idempotency.queries.ts storeAnswer
insert into "idempotency_keys" ("principal", "key", "fingerprint", "status", "headers", "body", "created_at", "expires_at")
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict ("principal", "key") do update
set "fingerprint" = $9, "status" = $10, "headers" = $11, "body" = $12, "created_at" = $13, "expires_at" = $14;

-- src/http/idempotency.queries.ts tryLock
    select pg_try_advisory_xact_lock($1::bigint # lock_seed()) as held;
