import type { TSchema } from 'typebox'
import { SemanticPayload } from '../domain/payloads.ts'
import type { Fault } from '../kernel/errors.ts'
import { type CheckSchema, type Evidence, type Fields, findFieldFaults, pickFields } from './evidence.ts'

/** What evidence says is so, as a semantic record beside the episode it is derived from. */

const { subject, predicate, validity, revision_policy } = SemanticPayload.properties
const tripleFields: Readonly<Record<string, TSchema>> = { subject, predicate }
const optionalFields: Readonly<Record<string, TSchema>> = { validity, revision_policy }

export function hasFact({ fields }: Evidence): boolean {
  return hasTriple(fields) && [fields['subject'], fields['predicate']].every(isName)
}

function hasTriple(fields: Fields): boolean {
  return ['subject', 'predicate', 'object'].every((name) => Object.hasOwn(fields, name))
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}

/**
 * In an observation a triple is meant to be a fact, so one that is none is refused; elsewhere it may be anything,
 * such as the subject of a mail, and stays content. How long and by which policy a fact holds is never guessed at:
 * a fact for a day would become one for good.
 */
export function findFactFaults(evidence: Evidence, isObservation: boolean, check: CheckSchema): Fault[] {
  const { fields } = evidence
  if (hasFact(evidence)) return findFieldFaults(fields, { ...tripleFields, ...optionalFields }, [], check)
  if (!isObservation || !hasTriple(fields)) return []
  return Object.keys(tripleFields)
    .filter((name) => !isName(fields[name]))
    .map((name) => ({ pointer: `/content/${name}`, message: 'must be a string that is not blank' }))
}

type TripleFields = Pick<SemanticPayload, 'subject' | 'predicate' | 'object'>

/** Without evidence: only who stores the episode knows its id. The fact must have been found without faults. */
export function buildFactPayload({ fields }: Evidence): SemanticPayload {
  const values = pickFields(fields, [...Object.keys(tripleFields), 'object', ...Object.keys(optionalFields)])
  return { validity: { mode: 'global' }, ...(values as TripleFields), kind: 'semantic', evidence: [] }
}
