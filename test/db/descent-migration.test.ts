import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { migrateUp } from '../../src/db/migrator.ts'
import { migrateDown, openDatabaseAt } from '../support/servers/migrate-down.ts'

const database = await openDatabaseAt('0020_tallies')
afterAll(() => database.close())

const names: string[] = []
const idOf = (name: string): string => {
  if (!names.includes(name)) names.push(name)
  return `00000000-0000-7000-8000-${(names.indexOf(name) + 1).toString(16).padStart(12, '0')}`
}
const madeAt = '2026-01-01T00:00:00.000Z'
const later = '2026-02-01T00:00:00.000Z'

type Old = { type?: string; status?: string; source_type?: string; sources?: string[]; evidence?: string[] }

/** Stores a record as the version before descents did. */
async function store(
  name: string,
  { type = 'semantic', status = 'active', ...more }: Old = {},
): Promise<void> {
  const { source_type: sourceType = 'ai', sources = ['event 1'], evidence } = more
  const provenance = { sources: sources.map((ref) => ({ kind: 'event', ref })) }
  const payload = { kind: type, ...(evidence ? { evidence: evidence.map((id) => ({ source_id: id })) } : {}) }
  await sql`
    with record as (
      insert into records (id, type, sensitivity, layer, memory_kind, status, source_type, confidence, created_at,
        scope, salience, base_salience, anchored_at, last_reinforced_at, updated_at, half_life_seconds,
        max_age_seconds, min_salience, reinforcement_gain, importance, base_importance, emotional_valence,
        access_count, confirmation_count, version, curve, deletion_policy, pinned)
      values (${idOf(name)}, ${type}, 'low', 'semantic', 'fact', ${status}, ${sourceType}, 1, ${madeAt}, '', 1, 1,
        ${madeAt}, ${madeAt}, ${madeAt}, 86400, 0, 0, 0, 0, 0, 0, 0, 0, 1, 'exponential', 'auto_prune', false)
    )
    insert into contents (record_id, tags, payload, provenance, search)
    values (${idOf(name)}, '{}', ${JSON.stringify(payload)}, ${JSON.stringify(provenance)}, '0020_tallies')
  `.execute(database.db)
}

async function link(from: string, predicate: string, to: string, at = madeAt): Promise<void> {
  await sql`
    insert into relations (source_id, predicate, target_id, weight, created_at)
    values (${idOf(from)}, ${predicate}, ${idOf(to)}, 1, ${at})
  `.execute(database.db)
}

async function log(
  name: string,
  action: string,
  rationale: string,
  at = madeAt,
  changes: object | null = null,
) {
  await sql`
    insert into audit_entries (record_id, action, actor, at, rationale, changes)
    values (${idOf(name)}, ${action}::text::audit_action, 'agent', ${at}, ${rationale},
      ${changes && JSON.stringify(changes)}::jsonb)
  `.execute(database.db)
}

/** The descents, each as `derived kind source`, with a star for a ground. */
async function readDescents(): Promise<string[]> {
  const { rows } = await sql<{ derived: string; source: string; kind: string; is_ground: boolean }>`
    select derived_id as derived, source_id as source, kind, is_ground from descents
  `.execute(database.db)
  const nameOf = (id: string) => names.find((name) => idOf(name) === id)
  return rows
    .map(({ derived, source, kind, is_ground: isGround }) =>
      [nameOf(derived), kind, nameOf(source), ...(isGround ? ['*'] : [])].join(' '),
    )
    .sort()
}

