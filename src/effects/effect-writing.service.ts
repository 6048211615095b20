import { createSavepoint, releaseSavepoint, rollbackToSavepoint } from '../db/savepoint.ts'
import type { Transaction } from '../db/transaction.ts'
import { isBatchFailure } from '../jobs/runs/batch-failure.ts'
import { halve } from '../kernel/collections/halve.ts'
import { describeFailure } from '../kernel/log.ts'
import { describeTaken, groupDependent } from './blocked-records.ts'
import { bookkeeping, type Effect, formatKey, keys, type Row } from './effect.ts'
import { deleteRows, insertRows, listColumns, updateRows } from './effects.queries.ts'

/** A record whose rows cannot be written. `error` is that of the database, if it had one. */
type Unwritten = { owner: string; reason: string; error?: unknown }

/**
 * Writes all of the rows; or none, when a name that one of them needs is taken, or, if failures are isolated, a row fails.
 * Returns the records of such rows.
 */
export async function writeAll(
  tx: Transaction,
  effects: readonly Effect[],
  { isolatesFailures }: { isolatesFailures: boolean },
): Promise<Unwritten[]> {
  const outcome = await attempt(tx, effects, (taken) => taken.length === 0)
  if (!('error' in outcome))
    return outcome.taken.map(({ owner, relation }) => ({ owner, reason: describeTaken(relation) }))
  const failing = isolatesFailures ? await findFailing(tx, groupDependent(effects), outcome.error) : []
  // Nothing fails by itself.
  if (failing.length === 0) throw outcome.error
  return failing
}

/** Finds the records that fail, each with those that depend on it, by writing less and less. Nothing of it stays. */
async function findFailing(
  tx: Transaction,
  groups: readonly (readonly Effect[])[],
  error: unknown,
): Promise<Unwritten[]> {
  if (groups.length === 1) {
    const owners = new Set(groups.flat().flatMap(({ owner }) => owner ?? []))
    return [...owners].map((owner) => ({ owner, reason: describeFailure(error), error }))
  }
  const found: Unwritten[] = []
  for (const half of halve(groups)) {
    const outcome = await attempt(tx, half.flat(), () => false)
    if ('error' in outcome) found.push(...(await findFailing(tx, half, outcome.error)))
  }
  return found
}

type Taken = { owner: string; relation: string }

/** Throws what is no fault of a row. */
async function attempt(
  tx: Transaction,
  effects: readonly Effect[],
  keeps: (taken: readonly Taken[]) => boolean,
): Promise<{ taken: Taken[] } | { error: unknown }> {
  await createSavepoint(tx, 'before_effects')
  const outcome = await write(tx, effects).then(
    (taken) => ({ taken }),
    (error: unknown) => {
      if (!isBatchFailure(error)) throw error
      return { error }
    },
  )
  if ('error' in outcome || !keeps(outcome.taken)) await rollbackToSavepoint(tx, 'before_effects')
  await releaseSavepoint(tx, 'before_effects')
  return outcome
}

async function write(tx: Transaction, effects: readonly Effect[]): Promise<Taken[]> {
  const groups = groupByRelation(effects)
  for (const [relation, group] of [...groups].reverse()) {
    const rows = group.flatMap(({ before, after }) => (before && !after ? [pickKey(relation, before)] : []))
    if (rows.length > 0) await deleteRows(tx, { relation, rows })
  }
  const taken: Taken[] = []
  for (const [relation, group] of groups) {
    const columns = await listColumns(tx, relation)
    for (const each of await insert(tx, { relation, columns, group })) taken.push(each)
    const updated = group.flatMap(({ before, after }) => (before && after ? [after] : []))
    // Triggers fire for the columns that a statement names.
    const named = columns.filter((column) => updated.some((row) => column in row))
    if (updated.length > 0) await updateRows(tx, { relation, columns: named, rows: updated })
  }
  return taken
}

type Group = { relation: string; columns: readonly string[]; group: readonly Effect[] }

async function insert(tx: Transaction, { relation, columns, group }: Group): Promise<Taken[]> {
  const inserting = group.flatMap((effect) =>
    !effect.before && effect.after ? [{ ...effect, row: effect.after }] : [],
  )
  if (inserting.length === 0) return []
  const inserted = await insertRows(tx, { relation, columns, rows: inserting.map(({ row }) => row) })
  if (inserted.length === inserting.length || bookkeeping.has(relation)) return []
  const done = new Set(inserted.map((after) => formatKey({ relation, before: null, after })))
  return inserting.flatMap((effect) =>
    effect.owner === null || done.has(formatKey(effect)) ? [] : [{ owner: effect.owner, relation }],
  )
}

export function pickKey(relation: string, row: Row): Row {
  return Object.fromEntries((keys[relation] ?? []).map((column) => [column, row[column] ?? null]))
}

/** In the order in which the tables can be written. */
export function groupByRelation(effects: readonly Effect[]): Map<string, Effect[]> {
  const groups = Map.groupBy(effects, ({ relation }) => relation)
  return new Map(
    Object.keys(keys).flatMap((relation) => {
      const group = groups.get(relation)
      return group ? [[relation, group] as const] : []
    }),
  )
}
