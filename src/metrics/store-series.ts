import { lagBounds } from '../domain/vectors/vector-lag.ts'
import type { RegretGroup } from '../regrets/index.ts'
import type { Family, Sample } from './exposition.ts'
import { computeRegretRates, type Rates } from './regret-rates.ts'
import type { BacklogRow, JobRow, SizeRow, TallyRow } from './store.queries.ts'

export type StoreState = {
  tallies: readonly TallyRow[]
  jobs: readonly JobRow[]
  backlog: readonly BacklogRow[]
  sizes: readonly SizeRow[]
  regret: readonly RegretGroup[]
}

type Interval = (job: string) => number
type Tallies = ReadonlyMap<string, number>

/** Prometheus uses the label `job` for the scraped target, so our jobs have the label `job_name`. */
const counter = (name: string, help: string, samples: readonly Sample[]): Family => ({
  name: `membrane_store_${name}_total`,
  type: 'counter',
  help,
  samples,
})
const gauge = (name: string, help: string, samples: readonly Sample[]): Family => ({
  name: `membrane_store_${name}`,
  type: 'gauge',
  help,
  samples,
})

/** Builds the series of the whole store, which are the same from every API. */
export function describeStore(
  { tallies, jobs, backlog, sizes, regret }: StoreState,
  now: Date,
  interval: Interval,
): Family[] {
  const counted: Tallies = new Map(tallies.map(({ name, value }) => [name, value]))
  return [
    ...describeCounts(counted),
    ...describeRuns(counted),
    ...describeJobs(jobs, now, interval),
    ...describeBacklog(backlog, now),
    describeLag(counted),
    ...describeSizes(sizes),
    ...describeRegret(regret),
  ]
}

/** Events that clients and jobs cause, with the names under which runs count them. */
const counts = {
  forgotten: {
    help: 'Records forgotten, by a client or by a job.',
    inRuns: ['pruned', 'archived', 'over_budget'],
  },
  restored: { help: 'Forgotten records that were restored.', inRuns: [] },
  promoted: {
    help: 'Promotions of records to a higher layer.',
    inRuns: ['promoted_episodic', 'promoted_semantic'],
  },
  deduplicated: {
    help: 'Facts that were confirmed instead of stored again, and duplicate records that were merged.',
    inRuns: ['duplicates_resolved', 'records_merged'],
  },
} as const

function describeCounts(tallies: Tallies): Family[] {
  return Object.entries(counts).map(([name, { help, inRuns }]) => {
    const byJobs = runCounts(tallies).filter(({ labels }) => inRuns.some((each) => each === labels.what))
    const value = byJobs.reduce((sum, sample) => sum + sample.value, tallies.get(name) ?? 0)
    return counter(name, help, [{ value }])
  })
}

function runCounts(tallies: Tallies) {
  return listTallies(tallies, 'job').map(({ parts: [job = '', what = ''], value }) => ({
    labels: { job_name: job, what },
    value,
  }))
}

function describeRuns(tallies: Tallies): Family[] {
  const runs = listTallies(tallies, 'run').map(({ parts: [job = '', status = ''], value }) => ({
    labels: { job_name: job, status },
    value,
  }))
  const seconds = listTallies(tallies, 'run_seconds').map(({ parts: [job = ''], value }) => ({
    labels: { job_name: job },
    value,
  }))
  return [
    counter('runs', 'Runs of jobs that ended, without dry runs.', runs),
    counter('run_seconds', 'The total duration of these runs.', seconds),
    counter('run_counts', 'What these runs did, by the names in their stats.', runCounts(tallies)),
  ]
}

/** Names of tallies are paths: the kind, then the labels. */
function listTallies(tallies: Tallies, kind: string) {
  return [...tallies].flatMap(([name, value]) => {
    const [first, ...parts] = name.split('/')
    return first === kind ? [{ parts, value }] : []
  })
}

