import type { Database } from '../db/connection.ts'
import { type CallContext, type Transaction, transact } from '../db/transaction.ts'
import type { Caller, Sensitivity } from '../domain/caller.ts'
import { verdictHandle } from '../domain/handles.ts'
import type { Interpretation } from '../domain/interpretation.ts'
import type { Seal } from '../domain/tombstone-seal.ts'
import { listFaults } from '../http/validation/validation.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Ids } from '../kernel/ids.ts'
import type { Logger } from '../kernel/log.ts'
import type { Chat } from '../llm/chat.ts'
import type { PoliciesService } from '../policies/index.ts'
import { findReadableRecord, presentWritten } from '../records/index.ts'
import type { RevisionService } from '../revision/index.ts'
import type { Captured, NewCapture } from './capture.schemas.ts'
import { type Setting, settingOf } from './capture-context.ts'
import { classify, type Plan, type VerdictPlan } from './classification.ts'
import { createEpisodes } from './episode.service.ts'
import { createReading, keepPointed } from './interpretation.service.ts'
import { surveyCapture } from './known-records.service.ts'
import { createOutcomes } from './outcome.service.ts'
import { interpret } from './rule-interpretation.ts'
import { createTasks, findThread, noThread } from './task.service.ts'

type Resources = {
  db: Database
  clock: Clock
  ids: Ids
  seal: Seal
  textLanguage: string
  defaultSensitivity: Sensitivity
  revision: RevisionService
  policies: Pick<PoliciesService, 'getAll'>
  log: Logger
  /** Reads what is captured, up to this sensitivity. */
  chat?: Chat | undefined
  maxSensitivity: Sensitivity
}

export type CaptureService = ReturnType<typeof createCaptureService>

type Read = { given: NewCapture; plan: Plan; interpretation: Interpretation }

export function createCaptureService(resources: Resources) {
  const { db, clock, policies, defaultSensitivity } = resources
  const outcomes = createOutcomes(resources)
  const episodes = createEpisodes(resources)
  const tasks = createTasks(resources)
  const reading = createReading(resources)

  /** All that is done before the transaction: what it says is read, and who may say it is settled. */
  async function prepare(call: CallContext, given: NewCapture) {
    const now = clock.now()
    const plan = classify(given, { now, check: listFaults })
    const interpretation =
      plan.kind === 'outcome'
        ? interpret(given, plan)
        : await reading.read(settingOf(call.caller, given, { now, defaultSensitivity }), given, plan)
    const read = { given, plan, interpretation }
    return (joined: CallContext) => transact(db, joined, (tx) => store(tx, joined.caller, read))
  }

  /** Everything that comes of a capture, or nothing. */
  async function store(
    tx: Transaction,
    caller: Caller,
    { given, plan, interpretation: proposed }: Read,
  ): Promise<Captured> {
    if (plan.kind === 'outcome') return judge(tx, caller, given, plan)
    const told = settingOf(caller, given, { now: clock.now(), defaultSensitivity })
    const thread =
      plan.kind === 'working_state' ? await findThread(tx, caller, told, plan.payload.thread_id) : undefined
    const setting = thread?.stored ? { ...told, sensitivity: thread.stored.sensitivity } : told
    const fact = plan.kind === 'working_state' ? undefined : plan.fact
    const interpretation = await keepPointed(tx, setting, proposed)
    const survey = await surveyCapture(tx, setting, { ref: plan.ref, fact, interpretation })
    if (survey.repeated) return repeat(tx, setting, survey.repeated.id)
    const origin = { ...setting, given, policies: await policies.getAll(tx) }
    if (plan.kind !== 'working_state') return episodes.tell(tx, origin, { plan, interpretation, survey })
    return tasks.tell(tx, origin, {
      plan,
      interpretation,
      survey,
      thread: thread ?? noThread,
    })
  }

  /** A retry changes nothing, and is told what came of the first. */
  async function repeat(tx: Transaction, { caller, now }: Setting, id: string): Promise<Captured> {
    const primary = presentWritten(caller, await findReadableRecord(tx, caller, id), now)
    return { primary_record: primary, created_records: [], edges: [], deduplicated: true }
  }

  async function judge(
    tx: Transaction,
    caller: Caller,
    { source }: NewCapture,
    { ref, verdict }: VerdictPlan,
  ): Promise<Captured> {
    const { target_id: id, outcome, rationale = 'captured', kept } = verdict
    const name = ref === undefined ? undefined : verdictHandle(source, ref, id)
    const told = { outcome, actor: caller.name, rationale, kept, name }
    const { record, isRepeated } = await outcomes.judge({ caller, tx }, id, told)
    return { primary_record: record, created_records: [], edges: [], deduplicated: isRepeated }
  }

  return { prepare, chooseOutcome: outcomes.choose }
}
