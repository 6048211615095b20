import type { Database } from '../../db/connection.ts'
import type { Transaction } from '../../db/transaction.ts'
import { createReferenceHandle, createThreadHandle, nameHandle } from '../../domain/identity/handles.ts'
import type { Interpretation } from '../../domain/interpretation.ts'
import { clip, outline } from '../../domain/secrets/outline.ts'
import { getRank, type Sensitivity } from '../../domain/trust/caller.ts'
import { listPhrases } from '../../domain/words/phrases.ts'
import { lockActiveEntities } from '../../entities/index.ts'
import { listFaults } from '../../http/validation/validation.ts'
import type { Logger } from '../../kernel/log.ts'
import type { Chat } from '../../llm/chat.ts'
import { ModelFailure } from '../../llm/model-failure.ts'
import {
  findHandleOwners,
  findNamedEntities,
  findReadableIds,
  findReferencedSummaries,
} from '../capture.queries.ts'
import { type CaptureContext, createReaderFilter } from '../capture-context.ts'
import type { EpisodePlan, TaskPlan } from '../planning/capture-plan.ts'
import { buildPrompt, type Candidates } from './capture-prompt.ts'
import { dropMissingIds, listResolvedIds } from './interpretation-targets.ts'
import { ModelAnswer, mergeModelAnswer } from './model-answer.ts'
import { parseRecordId } from './names-in-content.ts'
import { interpretByRule } from './rule-interpretation.ts'

type Resources = {
  db: Database
  log: Logger
  /** Without a chat model only the rules interpret. */
  chat?: Chat | undefined
  /** Neither evidence nor known records above this sensitivity are sent to the model. */
  maxSensitivity: Sensitivity
}
type InterpretablePlan = EpisodePlan | TaskPlan
/** An episode that is ready to be stored. */
export type InterpretedEpisode = {
  context: CaptureContext
  plan: EpisodePlan
  interpretation: Interpretation
}

/** How much of the text is searched for names, in characters. */
const maxScannedLength = 4_000
const maxPhrases = 600
const maxNamedEntities = 200
const maxWordsLength = 300

/** Payload fields that say how something is known, not what it is about. */
const omittedFields = ['kind', 'evidence', 'validity', 'revision', 'revision_policy']

/** Returns the interpreter of evidence: by rules, and with a chat model if one is configured. */
export function createInterpreter({ db, log, chat, maxSensitivity }: Resources) {
  /**
   * Runs outside of any transaction: a model may take seconds, and an open transaction would hold a connection and
   * its locks.
   */
  async function interpret(context: CaptureContext, plan: InterpretablePlan): Promise<Interpretation> {
    const { input } = context
    const rule = interpretByRule(input, plan)
    if (!chat || !(await mayAskModel(context, plan))) return rule
    const candidates = await findCandidates(context, plan, rule)
    try {
      const { value } = await chat.ask({
        ...buildPrompt(input, candidates),
        schema: ModelAnswer,
        name: 'interpretation',
      })
      return mergeModelAnswer(readAnswer(value), { input, rule, candidates })
    } catch (error) {
      log.warn('the model did not answer; the capture was interpreted by rules', describeError(error))
      return rule
    }
  }

  /** A repeated capture is not interpreted again. A task is as sensitive as all of its earlier reports. */
  async function mayAskModel(context: CaptureContext, plan: InterpretablePlan): Promise<boolean> {
    const { caller, scope, source, sensitivity } = context
    if (isAbove(sensitivity)) return false
    const reference = plan.ref === undefined ? [] : [createReferenceHandle(source, plan.ref, sensitivity)]
    const thread = plan.kind === 'working_state' ? [createThreadHandle(plan.payload.thread_id)] : []
    if (reference.length + thread.length === 0) return true
    const digests = [...reference, ...thread].map(({ digest }) => digest)
    const owners = await findHandleOwners(db, digests, { trust: caller.trust, scope })
    return !owners.some(
      (each) => isAbove(each.sensitivity) || reference.some(({ digest }) => digest.equals(each.digest)),
    )
  }

  function isAbove(sensitivity: Sensitivity): boolean {
    return getRank(sensitivity) > getRank(maxSensitivity)
  }

  /**
   * Returns entities and records that every reader of the capture may see, so none of them is more sensitive than the
   * capture.
   */
  async function findCandidates(
    context: CaptureContext,
    plan: InterpretablePlan,
    rule: Interpretation,
  ): Promise<Candidates> {
    const readers = createReaderFilter(context)
    const mentioned = rule.mentions.map(({ surface }) => nameHandle(surface).digest)
    const text = `${clip(plan.summary, maxScannedLength)}\n${outline(context.input.content, maxScannedLength)}`
    const phrases = listPhrases(text, maxPhrases).map((phrase) => nameHandle(phrase).digest)
    const named = await findNamedEntities(db, [...mentioned, ...phrases], readers, maxNamedEntities)
    const isMentioned = (digest: Buffer) => mentioned.some((each) => each.equals(digest))
    // Names under a key of their own come first, because not all candidates may fit into the prompt.
    const ranked = [
      ...named.filter(({ digest }) => isMentioned(digest)),
      ...named.filter(({ digest }) => !isMentioned(digest)),
    ]
    const ids = rule.reference_candidates.flatMap(({ ref }) => parseRecordId(ref) ?? [])
    const referenced = ids.length === 0 ? [] : await findReferencedSummaries(db, ids, readers)
    return {
      entities: [...new Map(ranked.map(({ id, name, kind }) => [id, { id, name, kind }])).values()],
      records: referenced.map(({ id, summary, payload }) => ({
        id,
        summary: summary ?? outline(payload, maxWordsLength, omittedFields),
      })),
    }
  }

  return { interpret }
}

function readAnswer(value: unknown): ModelAnswer {
  if (listFaults(ModelAnswer, value).length > 0) throw new ModelFailure('invalid_answer')
  return value as ModelAnswer
}

/** Never uses the message of the error, because it may quote the evidence. */
function describeError(error: unknown): { reason: string; status?: number } {
  if (!(error instanceof ModelFailure)) return { reason: error instanceof Error ? error.name : typeof error }
  return { reason: error.reason, ...(error.status === undefined ? {} : { status: error.status }) }
}

/**
 * Removes references to records that were deleted while the model answered. The remaining entities stay locked until
 * the transaction ends.
 */
export async function dropVanishedReferences(
  tx: Transaction,
  context: CaptureContext,
  interpretation: Interpretation,
): Promise<Interpretation> {
  const { entities, records } = listResolvedIds(interpretation)
  if (entities.length + records.length === 0) return interpretation
  const lockedEntities = entities.length === 0 ? new Set<string>() : await lockActiveEntities(tx, entities)
  const readable = await findReadableIds(tx, [...entities, ...records], createReaderFilter(context))
  const existing = entities.filter((id) => lockedEntities.has(id) && readable.has(id))
  return dropMissingIds(interpretation, { entities: new Set(existing), records: readable })
}
