import Type, { type Static } from 'typebox'
import { maxSalience } from '../../domain/lifecycle/curves.ts'
import { Actor, Rationale } from '../../domain/schemas/request-fields.ts'
import { ref } from '../../domain/schemas/schema-ref.ts'
import { closed, Uuid } from '../../domain/schemas/shapes.ts'
import { Problem } from '../../http/problems/problem-responses.ts'
import { WrittenRecord } from '../../records/index.ts'

const Amount = () =>
  Type.Number({ minimum: 0, maximum: maxSalience, description: 'What is subtracted from the salience.' })
const Ids = () =>
  Type.Array(Uuid(), {
    minItems: 1,
    maxItems: 1_000,
    uniqueItems: true,
    description: 'The ids of the records, without duplicates.',
  })

const example = { actor: 'planner', rationale: 'it answered the question' }
const ids = ['0197b9a0-0000-7000-8000-000000000001']

export const Reason = closed(
  { actor: Actor('planner'), rationale: Rationale('it answered the question') },
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
        status: Type.Integer({ description: 'The HTTP status for this record.' }),
        record: Type.Optional(ref(WrittenRecord)),
        problem: Type.Optional(ref(Problem)),
      }),
    ),
  },
  { $id: 'BulkLifecycleAnswer' },
)
