import { type Effect, logs, type Replayed, type Row } from '../effects/index.ts'

type Translation = {
  planId: string
  runId: string
  /** When the dry run began, and how much later its changes are made, in milliseconds. */
  plannedAt: Date
  laterMs: number
  /** The records that the plan creates. */
  created: ReadonlySet<string>
}

/**
 * Gives the effects of a dry run the id and the time of the run that applies them. What a change computes for a record that
 * exists stays as planned, such as its anchor. A record that is created begins its life now, and the values that later changes
 * of the plan expect of it move by the same time.
 */
export function translateEffects(effects: readonly Effect[], translation: Translation): Effect[] {
  const { planId, runId, plannedAt, laterMs, created } = translation
  const renamed = JSON.parse(JSON.stringify(effects).replaceAll(planId, runId)) as Effect[]
  if (laterMs === 0) return renamed
  return renamed.map(({ before, after, ...effect }) => {
    const moveAll = (_: string, value: unknown) => moveTime(value, plannedAt, laterMs)
    if (effect.owner !== null && created.has(effect.owner)) {
      return { ...effect, before: before && mapRow(before, moveAll), after: after && mapRow(after, moveAll) }
    }
    const isUpdate = effect.relation === 'records' && before !== null
    const move = (column: string, value: unknown) =>
      isUpdate && !moving.has(column) ? value : moveAll(column, value)
    return { ...effect, before, after: after && mapRow(after, move) }
  })
}

const moving: ReadonlySet<string> = new Set(['forgotten_at', 'purge_at', 'updated_at'])

function mapRow(row: Row, map: (column: string, value: unknown) => unknown): Row {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, map(column, value)]))
}

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)$/

/** A time that the dry run set is not before its start. The result is written as PostgreSQL writes it, to be compared. */
function moveTime(value: unknown, plannedAt: Date, laterMs: number): unknown {
  if (typeof value !== 'string' || !timestamp.test(value)) return value
  const at = Date.parse(value)
  return at < plannedAt.getTime() ? value : new Date(at + laterMs).toISOString().replace(/\.?0*Z$/, '+00:00')
}

/** If the plan changes only the importance of a record, and the importance has changed since, the record is left alone. */
export function leaveChangedImportance(
  { effects, blocked, unscored }: Pick<Replayed, 'effects' | 'blocked' | 'unscored'>,
  planned: readonly { record_id: string; action: string }[],
): Pick<Replayed, 'blocked' | 'unscored'> {
  const changed = new Set([
    ...effects.map(({ owner }) => owner),
    ...planned.flatMap(({ record_id: id, action }) => (changesImportanceOnly.has(action) ? [] : id)),
  ])
  const left = [...unscored].filter((id) => !changed.has(id))
  return {
    blocked: new Map([...blocked, ...left.map((id) => [id, 'its importance changed since'] as const)]),
    unscored: new Set([...unscored].filter((id) => changed.has(id))),
  }
}

/** The last one changes nothing. */
const changesImportanceOnly: ReadonlySet<string> = new Set(['rescore', 'candidate'])

/** A change that only forgets a record, or changes its importance, is known from the records and logs of the run. */
export function isLogged(effects: readonly Effect[]): boolean {
  return effects.every(({ relation, before, after }) => {
    if (logs.has(relation)) return true
    if (relation !== 'records' || !before || !after) return false
    return Object.keys(after).every((column) => logged.has(column) || isSame(after[column], before[column]))
  })
}

const logged: ReadonlySet<string> = new Set([
  'forgotten_at',
  'forgotten_reason',
  'forgotten_by',
  'forgotten_run_id',
  'purge_at',
  'importance',
  'fades_at',
  'decay_rank',
])

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}
