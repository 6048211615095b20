import { afterAll, expect, it } from 'vitest'
import {
  compact,
  type Effect,
  formatKey,
  keys,
  type Row,
  type SavedEffect,
  unpack,
} from '../../src/effects/effect.ts'
import { range } from '../support/requests/capture-requests.ts'
import { captureEpisode, createScope } from '../support/requests/consolidation-requests.ts'
import { perform } from '../support/requests/plan-requests.ts'
import type { Body } from '../support/requests/record-requests.ts'
import { work as workInSmallBatches } from '../support/stores/twin-scopes.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const tools = ['fetch', 'build', 'ship'].map((tool, place) => ({
  id: `call ${place}`,
  tool,
  depends_on: place === 0 ? [] : [`call ${place - 1}`],
}))

/** The database computes these, or notes the transaction of a change in them. */
const computed = ['decay_rank', 'fades_at', 'revealed']

const omitComputed = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([column]) => !computed.includes(column)))

type Rows = ReadonlyMap<string, Row>

/** Every row that a run may write, by its key. */
async function readRows(): Promise<Rows> {
  const { rows } = await app.database.pool.query<{ relation: string; row: Row }>(
    Object.keys(keys)
      .map((table) => `select '${table}' as relation, to_jsonb(t) - $1::text[] as row from ${table} as t`)
      .join(' union all '),
    [computed],
  )
  return new Map(rows.map(({ relation, row }) => [formatKey({ relation, before: null, after: row }), row]))
}

/** The rows that the run has kept, each from its state before the run to its state after it. */
async function readEffects({ id }: Body): Promise<Effect[]> {
  const { rows } = await app.database.pool.query<SavedEffect>(
    'select record_id as owner, relation, before, after, others from run_effects where run_id = $1 order by id',
    [id],
  )
  const effects = rows.flatMap(unpack).map(
    ({ before, after, ...effect }): Effect => ({
      ...effect,
      before: before && omitComputed(before),
      after: after && omitComputed(after),
    }),
  )
  const inserted = effects.filter(({ before }) => before === null).map(formatKey)
  // A row that is kept by its statement and by a trigger is kept twice.
  expect(inserted).toEqual([...new Set(inserted)])
  return compact(effects)
}

function listChanged(before: Rows, after: Rows): string[] {
  const names = new Set([...before.keys(), ...after.keys()])
  return [...names].filter((name) => JSON.stringify(before.get(name)) !== JSON.stringify(after.get(name)))
}

function select(row: Row | undefined, shown: Row | null): Row | null {
  if (!row || !shown) return row ?? null
  return Object.fromEntries(Object.keys(shown).map((column) => [column, row[column]]))
}

/** What an undo needs of an inserted row besides its key. */
const needed: Readonly<Record<string, string>> = {
  records:
    'version status pinned layer scope sensitivity forgotten_at base_salience anchored_at ' +
    'expires_at curve half_life_seconds min_salience deletion_policy',
  contents: 'payload',
}

function listChangedColumns(one: Row, other: Row): string[] {
  return Object.keys(one).filter((column) => JSON.stringify(one[column]) !== JSON.stringify(other[column]))
}

function expectAsWritten(effect: Effect, before: Rows, after: Rows): void {
  const old = before.get(formatKey(effect))
  const current = after.get(formatKey(effect))
  expect(effect.before).toEqual(select(old, effect.after && effect.before))
  expect(effect.after).toEqual(select(current, effect.after))
  const columns = Object.keys(effect.after ?? {})
  if (old && current) expect(columns).toEqual(expect.arrayContaining(listChangedColumns(old, current)))
  if (!old) expect(columns).toEqual(expect.arrayContaining(needed[effect.relation]?.split(' ') ?? []))
  const values = Object.values(effect.after ?? effect.before ?? {})
  if (effect.owner !== null) expect(values).toContain(effect.owner)
}

async function expectKept(work?: typeof workInSmallBatches): Promise<Body> {
  const before = await readRows()
  const run = await perform(app, 'consolidate', { job: 'consolidate' }, undefined, work)
  const after = await readRows()
  const effects = await readEffects(run)
  const changed = listChanged(before, after)
  const keptKeys = effects.map(formatKey)
  expect(changed).toEqual(expect.arrayContaining(keptKeys))
  // A new fact keeps its handle when it is retracted, so an undo needs nothing of it.
  const ofHandle = (key: string) => key.startsWith('["handles"')
  expect(keptKeys).toEqual(expect.arrayContaining(changed.filter((key) => !ofHandle(key))))
  for (const effect of effects) expectAsWritten(effect, before, after)
  return run
}

it('a run keeps of each row that it writes what an undo needs', async () => {
  const scope = createScope()
  const learn = async (summary: string) => {
    await captureEpisode(app, summary, { tool_graph: tools }, { scope })
    app.clock.advance(1_000)
  }
  for (const n of range(4)) for (const _ of range(2)) await learn(`the build takes ${n} minutes`)
  app.clock.advance(3 * 86_400_000)
  const first = await expectKept(workInSmallBatches)
  expect(first.stats).toMatchObject({
    semantic_extracted: 4,
    competence_extracted: 1,
    plan_graphs_extracted: 1,
  })
  for (const _ of range(40)) await learn('the build takes 1 minutes')
  await learn('the build takes 9 minutes')
  app.clock.advance(3 * 86_400_000)
  const second = await expectKept()
  expect(second.stats).toMatchObject({ semantic_extracted: 1, episodic_compressed: 41 })
  await learn('the build takes 1 minutes')
  await expectKept()
})
