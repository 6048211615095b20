import type { TSchema } from 'typebox'
import { SemanticPayload } from '../../domain/payloads/payloads.ts'
import { findValidityFaults } from '../../domain/payloads/validity.ts'
import type { Fault } from '../../kernel/errors.ts'
import { type CheckSchema, type Evidence, type Fields, findFieldFaults, pickFields } from './evidence.ts'

/** The fact that evidence states, as the payload of a semantic record. */

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
 * Evidence that states a fact must state a valid one: if a wrong validity were ignored, a fact for one day would hold
 * forever. A triple that is no fact may be anything, such as the subject of an email, and stays content.
 */
export function findFactFaults(evidence: Evidence, check: CheckSchema): Fault[] {
  if (!hasFact(evidence)) return []
  const faults = findFieldFaults(evidence.fields, { ...tripleFields, ...optionalFields }, [], check)
  return faults.length > 0
    ? faults
    : findValidityFaults(buildFactPayload(evidence).validity, '/content/validity')
}

/** For an observation, in which a triple must be a fact. */
export function findTripleFaults({ fields }: Evidence): Fault[] {
  if (!hasTriple(fields)) return []
  return Object.keys(tripleFields)
    .filter((name) => !isName(fields[name]))
    .map((name) => ({ pointer: `/content/${name}`, message: 'must be a non-blank string' }))
}

type TripleFields = Pick<SemanticPayload, 'subject' | 'predicate' | 'object'>

/**
 * Expects evidence in which `findFactFaults` found nothing. The evidence list is empty, because the id of the episode
 * is not known yet.
 */
export function buildFactPayload({ fields }: Evidence): SemanticPayload {
  const values = pickFields(fields, [...Object.keys(tripleFields), 'object', ...Object.keys(optionalFields)])
  return { validity: { mode: 'global' }, ...(values as TripleFields), kind: 'semantic', evidence: [] }
}
