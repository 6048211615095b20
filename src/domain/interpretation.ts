import Type, { type Static } from 'typebox'
import { TypeOf } from './schemas/request-fields.ts'
import { closed, Unit, Uuid } from './schemas/shapes.ts'

const Confidence = (what: string) => Unit({ description: `How certain ${what} is.` })
const Text = (description: string) => Type.String({ description })
const Texts = (description: string) => Type.Array(Type.String(), { description })

const Candidate = {
  target_record_id: Type.Optional(Uuid({ description: 'The record that is meant, once it is known.' })),
  target_entity_id: Type.Optional(Uuid({ description: 'The entity that is meant, once it is known.' })),
  confidence: Confidence('the candidate'),
  resolved: Type.Boolean({ description: 'Whether the target is known.' }),
}

const Mention = closed({
  surface: Text('The name as it is written in the content.'),
  entity_kind: Text('The type of the entity, such as `Person`.'),
  canonical_entity_id: Type.Optional(Uuid({ description: 'The entity that is meant, once it is known.' })),
  confidence: Confidence('the mention'),
  aliases: Texts('Other names of it in the content.'),
})

export const Interpretation = closed(
  {
    status: Type.Enum(['tentative', 'resolved'], {
      description: '`resolved`: the target of every mention and candidate is known. `tentative`: not yet.',
    }),
    summary: Text('The content in one sentence.'),
    proposed_type: TypeOf('The record type that fits the content.'),
    topical_labels: Texts('The topics of the content.'),
    mentions: Type.Array(Mention, { description: 'The entities that the content names.' }),
    relation_candidates: Type.Array(
      closed({ predicate: Text('How the record is related to the target.'), ...Candidate }),
      { description: 'Relations that the content suggests.' },
    ),
    reference_candidates: Type.Array(
      closed({ ref: Text('The reference as it is written in the content.'), ...Candidate }),
      { description: 'Other records that the content refers to.' },
    ),
    extraction_confidence: Confidence('the interpretation'),
  },
  {
    $id: 'Interpretation',
    description: 'What the content is about, as found by rules or a model. It is stored as it is given.',
  },
)
export type Interpretation = Static<typeof Interpretation>