async function storeOldRecords(): Promise<void> {
  for (const name of ['episode', 'second']) await store(name, { type: 'episodic' })
  await store('captured', { sources: [idOf('episode')], evidence: [idOf('episode')] })
  await link('captured', 'derived_from', 'episode')
  await log('captured', 'create', 'captured')
  // A second capture confirmed the fact later.
  await store('confirmed', {
    sources: [`record:${idOf('episode')}`],
    evidence: [idOf('episode'), idOf('second')],
  })
  await link('confirmed', 'derived_from', 'episode')
  await link('confirmed', 'derived_from', 'second', later)
  await log('confirmed', 'reinforce', 'captured', later)
  // This fact also names an interview, which is no record.
  await store('independent', { sources: [idOf('episode')], evidence: ['interview 7'] })
  await link('independent', 'derived_from', 'episode')
  // A client wrote this edge: neither the contents nor a log knows of it.
  await store('victim')
  await link('victim', 'derived_from', 'episode', later)
  await log('victim', 'create', 'created')
  await store('old', { status: 'superseded' })
  await store('new')
  await link('new', 'supersedes', 'old', later)
  await log('old', 'revise', 'better', later, { status: { from: 'active', to: 'superseded' } })
  await store('fork', { sources: [`record:${idOf('new')}`] })
  await link('fork', 'derived_from', 'new', later)
  await store('twin', { status: 'merged' })
  await store('union', { sources: [`record:${idOf('twin')}`] })
  await link('union', 'derived_from', 'twin', later)
  await log('twin', 'merge', 'same', later)
  await store('summary', { source_type: 'dream', sources: [`record:${idOf('captured')}`] })
  await link('summary', 'derived_from', 'captured')
  await store('skill', { type: 'competence', sources: [idOf('episode')] })
  await link('skill', 'derived_from', 'episode')
  await store('ada', { type: 'entity', sources: [idOf('episode')] })
  await log('ada', 'create', 'captured')
  await link('second', 'mentions_entity', 'ada', later)
  await log('second', 'create', 'captured', later)
  await link('victim', 'mentions_entity', 'ada', later)
}

const inferred = [
  'ada capture episode *',
  'ada mention second *',
  'captured capture episode *',
  'confirmed capture episode *',
  'confirmed confirm second *',
  'fork fork new *',
  'independent capture episode',
  'new supersede old',
  'skill consolidation episode *',
  'summary dream captured *',
  'union merge twin *',
]

it('0022 infers descent from what the version before recorded, and not from edges of clients', async () => {
  await storeOldRecords()
  await migrateUp(database.db)
  expect(await readDescents()).toEqual(inferred)
  // A process of the version before went on for a while: the inference adds what it made, once.
  await store('late', { sources: [idOf('second')] })
  await link('late', 'derived_from', 'second')
  const infer = async () =>
    (await sql<{ added: number }>`select infer_descents()::int as added`.execute(database.db)).rows[0]?.added
  expect(await infer()).toBe(1)
  expect(await infer()).toBe(0)
  expect(await readDescents()).toEqual([...inferred, 'late capture second *'].sort())
  await migrateDown(database.db, '0020_tallies')
  await migrateUp(database.db)
  expect(await readDescents()).toEqual([...inferred, 'late capture second *'].sort())
})

it('0026 leaves entries of earlier versions as they are, and still refuses to change them', async () => {
  await migrateDown(database.db, '0025_salience_bounds')
  await log('captured', 'reinforce', 'it helped', later, { salience: { from: 1, to: 2 } })
  await migrateUp(database.db)
  await log('captured', 'reinforce', 'written by a process of the version before', later)
  const change = (assignment: string) =>
    sql`update audit_entries set ${sql.raw(assignment)} where rationale = 'it helped'`.execute(database.db)
  const read = async () =>
    (
      await sql<object>`
        select rationale, changes, via from audit_entries
        where record_id = ${idOf('captured')} and action = 'reinforce' order by id
      `.execute(database.db)
    ).rows
  const newer = { rationale: 'written by a process of the version before', changes: null, via: null }
  expect(await read()).toEqual([
    { rationale: 'it helped', changes: { salience: { from: 1, to: 2 } }, via: null },
    newer,
  ])
  await expect(change(`via = '{"key_id": "forged"}'`)).rejects.toThrow('append-only')
  await expect(change(`rationale = '', changes = null, via = '{}'`)).rejects.toThrow('append-only')
  await change(`rationale = '', changes = null`)
  expect(await read()).toEqual([{ rationale: '', changes: null, via: null }, newer])
})
