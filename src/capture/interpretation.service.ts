import type { Database } from '../db/connection.ts'
import type { Transaction } from '../db/transaction.ts'
import { rankOf, type Sensitivity } from '../domain/caller.ts'
import { nameHandle, referenceHandle, threadHandle } from '../domain/handles.ts'
import type { Interpretation } from '../domain/interpretation.ts'
import { clip, outline } from '../domain/outline.ts'
import { listPhrases } from '../domain/phrases.ts'
import { lockActiveEntities } from '../entities/index.ts'
import { listFaults } from '../http/validation/validation.ts'
import type { Logger } from '../kernel/log.ts'
import type { Chat } from '../llm/chat.ts'
import { ModelFailure } from '../llm/model-failure.ts'
import { findBorne, findNamedEntities, findReferenced, findReferencedWords } from './capture.queries.ts'
import type { NewCapture } from './capture.schemas.ts'
import type { Setting } from './capture-context.ts'
import { type Candidates, promptFor } from './capture-prompt.ts'
import type { EpisodePlan, TaskPlan } from './classification.ts'
import { amongOf } from './known-records.service.ts'
import { recordIdIn } from './mentions.ts'
import { adopt, ModelAnswer } from './model-answer.ts'
import { dropLost, listPointed } from './model-references.ts'
import { interpret } from './rule-interpretation.ts'

type Resources = {
  db: Database
  log: Logger
  /** Without one the rule reads alone. */
  chat?: Chat | undefined
  /** Nothing more sensitive is sent to the model, neither the evidence nor what is known of it. */
  maxSensitivity: Sensitivity
}
type ReadPlan = EpisodePlan | TaskPlan

/** Of the text that names are looked for in; characters. */
const longestRead = 4_000
const mostPhrases = 600
const mostNamed = 200
const longestWords = 300

/** Of a payload, what says how it is known and not what it is about. */
const unsaid = ['kind', 'evidence', 'validity', 'revision', 'revision_policy']

/** What evidence is about: by rule, and where one is configured by a chat model too. */
export function createReading({ db, log, chat, maxSensitivity }: Resources) {
  /** Outside of any transaction: the model may take its time, and what is held meanwhile is missing elsewhere. */
  async function read(setting: Setting, given: NewCapture, plan: ReadPlan): Promise<Interpretation> {
    const rule = interpret(given, plan)
    if (!chat || !(await isForModel(setting, plan))) return rule
    const candidates = await findCandidates(setting, given, plan, rule)
    try {
      const { value } = await chat.ask({
        ...promptFor(given, candidates),
        ...{ schema: ModelAnswer, name: 'interpretation' },
      })
      return adopt(readAnswer(value), { given, rule, candidates })
    } catch (error) {
      log.warn('a capture was read by rule, for the model gave no answer', describe(error))
      return rule
    }
  }

  /** What is known already is not read again; and a task is as sensitive as all that was told of it before. */
  async function isForModel(setting: Setting, plan: ReadPlan): Promise<boolean> {
    const { caller, scope, source, sensitivity } = setting
    if (isAbove(sensitivity)) return false
    const reference = plan.ref === undefined ? [] : [referenceHandle(source, plan.ref, sensitivity)]
    const thread = plan.kind === 'working_state' ? [threadHandle(plan.payload.thread_id)] : []
    if (reference.length + thread.length === 0) return true
    const digests = [...reference, ...thread].map(({ digest }) => digest)
    const borne = await findBorne(db, digests, { trust: caller.trust, scope })
    return !borne.some(
      (each) => isAbove(each.sensitivity) || reference.some(({ digest }) => digest.equals(each.digest)),
    )
  }

  function isAbove(sensitivity: Sensitivity): boolean {
    return rankOf(sensitivity) > rankOf(maxSensitivity)
  }

  /** What the readers of the capture may see, and so nothing more sensitive than the capture itself. */
  async function findCandidates(
    setting: Setting,
    given: NewCapture,
    plan: ReadPlan,
    rule: Interpretation,
  ): Promise<Candidates> {
    const among = amongOf(setting)
    const mentioned = rule.mentions.map(({ surface }) => nameHandle(surface).digest)
    const text = `${clip(plan.summary, longestRead)}\n${outline(given.content, longestRead)}`
    const phrases = listPhrases(text, mostPhrases).map((phrase) => nameHandle(phrase).digest)
    const named = await findNamedEntities(db, [...mentioned, ...phrases], among, mostNamed)
    const isMentioned = (digest: Buffer) => mentioned.some((each) => each.equals(digest))
    // Those of a key of their own first: of the others there may be more than are shown.
    const ranked = [
      ...named.filter(({ digest }) => isMentioned(digest)),
      ...named.filter(({ digest }) => !isMentioned(digest)),
    ]
    const ids = rule.reference_candidates.flatMap(({ ref }) => recordIdIn(ref) ?? [])
    const referenced = ids.length === 0 ? [] : await findReferencedWords(db, ids, among)
    return {
      entities: [...new Map(ranked.map(({ id, name, kind }) => [id, { id, name, kind }])).values()],
      records: referenced.map(({ id, summary, payload }) => ({
        id,
        summary: summary ?? outline(payload, longestWords, unsaid),
      })),
    }
  }

  return { read }
}

function readAnswer(value: unknown): ModelAnswer {
  if (listFaults(ModelAnswer, value).length > 0) throw new ModelFailure('invalid_answer')
  return value as ModelAnswer
}

/** Never in the words of the error, which may be those of the evidence. */
function describe(error: unknown): { reason: string; status?: number } {
  if (!(error instanceof ModelFailure)) return { reason: error instanceof Error ? error.name : typeof error }
  return { reason: error.reason, ...(error.status === undefined ? {} : { status: error.status }) }
}

/** What a model meant may have gone while it thought. What is left of the entities stays until this is over. */
export async function keepPointed(
  tx: Transaction,
  setting: Setting,
  interpretation: Interpretation,
): Promise<Interpretation> {
  const { entities, records } = listPointed(interpretation)
  if (entities.length + records.length === 0) return interpretation
  const kept = entities.length === 0 ? new Set<string>() : await lockActiveEntities(tx, entities)
  const seen = await findReferenced(tx, [...entities, ...records], amongOf(setting))
  const standing = entities.filter((id) => kept.has(id) && seen.has(id))
  return dropLost(interpretation, { entities: new Set(standing), records: seen })
}
