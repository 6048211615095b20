import fc from 'fast-check'
import { createConsolidation } from '../../../src/consolidation/index.ts'
import { createSeal } from '../../../src/domain/identity/tombstone-seal.ts'
import { defaultRetentionShape } from '../../../src/domain/lifecycle/retention.ts'
import { createCompression } from '../../../src/embeddings/index.ts'
import type { JobName } from '../../../src/jobs/job-names.ts'
import { createDecay, createPromotion } from '../../../src/lifecycle/index.ts'
import { createPoliciesService } from '../../../src/policies/index.ts'
import { captureEpisode, createScope } from '../requests/consolidation-requests.ts'
import { type Body, create, fact, payloads } from '../requests/record-requests.ts'
import type { TestApp } from '../test-app.ts'
import { uuid } from '../texts/uuid.ts'
import { noIntervals } from '../workers/idle-jobs.ts'
import { retention } from '../workers/test-works.ts'
import { createWorkerFor } from '../workers/worker-setup.ts'

/** Lives of records, lived twice at the same times in two scopes, so that what a job does to one can be compared. */

const day = 86_400_000

export type Life = {
  kind: 'episode' | 'brief fact' | 'lasting fact'
  /** Few, so that records say the same. */
  saying: number
  halfLifeHours: number
  importance: number
  isPinned: boolean
  uses: number
}

export const lives: fc.Arbitrary<Life[]> = fc.array(
  fc.record({
    kind: fc.constantFrom('episode', 'brief fact', 'lasting fact'),
    saying: fc.integer({ min: 0, max: 3 }),
    halfLifeHours: fc.integer({ min: 1, max: 200 }),
    importance: fc.double({ min: 0.05, max: 0.95, noNaN: true }),
    isPinned: fc.boolean(),
    uses: fc.integer({ min: 0, max: 6 }),
  }),
  { minLength: 3, maxLength: 12 },
)

/** Lives them, and returns the scopes. Some time passes before it returns. */
export async function liveTwice(app: TestApp, all: readonly Life[], days: number): Promise<[string, string]> {
  const scopes: [string, string] = [createScope(), createScope()]
  await liveIn(app, scopes, all, days)
  return scopes
}

/** The same in one scope. */
export async function liveOnce(app: TestApp, all: readonly Life[], days: number): Promise<string> {
  const scope = createScope()
  await liveIn(app, [scope], all, days)
  return scope
}

async function liveIn(app: TestApp, scopes: readonly string[], all: readonly Life[], days: number) {
  for (const [index, life] of all.entries()) {
    for (const scope of scopes) await live(app, scope, index, life)
    // Ids are in the order of time.
    app.clock.advance(1_000)
  }
  app.clock.advance(days * day)
}

async function live(app: TestApp, scope: string, index: number, life: Life): Promise<void> {
  const { id } = await store(app, scope, index, life)
  const uses = Array.from({ length: life.uses }, () => ({ kind: 'used', actor: 'agent' }))
  for (const use of uses) await app.request('POST', `/v1/records/${id}/access`, { body: use })
  if (!life.isPinned) return
  const body = { actor: 'operator', rationale: 'needed' }
  await app.request('POST', `/v1/records/${id}/pin`, { body })
}

async function store(app: TestApp, scope: string, index: number, life: Life): Promise<Body> {
  if (life.kind === 'episode') return captureEpisode(app, `saying ${life.saying}`, {}, { scope })
  const decay = { curve: 'linear', half_life_seconds: life.halfLifeHours * 3_600 }
  return create(
    app,
    fact({
      scope,
      payload: { ...payloads.semantic, subject: `${index}`, object: `saying ${life.saying}` },
      base_importance: life.importance,
      ...(life.kind === 'brief fact' ? { lifecycle: { decay } } : {}),
    }),
  )
}

/** A worker whose batches are small, so that they depend on each other. */
function createSmallWorker(app: TestApp) {
  const { db, clock, ids, config } = app
  const size = 3
  return createWorkerFor(app, noIntervals, {
    size,
    jobWorks: {
      decay: createPromotion({ db, size }).appendTo(
        createDecay({ db, ...retention, sizes: { rows: size, blocks: 1, shareFrom: 1_000 } }),
      ),
      consolidate: createConsolidation({
        db,
        clock,
        ids,
        size,
        seal: createSeal(undefined),
        policies: createPoliciesService({ db, clock }),
        textLanguage: config.records.textLanguage,
        compressionAgeMs: day,
      }),
      compress: createCompression({
        db,
        size,
        retentionMode: 'huber',
        retentionShape: defaultRetentionShape,
      }),
    },
  })
}

export async function work(app: TestApp, job: string): Promise<void> {
  await createSmallWorker(app).runJob(job as JobName, new AbortController().signal)
}

type Row = Record<string, unknown>

/** Every record of a scope with what belongs to it, without ids; equal scopes give equal lists. */
export async function describeScope({ database }: TestApp, scope: string): Promise<Row[]> {
  const { rows } = await database.pool.query<{ record: Row }>(
    `select to_jsonb(r) - $2::text[] || jsonb_build_object(
       'payload', c.payload, 'tags', c.tags,
       'edges', (select count(*) from relations as e where e.source_id = r.id),
       'names', (select count(*) from handles as h where h.record_id = r.id),
       'sources', (select count(*) from descents as d where d.derived_id = r.id),
       'due', (select jsonb_agg(u.stage order by u.stage) from unconsolidated as u where u.record_id = r.id),
       'vectors', (select jsonb_agg(jsonb_build_array(v.bits, md5(v.code)) order by v.model_id)
         from embeddings as v where v.record_id = r.id),
       'log', (select jsonb_agg(jsonb_build_array(a.action, a.actor, a.rationale, a.at) order by a.id)
         from audit_entries as a where a.record_id = r.id),
       'moves', (select jsonb_agg(jsonb_build_array(s.old, s.new, s.step, s.at) order by s.id)
         from status_changes as s where s.record_id = r.id)
     ) as record
     from records as r join contents as c on c.record_id = r.id where r.scope = $1`,
    [scope, ['id', 'scope', 'forgotten_run_id', 'salience', 'fades_at']],
  )
  return rows
    .map(({ record }) => withoutIds(record))
    .sort((one, other) => JSON.stringify(one).localeCompare(JSON.stringify(other)))
}

/** The stored salience comes after the exact one at any time. */
const unkept = ['version', 'updated_at', 'restored_at', 'revealed', 'salience', 'fades_at']

/** The same by id, without versions, log and times of change: what an undo restores. */
export async function readLives({ database }: TestApp, scope: string): Promise<Map<string, Row>> {
  const { rows } = await database.pool.query<{ id: string; record: Row }>(
    `select r.id, to_jsonb(r) - $2::text[] || jsonb_build_object(
       'payload', c.payload, 'tags', c.tags,
       'due', (select jsonb_agg(u.stage order by u.stage) from unconsolidated as u where u.record_id = r.id),
       'vectors', (select jsonb_agg(jsonb_build_array(v.bits, md5(v.code)) order by v.model_id)
         from embeddings as v where v.record_id = r.id)
     ) as record
     from records as r join contents as c on c.record_id = r.id where r.scope = $1 order by r.id`,
    [scope, unkept],
  )
  return new Map(rows.map(({ id, record }) => [id, record]))
}

function withoutIds(record: Row): Row {
  return JSON.parse(JSON.stringify(record).replaceAll(uuid, 'id')) as Row
}
