import { createHash } from 'node:crypto'
import { type Kysely, sql } from 'kysely'

/** Handles, by which records are found so that nothing is stored twice, and the history of their status. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db)
  await fillHandles(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql`drop function seek_handles(bytea[], bytea[], text[], boolean[], sensitivity)`.execute(db)
  await sql`drop table handles, status_changes`.execute(db)
  await sql`drop function refuse_status_change()`.execute(db)
}

const statements = [
  // A digest, because a name or a fact can be longer than an index entry. detail separates the facts of one topic.
  // place numbers records of one name in one scope where duplicates must not appear: two writers that both found no
  // record take the same place, and one of them fails.
  `create table handles (
    digest bytea not null,
    detail bytea,
    record_id uuid not null,
    place integer,
    scope text not null,
    constraint handles_place unique (digest, scope, place),
    constraint handles_record foreign key (record_id) references records (id) on delete cascade,
    constraint handles_digest_length check (octet_length(digest) = 16),
    constraint handles_detail_length check (octet_length(detail) = 16),
    constraint handles_place_range check (place >= 0)
  )`,
  `create index handles_record on handles (record_id)`,

  // Returns for each handle the records in its scope or without a scope, up to a ceiling of sensitivity: those with
  // the same detail first, then the newest, 64 at most; and whether anything was ever erased. One call takes all
  // locks that a writer needs, in one order: the lock between storing and erasing, then handles without a record,
  // then handles to hold in any case (held is null for a lookup only), then the entities, so that none is merged
  // before an edge to it is written. A volatile function reads each statement anew, so it finds what another writer
  // stored while this one waited.
  `create function seek_handles(
    digests bytea[], details bytea[], scopes text[], held boolean[], ceiling sensitivity
  ) returns table (
    wanted integer, next_place integer, is_same boolean, id uuid, scope text, type record_type,
    sensitivity sensitivity, status record_status, forgotten_at timestamptz, created_at timestamptz, payload jsonb,
    may_be_erased boolean
  )
  language plpgsql volatile as $$
  begin
    perform pg_advisory_xact_lock_shared(7350, 3);
    for i in 1 .. cardinality(digests) loop
      if held[i] or (held[i] is not null and not exists (
        select from handles as h where h.digest = digests[i] and h.scope in (scopes[i], '')
      )) then
        perform pg_advisory_xact_lock(
          ('x' || encode(substring(digests[i] from 1 for 8), 'hex'))::bit(64)::bigint # hashtextextended(scopes[i], 0)
        );
      end if;
    end loop;
    perform from records as r
      where r.type = 'entity' and r.status in ('active', 'challenged') and r.id in (
        select h.record_id
        from unnest(digests, scopes) as named (digest, scope)
        join handles as h on h.digest = named.digest and h.scope in (named.scope, '') and h.detail is null
      )
      order by r.id
      for key share;
    return query
      select i, (
          select coalesce(max(h.place) + 1, 0) from handles as h
          where h.digest = digests[i] and h.scope = scopes[i]
        ),
        known.is_same, known.id, known.scope, known.type, known.sensitivity, known.status, known.forgotten_at,
        known.created_at, known.payload, exists (select from tombstones)
      from generate_subscripts(digests, 1) as i
      left join lateral (
        select h.detail is not distinct from details[i] as is_same, r.id, r.scope, r.type, r.sensitivity, r.status,
          r.forgotten_at, r.created_at,
          case when r.type in ('entity', 'semantic') then c.payload end as payload
        from handles as h
        join records as r on r.id = h.record_id and r.scope = h.scope
        join contents as c on c.record_id = r.id
        where h.digest = digests[i] and h.scope in (scopes[i], '') and r.sensitivity <= ceiling
        order by (h.detail is not distinct from details[i]) desc, r.id desc
        limit 64
      ) as known on true
      order by i;
  end
  $$`,

  // No foreign key: like the audit log, it outlives its record.
  `create table status_changes (
    record_id uuid not null,
    id bigint generated always as identity,
    run_id uuid,
    at timestamptz not null,
    old record_status not null,
    new record_status not null,
    actor text not null,
    reason text not null,
    step text not null,
    constraint status_changes_pkey primary key (record_id, id),
    constraint status_changes_moved check (old <> new)
  )`,
  `create function refuse_status_change() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' then
        if new.reason = ''
          and (new.record_id, new.id, new.run_id, new.at, new.old, new.new, new.actor, new.step)
            is not distinct from
            (old.record_id, old.id, old.run_id, old.at, old.old, old.new, old.actor, old.step)
        then
          return new;
        end if;
      end if;
      raise exception 'the history of a status is append-only';
    end
  $$`,
  `create trigger status_changes_append_only before update or delete on status_changes
    for each row execute function refuse_status_change()`,
  `create trigger status_changes_kept before truncate on status_changes
    for each statement execute function refuse_status_change()`,
]

const batch = 1_000

type Row = { id: string; scope: string; payload: Record<string, unknown> }

/**
 * The handles of stored records. The digests are made here, because lower case in PostgreSQL depends on its locale.
 */
async function fillHandles(db: Kysely<unknown>): Promise<void> {
  for (let last = '00000000-0000-0000-0000-000000000000'; ; ) {
    const { rows } = await sql<Row>`
      select r.id, r.scope, c.payload from records as r join contents as c on c.record_id = r.id
      where r.type in ('entity', 'semantic', 'working') and r.id > ${last}::uuid
      order by r.id limit ${batch}
    `.execute(db)
    const end = rows.at(-1)
    if (!end) return
    last = end.id
    const handles = rows.flatMap(({ id, scope, payload }) =>
      handlesOf(payload).map(({ digest, detail }) => ({
        record_id: id,
        scope,
        digest: hex(digest),
        detail: detail && hex(detail),
      })),
    )
    await sql`
      insert into handles (digest, detail, record_id, scope)
      select digest, detail, record_id, scope from json_to_recordset(${JSON.stringify(handles)}::json)
        as handle (digest bytea, detail bytea, record_id uuid, scope text)
    `.execute(db)
  }
}

type Handle = { digest: Buffer; detail: Buffer | null }

function handlesOf(payload: Record<string, unknown>): Handle[] {
  if (payload['kind'] === 'working')
    return [{ digest: digestOf(['thread', payload['thread_id']]), detail: null }]
  if (payload['kind'] === 'semantic') {
    const topic = ['topic', name(payload['subject']), name(payload['predicate'])]
    return [{ digest: digestOf(topic), detail: digestOf(normalise(payload['object'])) }]
  }
  const aliases = (payload['aliases'] as { value: string }[]).map(({ value }) => value)
  const marks = (payload['identifiers'] as { namespace: string; value: string }[]).flatMap(
    ({ namespace, value }) => [value, `${namespace}:${value}`],
  )
  const names = new Set([payload['canonical_name'], ...aliases, ...marks].map(name))
  return [...names].map((each) => ({ digest: digestOf(['name', each]), detail: null }))
}

function name(text: unknown): string {
  return String(text).normalize('NFKC').toLowerCase().normalize('NFKC').replaceAll(/\s+/gu, ' ').trim()
}

function normalise(value: unknown): unknown {
  if (typeof value === 'string') return name(value)
  if (Array.isArray(value)) return value.map(normalise)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [
    name(key),
    normalise(inner),
  ])
  return entries.sort(([one], [other]) => (one < other ? -1 : Number(one > other)))
}

function digestOf(value: unknown): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest()
    .subarray(0, 16)
}

function hex(digest: Buffer): string {
  return `\\x${digest.toString('hex')}`
}
