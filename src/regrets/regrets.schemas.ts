import Type, { type Static } from 'typebox'
import { Scope } from '../domain/schemas/request-fields.ts'
import { ref } from '../domain/schemas/schema-ref.ts'
import { closed, listOf, pageParameters, Time, Uuid } from '../domain/schemas/shapes.ts'
import { RecordType } from '../domain/schemas/vocabulary.ts'

export const Regret = closed(
  {
    record_id: Uuid(),
    type: RecordType,
    scope: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    reason: Type.String({
      description: 'Why the record was forgotten: `pruned`, `archived`, `budget` or `deleted`.',
      examples: ['pruned'],
    }),
    rule: Type.String({
      description: 'The rule that decided it: `removal.rule` of `/explain`.',
      examples: ['curve'],
    }),
    run_id: Type.Optional(
      Uuid({ description: 'The run that forgot the record. Absent if a request forgot it.' }),
    ),
    forgotten_at: Time(),
    regretted_at: Time({ description: 'When a tested question last missed the record.' }),
    times: Type.Integer({ minimum: 1, description: 'Number of tested questions that missed the record.' }),
  },
  {
    $id: 'Regret',
    description: 'A forgotten record that would have been among the first ten records of an answer.',
    examples: [
      {
        record_id: '0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11',
        type: 'episodic',
        scope: 'project:alpha',
        reason: 'pruned',
        rule: 'curve',
        run_id: '0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a12',
        forgotten_at: '2026-03-20T09:30:00.000Z',
        regretted_at: '2026-03-28T09:30:00.000Z',
        times: 2,
      },
    ],
  },
)
export type Regret = Static<typeof Regret>

export const RegretPage = listOf(ref(Regret), 'RegretPage')
export const RegretsQuery = closed({
  scope: Type.Optional(Scope('Only records of this scope.')),
  reason: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        'Only records that were forgotten for this reason: `pruned`, `archived`, `budget` or `deleted`.',
    }),
  ),
  ...pageParameters(50),
})
export type RegretsQuery = Static<typeof RegretsQuery>
export const RegretCursor = Type.Object({ last_at: Time(), record_id: Uuid() })
