import { type Kysely, sql } from 'kysely'

/** API keys, and the stored answers for requests with an Idempotency-Key. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table api_keys (
      id uuid not null,
      name text not null,
      secret_hash bytea not null,
      permissions text[] not null,
      scopes text[] not null,
      max_sensitivity sensitivity not null,
      source_type source_type not null,
      created_at timestamptz not null,
      expires_at timestamptz,
      last_used_at timestamptz,
      revoked_at timestamptz,
      constraint api_keys_pkey primary key (id),
      constraint api_keys_secret unique (secret_hash),
      constraint api_keys_secret_length check (octet_length(secret_hash) = 32),
      constraint api_keys_name_length check (char_length(name) between 1 and 256)
    )
  `.execute(db)
  await sql`create index api_keys_created_at on api_keys (created_at desc, id desc)`.execute(db)

  await sql`
    create table idempotency_keys (
      principal text not null,
      key text not null,
      fingerprint text not null,
      status integer not null,
      headers jsonb not null,
      body text,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      constraint idempotency_keys_pkey primary key (principal, key),
      constraint idempotency_keys_key_length check (char_length(key) between 1 and 255)
    )
  `.execute(db)
  await sql`create index idempotency_keys_expires_at on idempotency_keys (expires_at)`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop table idempotency_keys, api_keys`.execute(db)
}
