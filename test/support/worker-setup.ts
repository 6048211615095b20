import { randomUUID } from 'node:crypto'
import { createConsolidation } from '../../src/consolidation/index.ts'
import { createSeal } from '../../src/domain/identity/tombstone-seal.ts'
import { defaultRetentionShape } from '../../src/domain/lifecycle/retention.ts'
import { fullTrust } from '../../src/domain/trust/caller.ts'
import { createDream } from '../../src/dream/index.ts'
import { createHashEmbedder } from '../../src/embeddings/embedders/hash-embedder.ts'
import { createEmbeddingJob } from '../../src/embeddings/index.ts'
import { deleteExpiredAnswers } from '../../src/http/idempotency/idempotency.queries.ts'
import { type JobName, jobNames } from '../../src/jobs/job-names.ts'
import type { JobWork } from '../../src/jobs/runs.ts'
import { createIds } from '../../src/kernel/ids.ts'
import { createLogger } from '../../src/kernel/log.ts'
import { createDecay, createImportanceRefresh, createPromotion } from '../../src/lifecycle/index.ts'
import { createChat } from '../../src/llm/chat.ts'
import { createRunner } from '../../src/maintenance/index.ts'
import { findRun, insertRun } from '../../src/maintenance/maintenance.queries.ts'
import { presentRun } from '../../src/maintenance/run-answer.ts'
import { ensureJobRows } from '../../src/maintenance/running/leases.queries.ts'
import { addPlanApplication } from '../../src/plans/index.ts'
import { createPoliciesService } from '../../src/policies/index.ts'
import { createSimulation } from '../../src/simulation/index.ts'
import { createUndo } from '../../src/undo/index.ts'
import { createTestClock } from './clock.ts'
import { openTestDatabase } from './database.ts'
import { idleWorks, noIntervals } from './idle-jobs.ts'
import { createSmallConsolidation } from './small-consolidation.ts'
import type { TestApp } from './test-app.ts'
import { createTestPurge } from './test-purge.ts'

/** One day in milliseconds. */
export const day = 86_400_000
const keeping = { retentionMode: 'huber', retentionShape: defaultRetentionShape } as const
export const retention = { forgottenRetentionMs: 30 * day, revisedRetentionMs: 90 * day }

type WorkerOptions = Pick<Parameters<typeof createRunner>[0], 'observe' | 'leaseMs'> & {
  jobWorks?: Partial<Record<JobName, JobWork>>
}

type OpenedDatabase = Awaited<ReturnType<typeof openTestDatabase>>
type RunRequest = { dryRun?: boolean; scope?: string; options?: Record<string, unknown> }

export type WorkerSetup = Awaited<ReturnType<typeof openWorkerSetup>>

/** Opens a database, unless one is given, for which a test creates workers; schedules are off unless it sets intervals. */
export async function openWorkerSetup(
  sizes = { rows: 20, blocks: 1, shareFrom: 40 },
  given?: OpenedDatabase,
) {
  const database = given ?? (await openTestDatabase())
  const { db, pool } = database
  const clock = createTestClock()
  const ids = createIds(clock)
  const lines: string[] = []
  const log = createLogger({ level: 'debug', clock, write: (line) => void lines.push(line) })
  await ensureJobRows(db, jobNames, clock.now())

  const refresh = createImportanceRefresh({ db, blocks: sizes.blocks })
  const seal = createSeal(undefined)
  const textLanguage = 'english'
  const writing = { ids, seal, textLanguage, policies: createPoliciesService({ db, clock }) }
  const usual = {
    ...idleWorks,
    decay: createPromotion({ db, size: sizes.rows }).appendTo(createDecay({ db, ...retention, sizes })),
    refresh_importance: refresh,
    dream: createDream({
      db,
      ...retention,
      ...keeping,
      refresh,
      drift: { roots: [], textLanguage },
      writing,
      size: sizes.rows,
    }),
    consolidate: createSmallConsolidation({ db, clock, ids }),
    embed: createEmbeddingJob({ db, clock, ids, log, embedder: createHashEmbedder(), maxSensitivity: 'low' })
      .work,
    purge: createTestPurge({ expired: { idempotency_keys: deleteExpiredAnswers } }),
    undo: createUndo({ db, seal }),
  }

  function createWorker(
    worker: string,
    { jobWorks = {}, ...more }: WorkerOptions = {},
    intervals = noIntervals,
  ) {
    return createRunner({
      db,
      clock,
      ids,
      log,
      worker,
      jobWorks: addPlanApplication({ db, seal }, { ...usual, ...jobWorks }),
      intervals,
      ...more,
    })
  }

  async function requestRun(job: JobName, more: RunRequest = {}): Promise<string> {
    const id = randomUUID()
    await insertRun(db, { id, job, trigger: 'manual', now: clock.now(), ...more })
    return id
  }

  async function readRun(id: string) {
    const run = await findRun(db, id, fullTrust)
    if (!run) throw new Error('no such run')
    return presentRun(run)
  }

  /** Requests one run and runs it with one worker. */
  async function run(job: JobName, more: RunRequest & WorkerOptions = {}) {
    const { dryRun, scope, options, ...hiring } = more
    const id = await requestRun(job, {
      ...(dryRun === undefined ? {} : { dryRun }),
      ...(scope === undefined ? {} : { scope }),
      ...(options === undefined ? {} : { options }),
    })
    await createWorker('worker', hiring).runJob(job, new AbortController().signal)
    return readRun(id)
  }

  return {
    db,
    pool,
    url: database.url,
    clock,
    ids,
    lines,
    createWorker,
    requestRun,
    readRun,
    run,
    close: database.close,
  }
}

