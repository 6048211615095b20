import Type, { type Static } from 'typebox'
import { ref } from '../../domain/schemas/schema-ref.ts'
import { closed, Uuid } from '../../domain/schemas/shapes.ts'
import { MemoryRecord } from '../../records/index.ts'
import { limit, NarrowerTrust } from '../retrieval.schemas.ts'

export const SimilarQuery = closed(
  {
    record_id: Type.Optional(
      Uuid({
        description: 'Finds records that are similar to this record. The record itself is not returned.',
      }),
    ),
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 10_000,
        description: 'Finds records that are similar to this text.',
      }),
    ),
    limit: limit(10, 1, 100, 'The highest number of records in the answer.'),
    trust: Type.Optional(NarrowerTrust),
  },
  {
    $id: 'SimilarQuery',
    description: 'What to compare with. Needs exactly one of `record_id` and `text`.',
    examples: [
      { record_id: '0197b9a0-0000-7000-8000-000000000001', limit: 5 },
      { text: 'deploys of the billing service are frozen in December', limit: 5 },
    ],
  },
)
export type SimilarQuery = Static<typeof SimilarQuery>

const SimilarRecord = closed(
  {
    record: ref(MemoryRecord),
    similarity: Type.Number({ minimum: -1, maximum: 1, description: 'The cosine of the two vectors.' }),
  },
  { $id: 'SimilarRecord' },
)

export const SimilarRecords = closed(
  { items: Type.Array(ref(SimilarRecord), { description: 'The most similar record first.' }) },
  { $id: 'SimilarRecords' },
)
export type SimilarRecords = Static<typeof SimilarRecords>
