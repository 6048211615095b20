import type { Database } from '../../db/connection.ts'
import { countUses } from '../../domain/importance/access-weights.ts'
import { computeSalience } from '../../domain/lifecycle/curves.ts'
import type { RetentionMode, RetentionShape } from '../../domain/lifecycle/retention.ts'
import type { Caller } from '../../domain/trust/caller.ts'
import { explainWorth } from '../../domain/worth/worth.ts'
import type { Clock } from '../../kernel/clock.ts'
import { omitNulls } from '../../kernel/omit-nulls.ts'
import {
  type Departure,
  findReadableRecord,
  findRecordOrDeparture,
  type LifecycleSnapshot,
  parseLifecycleSnapshot,
  raiseToRestored,
  type StoredRecord,
} from '../../records/index.ts'
import { findLoggedAccesses } from '../importance/importance.queries.ts'
import { findWorth } from '../importance/worth.queries.ts'
import type { Explanation, Forecast } from './explain.schemas.ts'
import {
  findArchivalValues,
  findBudgetValues,
  findSurprise,
  type SurpriseRow,
} from './explanation.queries.ts'
import {
  computeDueAt,
  explainImportance,
  explainKeeping,
  explainRetention,
  explainSalience,
  findRemovalRule,
} from './explanation.ts'
import { forecastSalience } from './forecast.ts'

type Resources = {
  db: Database
  clock: Clock
  retentionMode: RetentionMode
  retentionShape: RetentionShape
  revisedRetentionMs: number
}

export type ExplainService = ReturnType<typeof createExplainService>

export function createExplainService(resources: Resources) {
  const { db, clock, retentionMode: mode, retentionShape: shape, revisedRetentionMs } = resources

  async function forecast(caller: Caller, id: string, points: number): Promise<Forecast> {
    const now = clock.now()
    const stored = await findReadableRecord(db, caller, id, now)
    const { points: ahead, crossings } = forecastSalience(
      stored,
      computeDueAt(stored, revisedRetentionMs),
      now,
      points,
    )
    return {
      id: stored.id,
      as_of: now.toISOString(),
      salience: computeSalience(stored, now),
      points: ahead.flatMap(({ at, salience }) => {
        const shown = formatInstant(at)
        return shown === null ? [] : [{ at: shown, salience }]
      }),
      crossings: {
        half: formatInstant(crossings.half),
        below_0_1: formatInstant(crossings.below_0_1),
        pruned: formatInstant(crossings.pruned),
      },
    }
  }

  /** Works for purged and erased records too: their numbers are kept, and numbers contain no content. */
  async function explain(caller: Caller, id: string): Promise<Explanation> {
    const known = await findRecordOrDeparture(db, caller, id)
    const now = clock.now()
    const snapshot = getLifecycleSnapshot(known)
    const logged = await findLoggedAccesses(db, known.id)
    const removal = await describeRemoval(db, known, snapshot, now)
    const state = describeState(known, now)
    const isKept = state === 'live' || state === 'forgotten'
    const surprise = isKept ? await findSurprise(db, known.id, caller.trust) : undefined
    const worth = isKept ? explainWorth(await findWorth(db, known.id)) : undefined
    const salience = explainSalience(snapshot, now)
    const importance = explainImportance(snapshot, logged, now)
    return {
      id: known.id,
      state,
      salience,
      importance,
      retention: explainRetention(snapshot, { mode, shape }, now),
      keeping: explainKeeping(
        {
          importance: findImportance(known) ?? importance.value,
          base_importance: snapshot.base_importance,
          uses: countUses(snapshot),
        },
        salience.value,
      ),
      prune_at: formatInstant(computeDueAt(snapshot, revisedRetentionMs)),
      ...omitNulls<Pick<Explanation, 'worth' | 'surprise' | 'removal'>>({
        worth: worth && { ...worth, learned: false },
        surprise: surprise && presentSurprise(surprise),
        removal,
      }),
    }
  }

  return { forecast, explain }
}

function presentSurprise({ at, ...rest }: SurpriseRow): NonNullable<Explanation['surprise']> {
  return omitNulls({ at: at.toISOString(), ...rest })
}

type Known = StoredRecord | Departure

/** The stored importance, by which a budget orders the records that are not forgotten. */
function findImportance(known: Known): number | undefined {
  return 'departed_at' in known || known.forgotten_at ? undefined : known.importance
}

function getLifecycleSnapshot(known: Known): LifecycleSnapshot & { created_at: Date } {
  if (!('departed_at' in known)) return known
  // The statement that removed the record wrote these numbers from columns of the same types.
  return { ...parseLifecycleSnapshot(known.numbers as object), created_at: known.created_at }
}

function describeState(known: Known, now: Date): Explanation['state'] {
  if ('departed_at' in known) return known.kind
  if (!known.forgotten_at || !known.purge_at) return 'live'
  return known.purge_at <= now ? 'purged' : 'forgotten'
}

async function describeRemoval(
  db: Database,
  known: Known,
  snapshot: LifecycleSnapshot,
  now: Date,
): Promise<Explanation['removal']> {
  const removal = findRemoval(known, snapshot)
  if (!removal) return undefined
  const { at, reason, actor, runId } = removal
  const {
    value,
    base_salience: base,
    elapsed_seconds: elapsed,
    factor,
    floor,
  } = explainSalience(snapshot, at)
  const archivalValues = reason === 'archived' ? await findArchivalValues(db, known.id) : undefined
  const budgetValues = reason === 'budget' ? await findBudgetValues(db, known.id) : undefined
  return {
    at: at.toISOString(),
    reason,
    rule: findRemovalRule(snapshot, reason, at),
    actor,
    run_id: runId,
    numbers: {
      salience: value,
      base_salience: base,
      elapsed_seconds: elapsed,
      factor,
      floor,
      ...budgetValues,
      ...archivalValues,
    },
    restore: describeRestore(known, value, now),
  }
}

function findRemoval(known: Known, snapshot: LifecycleSnapshot) {
  if ('departed_at' in known) {
    const { kind, departed_at: departedAt, reason, actor, run_id: runId } = known
    // A purge follows an earlier forgetting, which is the removal that counts.
    return {
      at: kind === 'purged' ? (snapshot.forgotten_at ?? departedAt) : departedAt,
      reason,
      actor,
      runId,
    }
  }
  const { forgotten_at: at, forgotten_reason: reason, forgotten_by: actor, forgotten_run_id: runId } = known
  return at && reason !== null && actor !== null ? { at, reason, actor, runId } : undefined
}

function describeRestore(known: Known, salienceThen: number, now: Date) {
  if ('departed_at' in known || !known.purge_at || known.purge_at <= now) return { possible: false }
  return {
    possible: true,
    until: known.purge_at.toISOString(),
    call: `POST /v1/records/${known.id}/restore`,
    salience: raiseToRestored(known, salienceThen),
  }
}

/** RFC 3339 ends with the year 9999. A later moment is shown as null. */
function formatInstant(at: Date | null): string | null {
  return at === null || at.getUTCFullYear() > 9_999 ? null : at.toISOString()
}