type Population = { scope?: string; count: number; bornAt: Date; offset?: number }

/**
 * Inserts records of every curve with half-lives from two hours to two days: some are pinned, some have a floor,
 * some expire. Each has a content and an audit entry.
 */
export async function insertFadingRecords(
  workshop: WorkerSetup,
  { scope = '', count, bornAt, offset = 0 }: Population,
) {
  await workshop.pool.query(
    `with drawn as (
       select n, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id,
         (array['linear', 'huber', 'elastic', 'exponential'])[1 + n % 4]::decay_curve as curve,
         7200 * (1 + n % 24) as half_life, 0.2 + (n % 80) / 100.0 as base,
         case when n % 7 = 0 then 0.05 else 0 end as floor, n % 11 = 0 as pinned,
         case when n % 5 = 0 then $2::timestamptz + interval '30 hours' end as expires_at
       from generate_series($4::int + 1, $4::int + $1::int) as n
     ), record as (
       insert into records (id, created_at, updated_at, salience, base_salience, anchored_at, last_reinforced_at,
         expires_at, prune_at, half_life_seconds, max_age_seconds, min_salience, reinforcement_gain, max_salience,
         confidence, importance, base_importance, emotional_valence, access_count, confirmation_count, version,
         type, sensitivity, layer, memory_kind, status, source_type, curve, deletion_policy, pinned, scope)
       select id, $2, $2, base, base, $2, $2, expires_at,
         case when not pinned and (floor = 0 or expires_at is not null)
           then least(expires_at, $2::timestamptz + 2 * half_life * interval '1 second') end,
         half_life, 0, floor, 0.1, 1, 1, 0.5, 0.5, 0, 0, 0, 1, 'semantic', 'low', 'semantic', 'fact', 'active',
         'ai', curve, 'auto_prune', pinned, $3
       from drawn
     ), content as (
       insert into contents (record_id, tags, payload, provenance, search)
       select id, '{}', '{"kind": "semantic", "subject": "s", "predicate": "p", "object": 1}',
         '{"sources": [{"kind": "event", "ref": "test"}]}', ''
       from drawn
     )
     insert into audit_entries (record_id, at, action, actor, rationale)
     select id, $2, 'create', 'test', 'created' from drawn`,
    [count, bornAt, scope, offset],
  )
}

/** Reads everything that a decay sweep changes, and what it must not change. */
export async function readState({ pool }: WorkerSetup): Promise<unknown[]> {
  const { rows } = await pool.query(
    `select r.id, salience, base_salience, anchored_at, version, updated_at, forgotten_at, forgotten_reason,
       forgotten_by, purge_at, (select json_agg(json_build_array(action, actor, rationale, at) order by a.id)
         from audit_entries a where a.record_id = r.id) as audit
     from records r order by r.id`,
  )
  return rows
}

/** Creates a worker beside a test API, with the intervals of the API's configuration unless others are given. */
export function createWorkerFor(
  { db, clock, ids, config }: TestApp,
  intervals: Readonly<Record<JobName, number>> = config.jobs.intervals,
  {
    size,
    worker = 'worker',
    jobWorks: others = {},
    ...more
  }: { size?: number; worker?: string } & WorkerOptions = {},
) {
  const dreaming = size === undefined ? {} : { size }
  const log = createLogger({ level: 'silent', clock, write: () => {} })
  const { chat, maxSensitivity } = config.models
  const chatOptions = chat && { ...chat, maxSensitivity, chat: createChat({ ...chat, clock }) }
  const { textLanguage, tombstoneKey } = config.records
  const seal = createSeal(tombstoneKey)
  const policies = createPoliciesService({ db, clock })
  const refresh = createImportanceRefresh({ db })
  const jobWorks = {
    ...idleWorks,
    decay: createPromotion({ db }).appendTo(createDecay({ db, ...retention })),
    dream: createDream({
      db,
      ...retention,
      ...config.cognition,
      refresh,
      ...dreaming,
      drift: { roots: config.driftRoots, textLanguage, ...dreaming },
      model: chatOptions,
      writing: { ids, policies, seal, textLanguage },
    }),
    refresh_importance: refresh,
    consolidate: createConsolidation({
      db,
      clock,
      ids,
      textLanguage,
      seal,
      policies,
      ...config.consolidation,
      extraction: chatOptions,
    }),
    embed: createEmbeddingJob({ db, clock, ids, log, embedder: createHashEmbedder(), maxSensitivity: 'low' })
      .work,
    purge: createTestPurge({ expired: { idempotency_keys: deleteExpiredAnswers } }),
    simulation: createSimulation({ db }),
    undo: createUndo({ db, seal }),
    ...others,
  }
  return createRunner({
    db,
    clock,
    ids,
    log,
    worker,
    jobWorks: addPlanApplication({ db, seal }, jobWorks),
    intervals,
    ...more,
  })
}
