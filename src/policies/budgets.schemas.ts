import Type, { type Static, type TSchemaOptions } from 'typebox'
import { ref } from '../domain/schemas/schema-ref.ts'
import { closed, listOf, pageParameters, pathPartPattern } from '../domain/schemas/shapes.ts'
import { Layer, RecordType } from '../domain/schemas/vocabulary.ts'

const Limit = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }))

const Protectable = Type.Enum([...new Set([...RecordType.enum, ...Layer.enum])])

const Mode = Type.Enum(['soft', 'hard'], {
  default: 'soft',
  description:
    '`soft`: a record is not forgotten within a day of its creation or restoration, even if the budget is exceeded. ' +
    '`hard`: such records are forgotten as well if no others are left.',
})

const Protect = Type.Array(Protectable, {
  maxItems: 9,
  uniqueItems: true,
  description: 'Types and layers that the budget never forgets. `semantic` is both a type and a layer.',
})

const Measures = {
  max_records: Limit('How many records the scope may hold.'),
  max_bytes: Limit(
    'How many bytes the records of the scope may have: the approximate size as JSON, not compressed.',
  ),
}

export const BudgetChoice = closed(
  {
    ...Measures,
    protect: Type.Optional(Type.Array(Protectable, { ...Protect, default: [] })),
    mode: Type.Optional(Mode),
  },
  {
    $id: 'BudgetChoice',
    description: 'How much a scope may hold. Needs exactly one of `max_records` and `max_bytes`.',
    examples: [{ max_records: 100_000, protect: ['competence'], mode: 'soft' }],
  },
)
export type BudgetChoice = Static<typeof BudgetChoice>

export const Budget = closed(
  {
    scope: Type.Optional(
      Type.String({
        description: 'Absent for the default budget, which applies to scopes without a budget.',
      }),
    ),
    ...Measures,
    protect: Protect,
    mode: Mode,
  },
  {
    $id: 'Budget',
    description:
      'How much a scope may hold. The decay job forgets the records that exceed it, those with the lowest `keeping` first.',
  },
)
export type Budget = Static<typeof Budget>

const BudgetScope = (options: TSchemaOptions = {}) =>
  Type.String({ minLength: 1, maxLength: 256, description: 'The scope, percent-encoded.', ...options })
export const BudgetPath = closed({ scope: BudgetScope() })
/** One that a client can read and delete. */
export const NewBudgetPath = closed({ scope: BudgetScope({ pattern: pathPartPattern }) })
export const BudgetPage = listOf(ref(Budget), 'BudgetPage')
export const BudgetsQuery = closed(pageParameters(50))
export type BudgetsQuery = Static<typeof BudgetsQuery>
