import type { TSchema } from 'typebox'
import { SemanticPayload } from '../domain/payloads.ts'
import type { Fault } from '../kernel/errors.ts'
import { type Check, type Evidence, type Fields, findFieldFaults, pickFields } from './evidence.ts'

/** What evidence says is so, as a semantic record beside the episode it is derived from. */

const { subject, predicate, validity, revision_policy } = SemanticPayload.properties
const told: Readonly<Record<string, TSchema>> = { subject, predicate }
const kept: Readonly<Record<string, TSchema>> = { validity, revision_policy }

export function holdsFact({ fields }: Evidence): boolean {
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
export function findFactFaults(evidence: Evidence, isObservation: boolean, check: Check): Fault[] {
  const { fields } = evidence
  if (holdsFact(evidence)) return findFieldFaults(fields, { ...told, ...kept }, [], check)
  if (!isObservation || !hasTriple(fields)) return []
  return Object.keys(told)
    .filter((name) => !isName(fields[name]))
    .map((name) => ({ pointer: `/content/${name}`, message: 'must be a string that is not blank' }))
}

type Said = Pick<SemanticPayload, 'subject' | 'predicate' | 'object'>

/** Without evidence: only who stores the episode knows its id. The fact must have been found without faults. */
export function tellFact({ fields }: Evidence): SemanticPayload {
  const said = pickFields(fields, [...Object.keys(told), 'object', ...Object.keys(kept)])
  return { validity: { mode: 'global' }, ...(said as Said), kind: 'semantic', evidence: [] }
}
