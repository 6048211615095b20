import type { Database } from '../db/connection.ts'
import { RecordType } from '../domain/schemas/vocabulary.ts'
import type { Sensitivity } from '../domain/trust/caller.ts'
import type { JobWork, Run, RunContext } from '../jobs/runs/runs.ts'
import { nilUuid } from '../kernel/ids.ts'
import { parseDuration, subtractMilliseconds } from '../kernel/units.ts'
import type { PolicyChoice } from '../policies/index.ts'
import { simulateBudgets } from './budget-simulation.service.ts'
import type { Limits } from './simulated-budgets.ts'
import { findPruning, type Setting, type Window } from './simulated-life.ts'
import { createEmptyPoint } from './simulated-points.ts'
import {
  countSimulated,
  findProgress,
  type LifeRow,
  type Progress,
  readLives,
  type Selection,
  saveProgress,
} from './simulation.queries.ts'
import type { NewSimulation, SimulatedPoint } from './simulation.schemas.ts'

/** The options of a run: the request, and the ceiling of the key that made it. */
type SimulationOptions = Omit<NewSimulation, 'scope'> & { max_sensitivity: Sensitivity }

type Resources = { db: Database; size?: number }

/** Read in about a tenth of a second, so that a cancelled run ends soon. */
const defaultSize = 2_000

/** The job `simulation`: plays recorded lives again under other lifecycles, and changes nothing but its own run. */
export function createSimulation({ db, size = defaultSize }: Resources): JobWork {
  async function run(context: RunContext): Promise<void> {
    const { id } = context.run
    const simulation = readSimulation(context.run)
    await context.setTotal(await countSimulated(db, simulation.selection))
    if (simulation.limits) return simulateBudgets(context, { ...simulation, limits: simulation.limits, size })
    const start = {
      position: nilUuid,
      curve: simulation.settings.map(({ value }) => createEmptyPoint(value)),
    }
    let progress: Progress | undefined = (await findProgress(db, id)) ?? start
    await context.inBatch(async (tx) => {
      await saveProgress(tx, id, progress ?? start)
      return { counts: {} }
    })
    while (progress) {
      const { position, curve }: Progress = progress
      const batch: { next: Progress | undefined } = await context.inBatch(async (tx) => {
        const lives = await readLives(tx, { ...simulation.selection, after: position, limit: size })
        const next = {
          position: lives.at(-1)?.id ?? position,
          curve: curve.map((point, place) =>
            addLives(point, lives, simulation.settings[place], simulation.selection),
          ),
        }
        await saveProgress(tx, id, next)
        return { done: lives.length, next: lives.length < size ? undefined : next }
      })
      progress = batch.next
    }
  }

  return { run }
}

type SettingOf = { value: number | null; of(type: RecordType): Setting }
type Simulation = { selection: Selection; settings: SettingOf[]; limits?: Limits }

/** The request was checked when the run was created. */
function readSimulation({ options, scope, startedAt: until }: Run): Simulation {
  const { over, half_life, budget, policies = {}, max_sensitivity } = options as unknown as SimulationOptions
  const window = { from: subtractMilliseconds(until, parseDuration(over) ?? 0), until }
  const trust = { maxSensitivity: max_sensitivity, scopes: null }
  if (budget) {
    const { max_records: records, max_bytes: bytes = [] } = budget
    const limits = { values: records ?? bytes, hasBytes: records === undefined }
    return { selection: { ...window, trust, scope, types: RecordType.enum }, settings: [], limits }
  }
  if (half_life) {
    const settings = half_life.seconds.map((value) => ({ value, of: () => ({ half_life_seconds: value }) }))
    return { selection: { ...window, trust, scope, types: [half_life.type] }, settings }
  }
  const chosen: Partial<Record<RecordType, PolicyChoice>> = policies
  const types = RecordType.enum.filter((type) => chosen[type] !== undefined)
  const settings = [{ value: null, of: (type: RecordType) => toSetting(chosen[type]) }]
  return { selection: { ...window, trust, scope, types }, settings }
}

function toSetting(policy: PolicyChoice | undefined): Setting {
  return policy ? { ...policy.decay, deletion_policy: policy.deletion_policy } : {}
}

function addLives(
  point: SimulatedPoint,
  lives: readonly LifeRow[],
  setting: SettingOf | undefined,
  window: Window,
): SimulatedPoint {
  const sum = { ...point }
  for (const life of lives) {
    const forgottenAt = findPruning(life, setting?.of(life.type) ?? {}, window)
    if (!forgottenAt) continue
    sum.forgotten += 1
    sum.bytes_saved += life.bytes
    if (life.last_requested_at && life.last_requested_at > forgottenAt) sum.regretted += 1
  }
  return sum
}
