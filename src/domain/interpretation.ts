import Type, { type Static } from 'typebox'
import { closed, Unit, Uuid } from './shapes.ts'
import { RecordType } from './vocabulary.ts'

const Candidate = {
  target_record_id: Type.Optional(Uuid()),
  target_entity_id: Type.Optional(Uuid()),
  confidence: Unit(),
  resolved: Type.Boolean(),
}
export const Interpretation = closed(
  {
    status: Type.Enum(['tentative', 'resolved']),
    summary: Type.String(),
    proposed_type: RecordType,
    topical_labels: Type.Array(Type.String()),
    mentions: Type.Array(
      closed({
        surface: Type.String(),
        entity_kind: Type.String(),
        canonical_entity_id: Type.Optional(Uuid()),
        confidence: Unit(),
        aliases: Type.Array(Type.String()),
      }),
    ),
    relation_candidates: Type.Array(closed({ predicate: Type.String(), ...Candidate })),
    reference_candidates: Type.Array(closed({ ref: Type.String(), ...Candidate })),
    extraction_confidence: Unit(),
  },
  { $id: 'Interpretation' },
)
export type Interpretation = Static<typeof Interpretation>
