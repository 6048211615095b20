import { type CallContext, type Transaction, transact } from '../../db/transaction.ts'
import { nameDefaultTopic, nameHandle } from '../../domain/identity/handles.ts'
import type { SemanticPayload } from '../../domain/payloads/payloads.ts'
import { nameActor } from '../../domain/trust/caller.ts'
import { normaliseName } from '../../domain/words/names.ts'
import { listPhrases } from '../../domain/words/phrases.ts'
import { resolveMentions } from '../../entities/index.ts'
import { createFaultError } from '../../kernel/errors.ts'
import {
  type CreationResources,
  createErasedContentError,
  insertRecords,
  presentCreated,
  presentWritten,
  type StoredRecord,
  type WrittenRecord,
} from '../../records/index.ts'
import { findNamedEntities } from '../capture.queries.ts'
import { type CaptureContext, createCaptureContext, createReaderFilter } from '../capture-context.ts'
import { confirmStoredFact } from '../facts/fact-confirmation.service.ts'
import type { Mention } from '../interpretation/mention-list.ts'
import { findKnownRecords, type KnownRecords } from '../known-records.service.ts'
import {
  buildNotePayload,
  buildNoteSource,
  draftNote,
  formatSource,
  type NamedEntity,
  type NoteTopic,
} from './note-draft.ts'
import type { TextNote } from './notes.schemas.ts'

/** `confirmed`: another key had said the same. `unchanged`: this key had said the same. */
export type Remembered = { record: WrittenRecord; outcome: 'created' | 'confirmed' | 'unchanged' }

export type NotesService = ReturnType<typeof createNotesService>

/** Names are looked for at the start of a text: a long document is about what it names there. */
const maxPhrases = 600
const maxEntities = 20

export function createNotesService(resources: CreationResources) {
  const { db, clock, ids, seal, textLanguage, defaultSensitivity, policies } = resources

  /** Stores a text in plain words, once for each scope and sensitivity. */
  async function remember(call: CallContext, note: TextNote): Promise<Remembered> {
    return transact(db, call, async (tx) => {
      const now = clock.now()
      requirePast(note.occurred_at, now)
      const context = createContext(call, note, now)
      const mentions = await findMentions(tx, context, note)
      const proposed = buildNotePayload(context, note, note.about ?? note.text)
      const known = await findKnownRecords(tx, context, { fact: proposed, mentions })
      const { existingFact } = known
      if (existingFact) return repeat(tx, context, existingFact, proposed)
      const topic = chooseTopic(context, note, mentions, known)
      return insert(tx, context, note, { topic, known })
    })
  }

  async function insert(
    tx: Transaction,
    context: CaptureContext,
    note: TextNote,
    { topic, known: { factOutcome } }: { topic: NoteTopic; known: KnownRecords },
  ): Promise<Remembered> {
    const draft = draftNote({ ...context, policies: await policies.getAll(tx) }, note, {
      id: ids.next(),
      payload: buildNotePayload(context, note, topic.subject),
      topic,
      relatedFact: factOutcome?.outcome === 'created' ? factOutcome.relatedFact : undefined,
      isWithdrawn: factOutcome?.outcome === 'challenged',
    })
    const stored = await insertRecords(tx, [draft], { textLanguage, seal })
    if (!stored.ids.has(draft.row.id)) throw createErasedContentError()
    const record = presentCreated(context.caller, draft, draft.edges, context.now)
    return { record, outcome: 'created' }
  }

  async function repeat(
    tx: Transaction,
    context: CaptureContext,
    existing: StoredRecord,
    proposed: SemanticPayload,
  ): Promise<Remembered> {
    const { caller, now } = context
    if (isSaidBy(existing, formatSource(caller)))
      return { record: presentWritten(caller, existing, now), outcome: 'unchanged' }
    const reason = { actor: nameActor(caller), rationale: 'remembered', now, textLanguage }
    const confirmation = { evidence: proposed.evidence, source: buildNoteSource(context, proposed) }
    const confirmed = await confirmStoredFact(tx, existing, confirmation, reason)
    return { record: presentWritten(caller, confirmed, now), outcome: 'confirmed' }
  }

  /** The known entities that a text names, as `remember` would link them to a note of this scope and sensitivity. */
  async function findEntities(call: CallContext, note: TextNote): Promise<readonly NamedEntity[]> {
    return transact(db, call, async (tx) => {
      const context = createContext(call, note, clock.now())
      const mentions = await findMentions(tx, context, note)
      const known = await findKnownRecords(tx, context, { mentions })
      return chooseTopic(context, note, mentions, known).entities
    })
  }

  function createContext({ caller }: CallContext, note: TextNote, now: Date): CaptureContext {
    return createCaptureContext(caller, toCapture(caller.name, note), { now, defaultSensitivity })
  }

  return { remember, findEntities }
}

function isSaidBy({ payload }: StoredRecord, source: string): boolean {
  return payload.kind === 'semantic' && payload.evidence.some((each) => each.source_id === source)
}

export function requirePast(time: string | undefined, now: Date): void {
  if (time === undefined || new Date(time) <= now) return
  throw createFaultError('The body does not match the schema.', {
    pointer: '/occurred_at',
    message: 'must not be in the future',
  })
}

function toCapture(source: string, { text, about: _, tags: _1, occurred_at: timestamp, ...rest }: TextNote) {
  return { source, content: text, ...rest, ...(timestamp === undefined ? {} : { timestamp }) }
}

/** The names in the note that entities have: what it is about first, then in the order of the text. */
async function findMentions(tx: Transaction, context: CaptureContext, note: TextNote): Promise<Mention[]> {
  const phrases = [...(note.about === undefined ? [] : [note.about]), ...listPhrases(note.text, maxPhrases)]
  const digests = phrases.map((phrase) => nameHandle(phrase).digest)
  const found = await findNamedEntities(tx, digests, createReaderFilter(context), maxEntities)
  const kinds = new Map(found.map(({ digest, kind }) => [digest.toString('hex'), kind]))
  return phrases.flatMap((surface, index): Mention[] => {
    const kind = kinds.get(digests[index]?.toString('hex') ?? '')
    return kind === undefined ? [] : [{ surface, entity_kind: kind, confidence: 1, aliases: [] }]
  })
}

/** An entity that a reader of the note may not see was not looked up. */
function chooseTopic(
  { scope }: CaptureContext,
  { about }: TextNote,
  mentions: readonly Mention[],
  { handles }: KnownRecords,
): NoteTopic {
  const resolved = resolveMentions(mentions, handles.mentions, scope)
  const found = resolved.flatMap((each, index) => {
    const surface = mentions[index]?.surface ?? ''
    return 'id' in each
      ? [{ id: each.id, surface, name: findName(each.id, handles.mentions[index]) ?? surface }]
      : []
  })
  const entities = [...new Map(found.map((each) => [each.id, each])).values()]
  const first = found[0]
  const isSubjectKnown =
    first !== undefined && (about === undefined || normaliseName(first.surface) === normaliseName(about))
  const name = about ?? first?.name
  return { subject: name ?? nameDefaultTopic(scope), isSubjectKnown, entities }
}

function findName(id: string, match: KnownRecords['handles']['mentions'][number]): string | undefined {
  const payload = match?.known.find((each) => each.id === id)?.payload
  return payload?.kind === 'entity' ? payload.canonical_name : undefined
}
