import { notePredicate } from '../../domain/identity/handles.ts'
import type { Validity } from '../../domain/payloads/validity.ts'
import { omitNulls } from '../../kernel/omit-nulls.ts'
import type { RecordItem } from './items.ts'

/** The records that items of several formats become. */

type Payload = RecordItem['record']['payload']

export type Window = { start?: string | undefined; end?: string | undefined }

/** One text about a subject. If that is empty, the text has the topic of a remembered one. */
export function createNotePayload(subject: string, text: string, window: Window = {}): Payload {
  return createFactPayload({ subject, predicate: notePredicate, object: text }, window)
}

type Fact = { subject: string; predicate: string; object: unknown }

export function createFactPayload(
  { subject, predicate, object }: Fact,
  { start, end }: Window = {},
): Payload {
  const isBounded = start !== undefined || end !== undefined
  const validity = omitNulls<Validity>({ mode: 'timeboxed', start, end })
  return { kind: 'semantic', subject, predicate, object, ...(isBounded ? { validity } : {}) }
}

export function createEntityPayload(name: string, type: string | undefined, summary?: string): Payload {
  return omitNulls<Payload>({ kind: 'entity', canonical_name: name, primary_type: type ?? 'Other', summary })
}
