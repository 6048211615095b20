import Type, { type Static } from 'typebox'
import { maxSalience } from '../domain/curves.ts'
import { ref } from '../domain/schema-ref.ts'
import { closed, Uuid } from '../domain/shapes.ts'
import { Problem } from '../http/problem-responses.ts'
import { WrittenRecord } from '../records/index.ts'

const Actor = () => Type.String({ minLength: 1, maxLength: 256, examples: ['planner'] })
const Rationale = () =>
  Type.String({ minLength: 1, maxLength: 4_096, examples: ['it answered the question'] })
const Amount = () =>
  Type.Number({ minimum: 0, maximum: maxSalience, description: 'Subtracted from the salience.' })
const Ids = () =>
  Type.Array(Uuid(), {
    minItems: 1,
    maxItems: 1_000,
    uniqueItems: true,
    description: 'Record ids without duplicates.',
  })

const example = { actor: 'planner', rationale: 'it answered the question' }
const ids = ['0197b9a0-0000-7000-8000-000000000001']

export const Reason = closed(
  { actor: Actor(), rationale: Rationale() },
  { $id: 'Reason', examples: [example] },
)
export type Reason = Static<typeof Reason>

export const Penalty = closed(
  { amount: Amount(), ...Reason.properties },
  { $id: 'Penalty', examples: [{ amount: 0.3, ...example }] },
)
export type Penalty = Static<typeof Penalty>

export const BulkReason = closed(
  { ids: Ids(), ...Reason.properties },
  { $id: 'BulkReason', examples: [{ ids, ...example }] },
)
export const BulkPenalty = closed(
  { ids: Ids(), ...Penalty.properties },
  { $id: 'BulkPenalty', examples: [{ ids, amount: 0.3, ...example }] },
)

export const BulkAnswer = closed(
  {
    results: Type.Array(
      closed({
        id: Uuid(),
        status: Type.Integer(),
        record: Type.Optional(ref(WrittenRecord)),
        problem: Type.Optional(ref(Problem)),
      }),
    ),
  },
  { $id: 'BulkLifecycleAnswer' },
)
