import { type Curve, computePruneAt, computeSalience } from '../domain/lifecycle/curves.ts'
import { type Effect, isCreation, type Row } from './effect.ts'

/**
 * Changes what an undo writes if it is not simply the earlier row, because history only grows. A record that the run created is
 * retracted and keeps its content, and a record that it changed gets a new version.
 */
export function createRewrite(effects: readonly Effect[], now: Date): (effect: Effect) => Effect | undefined {
  const created = new Set(
    effects.filter((effect) => isCreation(effect) && effect.before === null).map(getOwner),
  )
  return (effect) => {
    if (effect.relation === 'records') return rewriteRecord(effect, now)
    if (effect.owner === null || !created.has(effect.owner)) return effect
    if (effect.relation === 'contents') return retractContent(effect)
    return staying.has(effect.relation) ? undefined : effect
  }
}

const getOwner = ({ owner }: Effect) => owner

/** The fields that a retracted record keeps. The entity that it replaced gets its identifiers back. */
const staying = new Set(['handles', 'descents'])

function rewriteRecord(effect: Effect, now: Date): Effect {
  const { before, after } = effect
  if (!before) return effect
  const written = { version: Number(before['version']) + 1, updated_at: now.toISOString() }
  if (after) {
    // The day of grace before a budget can forget a record starts anew.
    const restored =
      before['forgotten_at'] && !after['forgotten_at'] ? { restored_at: now.toISOString() } : {}
    return { ...effect, after: { ...after, ...written, ...restored } }
  }
  const life = { base_salience: 0, salience: 0, anchored_at: now.toISOString() }
  const prune_at = computePruneAt({ ...readLife(before), ...life, anchored_at: now })
  return { ...effect, after: { id: before['id'], status: 'invalidated', ...life, prune_at, ...written } }
}

/** The columns of a whole row, as JSON has them. */
function readLife(row: Row) {
  const { pinned, deletion_policy, curve, half_life_seconds, min_salience, expires_at } = row
  return {
    base_salience: Number(row['base_salience']),
    anchored_at: new Date(String(row['anchored_at'])),
    pinned: pinned === true,
    deletion_policy: deletion_policy as 'auto_prune',
    curve: curve as Curve,
    half_life_seconds: Number(half_life_seconds),
    min_salience: Number(min_salience),
    expires_at: typeof expires_at === 'string' ? new Date(expires_at) : null,
  }
}

function retractContent(effect: Effect): Effect | undefined {
  const { record_id, payload } = (effect.before ?? {}) as { record_id?: string; payload?: Row }
  if (payload?.['kind'] !== 'semantic') return undefined
  const revision = { ...(payload['revision'] as object | undefined), status: 'retracted' }
  return { ...effect, after: { record_id, payload: { ...payload, revision } } }
}

export type Entry = {
  record_id: string
  old_status: string
  new_status: string
  changes: Record<string, [unknown, unknown]>
}

/** The changes that the log of a record names: those of fields that clients know. */
export function describeEntries(effects: readonly Effect[]): Entry[] {
  return effects.flatMap(({ owner, relation, before, after }) => {
    if (relation !== 'records' || owner === null || !before || !after) return []
    const changed = shown.filter((field) => field in after && after[field] !== before[field])
    const changes = Object.fromEntries(
      changed.map((field): [string, [unknown, unknown]] => [
        field,
        [show(before[field]), show(after[field])],
      ]),
    )
    const old_status = String(before['status'])
    const new_status = String(after['status'] ?? before['status'])
    return [
      { record_id: owner, old_status, new_status, changes: { ...changes, ...describeLoss(before, after) } },
    ]
  })
}

/** The salience that a retracted record loses, which it gets back when a client makes it active again. */
function describeLoss(before: Row, after: Row): Entry['changes'] {
  if (!('curve' in before) || after['status'] !== 'invalidated') return {}
  return { salience: [computeSalience(readLife(before), readLife(after).anchored_at), 0] }
}

/** Times are written as in every answer. */
function show(value: unknown): unknown {
  return typeof value === 'string' && timestamp.test(value) ? new Date(value).toISOString() : (value ?? null)
}

const timestamp = /^\d{4}-\d\d-\d\dT/

const shown = [
  'status',
  'layer',
  'base_salience',
  'base_importance',
  'importance',
  'confirmation_count',
  'pinned',
  'forgotten_at',
  'forgotten_reason',
]
