import { sql } from 'kysely'
import type { Database } from '../../db/connection.ts'
import { openTo } from '../../db/visibility.ts'
import type { Trust, Via } from '../../kernel/caller.ts'
import type { Derivation } from './derivation.ts'

const listed = (ids: readonly string[]) => sql`any(${sql.val([...ids])}::uuid[])`

const texts = (ids: readonly string[]) => sql`any(${sql.val([...ids])}::text[])`

/**
 * All that was derived from the record, at any remove, with every source that any of it has. What a dream wrote is a
 * model's telling of all that it was shown.
 */
export async function findDerivations(tx: Database, root: string): Promise<Derivation[]> {
  const { rows } = await sql<Derivation>`
    with recursive descendant as (
      select ${root}::uuid as id
      union
      select e.source_id from descendant as d
      join relations as e on e.target_id = d.id and e.predicate = 'derived_from'
    )
    select e.source_id as derived, e.target_id as source, r.source_type = 'dream' as "tellsAll"
    from descendant as d join relations as e on e.source_id = d.id and e.predicate = 'derived_from'
    join records as r on r.id = d.id
    where d.id <> ${root}::uuid
  `.execute(tx)
  return rows
}

/**
 * In the order of their ids, whatever else is being erased. Stronger than a change takes it: an edge to any of
 * them waits, and then finds nothing to lead to.
 */
export async function lockForErasure(tx: Database, ids: readonly string[]): Promise<void> {
  await sql`select r.id from records as r where r.id = ${listed(ids)} order by r.id for update`.execute(tx)
}

/** Of the records, those the caller could read whole: of the others it is not told that they went. */
export async function findOpenIds(tx: Database, ids: readonly string[], trust: Trust): Promise<string[]> {
  const found = await tx
    .selectFrom('records as r')
    .where('r.id', '=', sql<string>`${listed(ids)}`)
    .where(openTo(trust))
    .select('r.id')
    .orderBy('r.id')
    .execute()
  return found.map(({ id }) => id)
}

export async function deleteEdgesOf(tx: Database, ids: readonly string[]): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('relations')
    .where((eb) =>
      eb.or([
        eb('source_id', '=', sql<string>`${listed(ids)}`),
        eb('target_id', '=', sql<string>`${listed(ids)}`),
      ]),
    )
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** They would go with their records; counted, because the receipt says how many went. */
export async function deleteAccesses(tx: Database, ids: readonly string[]): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('access_log')
    .where('record_id', '=', sql<string>`${listed(ids)}`)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** Of every model, and their signatures with them; counted for the same reason. */
export async function deleteEmbeddings(tx: Database, ids: readonly string[]): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('embeddings')
    .where('record_id', '=', sql<string>`${listed(ids)}`)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** Who did what and when stays; the trigger of migration 0003 lets nothing else be changed. */
export async function blankAudit(tx: Database, ids: readonly string[]): Promise<void> {
  await tx
    .updateTable('audit_entries')
    .set({ rationale: '', changes: null })
    .where('record_id', '=', sql<string>`${listed(ids)}`)
    .where((eb) => eb.or([eb('rationale', '<>', ''), eb('changes', 'is not', null)]))
    .execute()
}

export async function blankStatusReasons(tx: Database, ids: readonly string[]): Promise<void> {
  await tx
    .updateTable('status_changes')
    .set({ reason: '' })
    .where('record_id', '=', sql<string>`${listed(ids)}`)
    .where('reason', '<>', '')
    .execute()
}

export type Testimony = { actor: string; rationale: string; at: Date; via: Via | null }

export async function appendErasures(
  tx: Database,
  ids: readonly string[],
  { actor, rationale, at, via }: Testimony,
): Promise<void> {
  await sql`
    insert into audit_entries (record_id, action, actor, at, rationale, via)
    select id, 'erase', ${actor}::text, ${at}::timestamptz, ${rationale}::text, ${via && JSON.stringify(via)}::jsonb
    from unnest(${sql.val([...ids])}::uuid[]) as erased (id)
  `.execute(tx)
}

/**
 * The answers kept for repeated requests quote records whole. A request whose answer is one record runs anew
 * when it is repeated, and is refused as any for what was erased. This reads every kept answer: an erase is
 * rare, and a copy that is missed is missed for good.
 */
export async function deleteAnswersAbout(tx: Database, ids: readonly string[]): Promise<void> {
  await sql`
    delete from idempotency_keys
    where body::jsonb ->> 'id' = ${texts(ids)} or body::jsonb -> 'record' ->> 'id' = ${texts(ids)}
      or body::jsonb -> 'primary_record' ->> 'id' = ${texts(ids)}
  `.execute(tx)
}

/** An answer about many records is still given, without these: run anew, it would store the others twice. */
export async function thinAnswersAbout(tx: Database, ids: readonly string[]): Promise<void> {
  await sql`
    update idempotency_keys
    set body = jsonb_set(body::jsonb, '{results}', (
      select jsonb_agg(
        case when result -> 'record' ->> 'id' = ${texts(ids)}
          then result - 'record' || '{"status": 410}' else result end
        order by place
      )
      from jsonb_array_elements(body::jsonb -> 'results') with ordinality as each (result, place)
    ))::text
    where exists (
      select from jsonb_array_elements(
        case when jsonb_typeof(body::jsonb -> 'results') = 'array' then body::jsonb -> 'results' end
      ) as result
      where result -> 'record' ->> 'id' = ${texts(ids)}
    )
  `.execute(tx)
}

/** What was captured with them is still answered, for the same reason. */
export async function thinCapturesAbout(tx: Database, ids: readonly string[]): Promise<void> {
  await sql`
    update idempotency_keys
    set body = jsonb_set(body::jsonb, '{created_records}', coalesce((
      select jsonb_agg(record order by place)
      from jsonb_array_elements(body::jsonb -> 'created_records') with ordinality as each (record, place)
      where record ->> 'id' <> all(${sql.val([...ids])}::text[])
    ), '[]'))::text
    where exists (
      select from jsonb_array_elements(
        case when jsonb_typeof(body::jsonb -> 'created_records') = 'array' then body::jsonb -> 'created_records' end
      ) as record
      where record ->> 'id' = ${texts(ids)}
    )
  `.execute(tx)
}

/** One purged before it was erased: its numbers stay, and it is known as erased from now on. */
export async function markErased(tx: Database, id: string, actor: string, at: Date): Promise<void> {
  await tx
    .updateTable('departures')
    .set({ kind: 'erased', reason: 'erased', actor, departed_at: at })
    .where('id', '=', id)
    .execute()
}
