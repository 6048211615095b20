-- src/keys/keys.queries.ts findKey
select "id", "name", "secret_hash", "permissions", "scopes", "max_sensitivity", "source_type", "created_at", "expires_at", "last_used_at", "revoked_at"
from "api_keys"
where "id" = $1
and "revoked_at" is null
and (max_sensitivity <= $2::sensitivity
and cardinality(scopes) > 0
and scopes <@ $3::text[]);

-- src/keys/keys.queries.ts findKeyBySecret
select "id", "name", "secret_hash", "permissions", "scopes", "max_sensitivity", "source_type", "created_at", "expires_at", "last_used_at", "revoked_at"
from "api_keys"
where "secret_hash" = $1
and "revoked_at" is null;

-- src/keys/keys.queries.ts insertKey
insert into "api_keys" ("id", "name", "secret_hash", "permissions", "scopes", "max_sensitivity", "source_type", "created_at", "expires_at", "last_used_at", "revoked_at")
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);

-- src/keys/keys.queries.ts listKeys: the first page
select "id", "name", "secret_hash", "permissions", "scopes", "max_sensitivity", "source_type", "created_at", "expires_at", "last_used_at", "revoked_at"
from "api_keys"
where "revoked_at" is null
and (max_sensitivity <= $1::sensitivity
and true)
order by "created_at" desc, "id" desc
limit $2;

-- src/keys/keys.queries.ts listKeys: the second page
select "id", "name", "secret_hash", "permissions", "scopes", "max_sensitivity", "source_type", "created_at", "expires_at", "last_used_at", "revoked_at"
from "api_keys"
where "revoked_at" is null
and (max_sensitivity <= $1::sensitivity
and cardinality(scopes) > 0
and scopes <@ $2::text[])
and ("created_at", "id") < ($3, $4)
order by "created_at" desc, "id" desc
limit $5;

-- src/keys/keys.queries.ts revokeKey
update "api_keys"
set "revoked_at" = $1
where "id" = $2
and "revoked_at" is null;

-- src/keys/keys.queries.ts updateLastUsed
update "api_keys"
set "last_used_at" = $1
where "id" = $2
and ("last_used_at" is null
or "last_used_at" <= $3);
