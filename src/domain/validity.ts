import Type, { type Static } from 'typebox'
import type { Fault } from '../kernel/errors.ts'
import { closed, Time } from './shapes.ts'

/** When a fact holds. */
export const Validity = closed({
  mode: Type.Enum(['global', 'conditional', 'timeboxed']),
  conditions: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  start: Type.Optional(Time()),
  end: Type.Optional(Time({ description: 'Of a timeboxed fact: after its start.' })),
})
export type Validity = Static<typeof Validity>

/** Not part of the schema: a stored or imported fact may break it, and is answered and exported as it is. */
export function findValidityFaults({ mode, start, end }: Validity, pointer: string): Fault[] {
  if (mode !== 'timeboxed' || start === undefined || end === undefined) return []
  const isEmpty = Date.parse(end) <= Date.parse(start)
  return isEmpty ? [{ pointer: `${pointer}/end`, message: 'must be after the start' }] : []
}
