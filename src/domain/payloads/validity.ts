import { isDeepStrictEqual } from 'node:util'
import Type, { type Static } from 'typebox'
import type { Fault } from '../../kernel/errors.ts'
import { closed, Time } from '../schemas/shapes.ts'

/** When a fact holds. */
export const Validity = closed(
  {
    mode: Type.Enum(['global', 'conditional', 'timeboxed'], {
      description: '`global`: always. `conditional`: under `conditions`. `timeboxed`: from `start` to `end`.',
    }),
    conditions: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'The conditions of a conditional fact, by name.',
      }),
    ),
    start: Type.Optional(
      Time({ description: 'When a timeboxed fact begins to hold. Absent: it always held.' }),
    ),
    end: Type.Optional(
      Time({ description: 'When a timeboxed fact ends, after its `start`. Absent: it has no end.' }),
    ),
  },
  { description: 'When the fact holds. Default of a new fact: always (`global`).' },
)
export type Validity = Static<typeof Validity>

/** Not part of the schema: a stored or imported fact may break it, and is answered and exported as it is. */
export function findValidityFaults({ mode, start, end }: Validity, pointer: string): Fault[] {
  if (mode !== 'timeboxed' || start === undefined || end === undefined) return []
  const isEmpty = Date.parse(end) <= Date.parse(start)
  return isEmpty ? [{ pointer: `${pointer}/end`, message: 'must be after the start' }] : []
}

/** Whether a fact holds at a time. Its conditions are not judged. */
export function holdsAt(validity: Validity, time: Date): boolean {
  return getStart(validity) <= time.getTime() && time.getTime() < getEnd(validity)
}

/** Says when a fact holds, such as `until 2026-01-01T00:00:00Z`; nothing for one that always does. */
export function describeValidity(validity: Validity, write: (conditions: unknown) => string): string {
  const { mode, start, end, conditions } = validity
  if (mode === 'global') return ''
  return [
    ...(start === undefined ? [] : [`from ${start}`]),
    ...(end === undefined ? [] : [`until ${end}`]),
    ...(conditions === undefined ? [] : [`if ${write(conditions)}`]),
  ].join(' ')
}

/**
 * Whether a stored fact holds whenever the same fact, as it is stated at a time, is said to hold. Otherwise the statement
 * says more than the stored fact does: a fact whose time is over does not hold again because it is confirmed.
 */
export function covers(stored: Validity, stated: Validity, statedAt: Date): boolean {
  if (stored.mode === 'conditional' && stated.mode === 'conditional') return hasSameConditions(stored, stated)
  if (stated.mode !== 'timeboxed') return holdsAt(stored, statedAt)
  return getStart(stored) <= getStart(stated) && getEnd(stated) <= getEnd(stored)
}

/** Whether two facts can hold at the same time. What is stated for always is not said of the time before the statement. */
export function overlaps(stored: Validity, stated: Validity, statedAt: Date): boolean {
  if (stored.mode === 'conditional' || stated.mode === 'conditional') return hasSameConditions(stored, stated)
  const start = stated.mode === 'global' ? statedAt.getTime() : getStart(stated)
  return getStart(stored) < getEnd(stated) && start < getEnd(stored)
}

function hasSameConditions(one: Validity, other: Validity): boolean {
  return isDeepStrictEqual(one.conditions, other.conditions)
}

function getStart({ mode, start }: Validity): number {
  return mode === 'timeboxed' && start !== undefined ? Date.parse(start) : Number.NEGATIVE_INFINITY
}

function getEnd({ mode, end }: Validity): number {
  return mode === 'timeboxed' && end !== undefined ? Date.parse(end) : Number.POSITIVE_INFINITY
}