function describeJobs(jobs: readonly JobRow[], now: Date, interval: Interval): Family[] {
  const countSecondsSince = (at: Date | null) =>
    at ? Math.max(0, now.getTime() - at.getTime()) / 1_000 : undefined
  const each = (read: (job: JobRow) => number | undefined): Sample[] =>
    jobs.flatMap((row) => {
      const value = read(row)
      return value === undefined ? [] : [{ labels: { job_name: row.job }, value }]
    })
  const chooseInterval = ({ job, enabled, interval_ms: chosen }: JobRow) =>
    enabled ? (chosen ?? interval(job)) / 1_000 : 0
  const open = jobs.flatMap(({ job, queued, running }) => [
    { labels: { job_name: job, status: 'queued' }, value: queued },
    { labels: { job_name: job, status: 'running' }, value: running },
  ])
  const overdue = each((row) => (chooseInterval(row) > 0 ? countSecondsSince(row.next_at) : 0))
  return [
    gauge('runs_open', 'Runs that are queued or running.', open),
    gauge(
      'job_led',
      'Whether a worker holds the lease of the job.',
      each(({ is_led: led }) => Number(led)),
    ),
    gauge(
      'job_since_success_seconds',
      'Time since the last success of the job; no sample before the first.',
      each((row) => countSecondsSince(row.last_success_at)),
    ),
    gauge(
      'job_interval_seconds',
      'The interval of the job; 0 when it has no schedule.',
      each(chooseInterval),
    ),
    gauge('job_overdue_seconds', 'How long the next run of the job has been due.', overdue),
  ]
}

function describeBacklog(backlog: readonly BacklogRow[], now: Date): Family[] {
  const waiting = backlog.map(({ work, waiting: value }) => ({ labels: { work }, value }))
  const oldest = backlog.map(({ work, oldest: at }) => ({
    labels: { work },
    value: at ? Math.max(0, now.getTime() - at.getTime()) / 1_000 : 0,
  }))
  return [
    gauge('backlog', 'Records that are due for this kind of work; counted up to 100000.', waiting),
    gauge('backlog_oldest_seconds', 'How long the oldest of them has been due.', oldest),
  ]
}

/** Counts only texts that were embedded after a write, not after a change of the model. */
function describeLag(tallies: Tallies): Family {
  const count = tallies.get('vector_lag_count') ?? 0
  const bucket = (bound: number | '+Inf', value: number): Sample => ({
    labels: { le: String(bound) },
    value,
    suffix: '_bucket',
  })
  return {
    name: 'membrane_store_write_to_vector_seconds',
    type: 'histogram',
    help: 'Time from the write of a text until its vector was stored and can be searched.',
    samples: [
      ...lagBounds.map((bound) => bucket(bound, tallies.get(`vector_lag/${bound}`) ?? 0)),
      bucket('+Inf', count),
      { value: tallies.get('vector_lag_sum') ?? 0, suffix: '_sum' },
      { value: count, suffix: '_count' },
    ],
  }
}

function describeSizes(sizes: readonly SizeRow[]): Family[] {
  const each = (read: (row: SizeRow) => number): Sample[] =>
    sizes.map((row) => ({ labels: { table: row.table }, value: read(row) }))
  return [
    gauge(
      'table_bytes',
      'The size of each table with its indexes.',
      each(({ bytes }) => bytes),
    ),
    gauge(
      'table_rows',
      'The last estimate of PostgreSQL of the rows of each table.',
      each(({ rows }) => rows),
    ),
  ]
}

/** Gauges, because both the regretted and the forgotten records are purged, erased and restored. */
function describeRegret(groups: readonly RegretGroup[]): Family[] {
  const { rate, by_reason, by_type, by_age } = computeRegretRates(groups)
  const each = (label: string, rates: Rates): Sample[] =>
    Object.entries(rates).map(([name, value]) => ({ labels: { [label]: name }, value }))
  const share = 'The share of the forgotten records that an answer would have had among its first ten'
  return [
    gauge('regret_rate', `${share}.`, [{ value: rate }]),
    gauge('regret_rate_by_reason', `${share}, by the reason of the forgetting.`, each('reason', by_reason)),
    gauge('regret_rate_by_type', `${share}, by type.`, each('type', by_type)),
    gauge('regret_rate_by_age', `${share}, by the age at the forgetting.`, each('age', by_age)),
  ]
}
