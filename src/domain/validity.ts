import Type, { type Static } from 'typebox'
import type { Fault } from '../kernel/errors.ts'
import { closed, Time } from './shapes.ts'

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
