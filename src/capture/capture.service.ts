import type { Guard } from '../db/shared-transactions.ts'
import { type CallContext, type Transaction, transact } from '../db/transaction.ts'
import { createVerdictHandle } from '../domain/identity/handles.ts'
import type { Interpretation } from '../domain/interpretation.ts'
import type { Caller, Sensitivity } from '../domain/trust/caller.ts'
import { listFaults } from '../http/validation/validation.ts'
import type { Logger } from '../kernel/log.ts'
import type { Chat } from '../llm/chat.ts'
import { type CreationResources, findReadableRecord, presentWritten } from '../records/index.ts'
import type { RevisionService } from '../revision/index.ts'
import type { Captured, NewCapture } from './capture.schemas.ts'
import { type CaptureContext, createCaptureContext } from './capture-context.ts'
import { createEpisodeWriter } from './episode.service.ts'
import { createInterpreter, dropVanishedReferences } from './interpretation/interpretation.service.ts'
import { findKnownRecords } from './known-records.service.ts'
import { createOutcomeService } from './outcome.service.ts'
import { type EpisodePlan, type OutcomePlan, planCapture, type TaskPlan } from './planning/capture-plan.ts'
import { createSharedCaptures, mayShareTransaction } from './sharing/shared-captures.service.ts'
import { createTaskWriter } from './tasks/task.service.ts'
import { findThread, noThread } from './tasks/task-thread.service.ts'

type Resources = CreationResources & {
  revision: RevisionService
  log: Logger
  /** The chat model that interprets captures up to `maxSensitivity`. */
  chat?: Chat | undefined
  maxSensitivity: Sensitivity
}

export type CaptureService = ReturnType<typeof createCaptureService>

type PreparedCapture = { plan: EpisodePlan | TaskPlan; interpretation: Interpretation }

export function createCaptureService(resources: Resources) {
  const { db, clock, policies, defaultSensitivity, chat } = resources
  const outcomes = createOutcomeService(resources)
  const episodes = createEpisodeWriter(resources)
  const tasks = createTaskWriter(resources)
  const interpreter = createInterpreter(resources)
  const storeWithOthers = createSharedCaptures({
    db,
    clock,
    episodes,
    policies,
    storeAlone: ({ context, ...prepared }, tx) =>
      transact(db, { ...context, readsFirst: true, ...(tx ? { tx } : {}) }, (tx) =>
        store(tx, context, prepared),
      ),
  })

  /**
   * Validates and interprets the input before the transaction, because a chat model may take seconds. Returns how the
   * capture is stored: with those of other requests, or in a transaction of its own.
   */
  async function prepare(call: CallContext, input: NewCapture) {
    const now = clock.now()
    const plan = planCapture(input, { now, check: listFaults })
    if (plan.kind === 'outcome') {
      return {
        store: (joined: CallContext) =>
          transact(db, joined, (tx) => recordOutcome(tx, joined.caller, input, plan)),
      }
    }
    const context = createCaptureContext(call.caller, input, { now, defaultSensitivity })
    const interpretation = await interpreter.interpret(context, plan)
    if (plan.kind !== 'working_state') {
      const episode = { context, plan, interpretation }
      if (mayShareTransaction(episode))
        return { share: (guard?: Guard<Captured>) => storeWithOthers(episode, guard) }
    }
    return {
      store: (joined: CallContext) =>
        transact(db, { ...joined, readsFirst: true }, (tx) => store(tx, context, { plan, interpretation })),
    }
  }

  /** Stores all records of a capture, or none. */
  async function store(
    tx: Transaction,
    prepared: CaptureContext,
    { plan, interpretation: proposed }: PreparedCapture,
  ): Promise<Captured> {
    // A model may have taken seconds since `prepare`, and the transaction may be a retry.
    const requested = { ...prepared, now: clock.now() }
    const thread =
      plan.kind === 'working_state' ? await findThread(tx, requested, plan.payload.thread_id) : undefined
    const context = thread?.stored ? { ...requested, sensitivity: thread.stored.sensitivity } : requested
    const fact = plan.kind === 'working_state' ? undefined : plan.fact
    const interpretation = await dropVanishedReferences(tx, context, proposed)
    const { mentions } = interpretation
    const known = await findKnownRecords(tx, context, { ref: plan.ref, fact, mentions })
    if (known.earlierCapture) return answerRepeated(tx, context, known.earlierCapture.id)
    const writeContext = { ...context, interpretation, known, policies: await policies.getAll(tx) }
    if (plan.kind !== 'working_state') return episodes.store(tx, writeContext, plan)
    return tasks.store(tx, writeContext, plan, thread ?? noThread)
  }

  /** A retry changes nothing and gets the primary record of the first capture. */
  async function answerRepeated(
    tx: Transaction,
    { caller, now }: CaptureContext,
    id: string,
  ): Promise<Captured> {
    const primary = presentWritten(caller, await findReadableRecord(tx, caller, id), now)
    return { primary_record: primary, created_records: [], edges: [], deduplicated: true }
  }

  async function recordOutcome(
    tx: Transaction,
    caller: Caller,
    { source }: NewCapture,
    { ref, report }: OutcomePlan,
  ): Promise<Captured> {
    const { target_id: id, outcome, rationale = 'captured', kept } = report
    const reference = ref === undefined ? undefined : createVerdictHandle(source, ref, id)
    const outcomeInput = {
      outcome,
      actor: caller.name,
      rationale,
      reference,
      ...(Object.keys(kept).length === 0 ? {} : { kept }),
    }
    const { record, isRepeated } = await outcomes.recordOutcome({ caller, tx }, id, outcomeInput)
    return { primary_record: record, created_records: [], edges: [], deduplicated: isRepeated }
  }

  return { prepare, asksModel: chat !== undefined, setOutcome: outcomes.setOutcome }
}
