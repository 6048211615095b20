import Type, { type Static } from 'typebox'
import { ref } from '../../domain/schemas/schema-ref.ts'
import { closed, Uuid } from '../../domain/schemas/shapes.ts'
import { limit, RetrieveQuery } from '../retrieval.schemas.ts'

const optional = Type.Optional
const { trust, memory_types, mode, layers, scopes, tags, ...others } = RetrieveQuery.properties
const { min_salience, min_importance, include_status, include_expired, as_of, query_embedding } = others

export const ContextQuery = closed(
  {
    task_descriptor: Type.String({
      minLength: 1,
      maxLength: 10_000,
      description: 'The task, as a sentence. It is used as in `/v1/retrieve`.',
    }),
    max_tokens: limit(1_500, 1, 100_000, 'The highest number of tokens in the text, as estimated.'),
    format: optional(
      Type.Enum(['markdown', 'json'], {
        default: 'markdown',
        description:
          '`markdown`: headings and one line for each record, in a fenced code block that the first line opens and the last line closes. `json`: `text` is a JSON document with the members `notice`, `who`, `known`, `how`, `under_way` and `happened`; each of the last five is a list of `{record_id, date, text, disputed?, status?, conversation?}` and is left out when it is empty. `status` is that of a record which is not active.',
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
    root_limit: limit(
      20,
      1,
      100,
      'The highest number of roots: records that the search itself finds. Without it, up to 40 are found if 20 leave room in the text.',
    ),
    node_limit: limit(
      50,
      1,
      500,
      'The highest number of records, roots and those found over relations together.',
    ),
    max_hops: limit(0, 0, 5, 'How many relations in a row are followed from each root; 0 for none.'),
    record_access: optional(
      Type.Boolean({
        default: true,
        description:
          'Whether the records in the text count as served: each at most once for each key and UTC day.',
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
      description: 'The end of the id, unique in this answer. The text names the record as `[m:REF]`.',
      examples: ['9a1c2b'],
    }),
    kind: Type.Enum(['profile', 'fact', 'skill', 'plan', 'state', 'episode'], {
      description:
        '`profile`: an entity that the task names, or its profile. `fact`: a fact or another entity. `skill`: a competence. `plan`: a plan graph. `state`: a working record. `episode`: an episode or a message.',
    }),
    tokens: Type.Integer({ minimum: 1, description: 'The estimated tokens of the line of the record.' }),
    quoted: Type.Boolean({
      description:
        'Whether the line has the whole content. false if it was shortened, if a secret was masked, or if the arguments of tools, the `context` of a capture or the steps of a finished task were left out.',
    }),
  },
  { $id: 'ContextItem' },
)

const OmittedRecord = closed(
  {
    record_id: Uuid(),
    reason: Type.Enum(['budget', 'repetition', 'not_selected', 'only_name'], {
      description:
        '`budget`: it does not fit into `max_tokens`. `repetition`: another line says the same, or a newer state of the same task. `not_selected`: another competence or plan graph fits better. `only_name`: an entity of which only the name and the type are known, beside other records.',
    }),
  },
  { $id: 'OmittedRecord' },
)

export const PromptContext = closed(
  {
    text: Type.String({
      description:
        'The text for the prompt. Empty if nothing was found or nothing fits. With `format: json` it is then a document with only the `notice`, or empty if `max_tokens` is too small even for that.',
    }),
    token_estimate: Type.Integer({
      minimum: 0,
      description:
        'The estimated tokens of the text, at most `max_tokens`. Letters and spaces count 0.25, digits and signs 0.8, and characters outside ASCII half of their UTF-8 bytes. Random letters, as in base64, can be twice as many tokens.',
    }),
    items: Type.Array(ref(ContextItem), { description: 'The records in the text, in its order.' }),
    missing_words: Type.Array(Type.String(), {
      description:
        'The words of the task that no line of the text has, in any ending, if they are more than half of its words; common words such as `the` do not count. The lines may then have nothing to do with the task: they are the nearest that is remembered.',
      examples: [['CFO', 'penguins']],
    }),
    omitted: Type.Array(ref(OmittedRecord), {
      description:
        'The records that were found and that the key can read in full, but that are not in the text; the most relevant first.',
    }),
  },
  { $id: 'PromptContext' },
)
export type PromptContext = Static<typeof PromptContext>
