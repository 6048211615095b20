import type { Transaction } from '../../db/transaction.ts'
import { maskText } from '../../domain/secrets/masking.ts'
import { fullTrust, type Sensitivity } from '../../domain/trust/caller.ts'
import { attemptBatch } from '../../jobs/runs/attempt.ts'
import { findRunFigures } from '../../jobs/runs/run-figures.queries.ts'
import type { BatchResult } from '../../jobs/runs/runs.ts'
import { rescore } from '../../lifecycle/index.ts'
import { findRecords, lockRecords, type StoredRecord, writeChange } from '../../records/index.ts'
import type { ModelReply, ModelSession } from '../model-question.ts'
import { isConclusive } from '../question-loop.service.ts'
import type { DreamContext, Step } from '../steps.ts'
import { buildQuestion, importanceFactor, isDoubted, type Judgement, maxRelated } from './belief-prompt.ts'
import { findBelief, findRelatedRecords, listDue, upsertProbe } from './probing.queries.ts'

type Resources = { textLanguage: string }
/** The input of the model: the newer records, and the document with the belief. */
type Shown = { ids: readonly string[]; version: number; document: string | undefined }
type ProbeResult = { id: string; ceiling: Sensitivity; shown: Shown; reply: ModelReply<Judgement> }

/** Per run. */
const maxProbed = 5
const step = 'probe'
const actor = 'dream/probe'

/**
 * Returns the step that asks a model about a few old beliefs. A model can only challenge a belief; a client decides
 * about it.
 */
export function createProbingStep({ textLanguage }: Resources): Step {
  async function run(context: DreamContext): Promise<void> {
    const { db, model, run } = context
    if (!model) return
    const now = run.startedAt
    const ceiling = model.maxSensitivity
    const { beliefs_probed: probed = 0 } = await findRunFigures(db, run.id)
    const limit = maxProbed - probed
    if (limit <= 0) return
    for (const id of await listDue(db, { scope: run.scope, now, ceiling, limit })) {
      await probe(context, model, id)
      if (!model.canAsk()) return
    }
  }

  async function probe(context: DreamContext, model: ModelSession, id: string): Promise<void> {
    const now = context.run.startedAt
    const ceiling = model.maxSensitivity
    const { db } = context
    const belief = await findBelief(db, { id, now, ceiling })
    if (!belief) return
    const related = await findRelatedRecords(db, id, { limit: maxRelated })
    const question = buildQuestion(belief, related, now)
    // A belief without readable content is marked as probed, or it would be first again every night.
    const reply: ModelReply<Judgement> = question ? await model.ask(question) : { refused: 'invalid' }
    const shown = {
      ids: related.map((each) => each.id),
      version: belief.version,
      document: JSON.stringify(question?.document),
    }
    const result = { id, ceiling, shown, reply }
    if (isConclusive(reply))
      await attemptBatch(context, { part: step, recordId: id }, (tx) => storeReply(tx, context, result))
  }

  /**
   * Uses the current state: a belief that a client changed or pinned while the model answered is left alone. So is one whose
   * newer records changed: the reason may quote a record that is erased now, or that not every reader of the belief may read.
   */
  async function storeReply(
    tx: Transaction,
    { run }: DreamContext,
    { id, ceiling, shown, reply }: ProbeResult,
  ): Promise<BatchResult> {
    const now = run.startedAt
    await lockRecords(tx, [id, ...shown.ids])
    const belief = await findBelief(tx, { id, now, ceiling })
    const related = await findRelatedRecords(tx, id, { limit: maxRelated, onlyIds: shown.ids })
    const document = belief && JSON.stringify(buildQuestion(belief, related, now)?.document)
    if (belief?.version !== shown.version || document !== shown.document)
      return { counts: { beliefs_outdated: 1 } }
    await upsertProbe(tx, id, now)
    const counts = { beliefs_probed: 1 }
    if (!('answer' in reply)) return { counts: { ...counts, beliefs_unjudged: 1 } }
    if (!isDoubted(reply.answer)) return { counts }
    const [stored] = await findRecords(tx, [id], fullTrust, 1)
    if (!stored) return { counts }
    const changes = [await challenge(tx, stored, reply.answer, run)]
    return { counts: { ...counts, beliefs_challenged: 1 }, changes }
  }

  async function challenge(
    tx: Transaction,
    stored: StoredRecord,
    { reason }: Judgement,
    { id: runId, startedAt: now }: DreamContext['run'],
  ) {
    const { id, base_importance: before } = stored
    const after = before * importanceFactor
    const reasonSuffix = reason === undefined ? '' : `: ${maskText(reason)}`
    await writeChange(tx, stored, {
      action: 'status',
      actor,
      rationale: `doubted by a model${reasonSuffix}`,
      now,
      runId,
      textLanguage,
      status: { to: 'challenged', step },
      record: { base_importance: after },
      changes: { base_importance: [before, after] },
    })
    await rescore(tx, { ids: [id], now, runId })
    return {
      record_id: id,
      action: 'probe_challenge',
      before: { status: stored.status, base_importance: before },
      after: { status: 'challenged', base_importance: after },
    }
  }

  return {
    name: step,
    figures: ['beliefs_probed', 'beliefs_challenged', 'beliefs_unjudged', 'beliefs_outdated'],
    run,
  }
}
