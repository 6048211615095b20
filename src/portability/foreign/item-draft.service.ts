import { createMessageRecord } from '../../conversations/index.ts'
import { nameDefaultTopic } from '../../domain/identity/handles.ts'
import type { Policies } from '../../domain/lifecycle/lifecycle.ts'
import { maxDecaySeconds } from '../../domain/lifecycle/lifecycle.ts'
import { computePosition, type MessagePlace } from '../../domain/payloads/message-place.ts'
import type { SemanticPayload } from '../../domain/payloads/payloads.ts'
import { findValidityFaults, type Validity } from '../../domain/payloads/validity.ts'
import { type Caller, presentScope, type Sensitivity } from '../../domain/trust/caller.ts'
import { chooseLeastTrusted } from '../../domain/trust/write-trust.ts'
import { listStoringFaults } from '../../http/validation/validation.ts'
import { AppError, type Fault } from '../../kernel/errors.ts'
import { omitNulls } from '../../kernel/omit-nulls.ts'
import { truncate } from '../../kernel/truncated-text.ts'
import { findNewPayloadFaults, type NewRecord } from '../../records/index.ts'
import { draftNewRecord, draftWithHistory, type ImportedCopy } from '../import/drafting/imported-draft.ts'
import { ImportedRecord } from '../portability.schemas.ts'
import { computeFingerprint } from './identity.ts'
import type { Item, MessageItem, RecordItem } from './items.ts'

/** For whom, where and as what the items of a file are stored. */
export type Destination = {
  caller: Caller
  format: string
  scope: string
  sensitivity: Sensitivity
  idOf: (source: string) => string
}
type Source = NonNullable<NewRecord['provenance']>['sources'][number]
type Revision = NonNullable<SemanticPayload['revision']>
type Moment = { now: Date; policies: Policies }
type Described = {
  record: Omit<NewRecord, 'provenance'>
  createdAt: string | undefined
  ref: string
  at: string | undefined
  fingerprint: string
}

/** Drafts the record that an item becomes. Throws an AppError when it cannot be stored. */
export function draftItem(item: Item, destination: Destination, { now, policies }: Moment): ImportedCopy {
  const { caller, scope, sensitivity } = destination
  const id = destination.idOf(item.source)
  const { record, createdAt, ref, at, fingerprint } =
    'message' in item ? describeMessage(item, destination, now) : describeRecord(item, destination)
  const source = omitNulls<Source>({ kind: 'artifact', ref, hash: fingerprint, timestamp: at })
  const created = createdAt === undefined ? record : { ...record, created_at: createdAt }
  const line: unknown = {
    ...startClock(created, now, policies),
    ...presentScope(scope),
    id,
    sensitivity,
    source_type: chooseLeastTrusted('ingest', caller.sourceType),
    provenance: { sources: [source], created_by: caller.name },
  }
  // Texts that were joined can be longer than a line of an import may have them: an export could not be imported.
  const errors = [
    ...listStoringFaults(ImportedRecord, line),
    ...('message' in item ? findNewPayloadFaults(record.payload) : []),
  ]
  if (errors.length > 0) throw createItemError(item, errors)
  const given = line as ImportedRecord
  const context = { caller, now, policies, id, defaultSensitivity: sensitivity }
  const copy = isVersion(item) ? draftWithHistory(given, context) : draftNewRecord(given, context)
  return { ...copy, fingerprint }
}

/** The faults of a message name its place in the file. */
function createItemError(item: Item, faults: readonly Fault[]): AppError {
  const errors =
    'message' in item
      ? [...new Set(faults.map(({ message }) => message))].map((message) => ({
          pointer: item.place,
          message,
        }))
      : faults
  return new AppError('validation_failed', 'The item does not fit into a record.', { errors })
}

function isVersion(item: Item): boolean {
  return 'record' in item && (item.ended !== undefined || item.supersedes !== undefined)
}

function describeRecord(item: RecordItem, destination: Destination): Described {
  const { record, createdAt, source, links = [], ended, supersedes, happenedAt: at } = item
  const { format, idOf } = destination
  const ref = item.ref ?? `${format}:${source}`
  const relations = new Map(
    links.map(({ predicate, to }) => [
      `${predicate} ${idOf(to)}`,
      { predicate: truncate(predicate, maxPredicate), target_id: idOf(to) },
    ]),
  )
  const history = {
    ...(ended === undefined ? {} : { status: ended, salience: 0 }),
    ...(supersedes === undefined
      ? {}
      : { descent: [{ source_id: idOf(supersedes), kind: 'supersede', is_ground: false }] }),
  }
  const payload = completePayload(item, ref, destination)
  return {
    record: { ...record, ...history, payload, relations: [...relations.values()] } as NewRecord,
    createdAt,
    ref,
    at,
    fingerprint: computeFingerprint([record.type, record.payload, record.tags, createdAt, at, ended]),
  }
}

/** Adds to a fact its evidence, and to a version the versions before and after it. */
function completePayload(item: RecordItem, ref: string, { idOf, scope }: Destination) {
  const { record, happenedAt: at, ended, supersedes, supersededBy } = item
  if (record.payload.kind !== 'semantic') return record.payload
  const evidence = at === undefined ? [] : [{ source_type: 'event', source_id: ref, timestamp: at }]
  const revision = omitNulls<Revision>({
    supersedes: supersedes === undefined ? null : idOf(supersedes),
    superseded_by: supersededBy === undefined ? null : idOf(supersededBy),
    status: ended === undefined ? 'active' : 'retracted',
  })
  return {
    ...dropImpossibleTime(nameTopic(record.payload, scope)),
    evidence,
    ...(isVersion(item) ? { revision } : {}),
  }
}

const maxPredicate = 128

/** A text that is about nothing in particular has the topic of a remembered one, which a prompt does not write before it. */
function nameTopic<T extends { subject: string }>(payload: T, scope: string): T {
  return payload.subject === '' ? { ...payload, subject: nameDefaultTopic(scope) } : payload
}

/** A fact that ended before it began, which a create refuses, keeps its end: it is over all the same. */
function dropImpossibleTime<T extends { validity?: Validity }>(payload: T): T {
  const { validity } = payload
  if (!validity || findValidityFaults(validity, '').length === 0) return payload
  const { start: _, ...ended } = validity
  return { ...payload, validity: ended }
}

/** A message as an append of the conversation would store it, with the time that the file gives. */
function describeMessage(
  item: MessageItem,
  { caller, scope, sensitivity }: Destination,
  now: Date,
): Described {
  const { conversation, id, role, name, content } = item.message
  const at = item.at ?? now.toISOString()
  const position = computePosition(at, item.before)
  const place = omitNulls<MessagePlace>({ id: conversation, message_id: id, position, at, role, name })
  const context = { caller, now, conversation, scope, sensitivity }
  return {
    record: createMessageRecord({ text: content, calls: [] }, place, {}, context),
    createdAt: item.at,
    ref: `conversation:${conversation}#${id}`,
    at,
    fingerprint: computeFingerprint([role, name, content]),
  }
}

/** A maximum age counts from the creation, which may lie years back. So it is extended by the age at the import. */
function startClock<T extends Described['record']>(record: T, now: Date, policies: Policies): T {
  const { max_age_seconds: most } = policies[record.type].decay
  if (most === 0 || record.created_at === undefined) return record
  const age = Math.max(0, Math.ceil((now.getTime() - Date.parse(record.created_at)) / 1_000))
  const decay = { max_age_seconds: Math.min(maxDecaySeconds, most + age), ...record.lifecycle?.decay }
  return { ...record, lifecycle: { ...record.lifecycle, decay } }
}
