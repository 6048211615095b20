import Type, { type Static } from 'typebox'
import { ref } from '../../domain/schema-ref.ts'
import { closed, Uuid } from '../../domain/shapes.ts'
import { RetrieveQuery } from '../retrieval.schemas.ts'

const optional = Type.Optional
const limit = (fallback: number, minimum: number, maximum: number, description: string) =>
  optional(Type.Integer({ default: fallback, minimum, maximum, description }))
const { trust, memory_types, mode, layers, scopes, tags, ...others } = RetrieveQuery.properties
const { min_salience, min_importance, include_status, include_expired, as_of, query_embedding } = others

export const ContextQuery = closed(
  {
    task_descriptor: Type.String({
      minLength: 1,
      maxLength: 10_000,
      description: 'The task, as a sentence. Its words are alternatives, as in `/v1/retrieve`.',
    }),
    max_tokens: limit(1_500, 1, 100_000, 'The most tokens of the text, by our estimate.'),
    format: optional(
      Type.Enum(['markdown', 'json'], {
        default: 'markdown',
        description:
          '`markdown`: headings and one line for each record, inside a fence, which the first line opens and the last line closes. `json`: `text` is a JSON document with the members `notice`, `who`, `known`, `how`, `under_way` and `happened`; each of the last five is a list of `{record_id, date, text, disputed?, conversation?}` and is left out when it is empty.',
      }),
    ),
    trust,
    memory_types,
    mode,
    layers,
    scopes,
    tags,
    min_salience,
    min_importance,
    include_status,
    include_expired,
    as_of,
    root_limit: limit(20, 1, 100, 'The most records found by the question itself.'),
    node_limit: limit(50, 1, 500, 'The most records found by the question and over edges.'),
    max_hops: limit(0, 0, 5, 'How many edges are followed from each record that was found; 0 for none.'),
    record_access: optional(
      Type.Boolean({
        default: true,
        description: 'Count the records in the text as served: each once for each key and UTC day.',
      }),
    ),
    query_embedding,
  },
  {
    $id: 'ContextQuery',
    examples: [{ task_descriptor: 'How do we deploy the billing service?', max_tokens: 800 }],
  },
)
export type ContextQuery = Static<typeof ContextQuery>

const ContextItem = closed(
  {
    record_id: Uuid(),
    ref: Type.String({
      description: 'How the text names the record: `[m:REF]`. The end of its id, unique in this answer.',
      examples: ['9a1c2b'],
    }),
    kind: Type.Enum(['profile', 'fact', 'skill', 'plan', 'state', 'episode'], {
      description:
        '`profile`: an entity that the question names, or its profile. `fact`: a fact or another entity. `state`: what is under way. `episode`: what happened.',
    }),
    tokens: Type.Integer({ minimum: 1, description: 'The estimate for the line of the record.' }),
    quoted: Type.Boolean({
      description:
        'Whether the line says all; false where it was shortened, a secret was masked, or the arguments of tools or the `context` of a capture were left out.',
    }),
  },
  { $id: 'ContextItem' },
)

const OmittedRecord = closed(
  {
    record_id: Uuid(),
    reason: Type.Enum(['budget', 'repetition', 'not_selected'], {
      description:
        '`budget`: it does not fit. `repetition`: a line says the same. `not_selected`: another skill or plan fits better.',
    }),
  },
  { $id: 'OmittedRecord' },
)

export const PromptContext = closed(
  {
    text: Type.String({
      description:
        'To put into a prompt. Empty if nothing was found or nothing fits; as JSON a document with the `notice` alone, unless `max_tokens` is too small for that.',
    }),
    token_estimate: Type.Integer({
      minimum: 0,
      description:
        'At most `max_tokens`. Letters and spaces count 0.25, digits and signs 0.8, and characters outside ASCII half of their UTF-8 bytes. Random letters, as in base64, can be twice as many tokens.',
    }),
    items: Type.Array(ref(ContextItem), { description: 'The records in the text, in its order.' }),
    omitted: Type.Array(ref(OmittedRecord), {
      description:
        'The records that were found, that the key sees whole, and that are not in the text; the most relevant first.',
    }),
  },
  { $id: 'PromptContext' },
)
export type PromptContext = Static<typeof PromptContext>
