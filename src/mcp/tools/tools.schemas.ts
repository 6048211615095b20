import Type, { type TProperties } from 'typebox'
import { TextNote } from '../../capture/index.ts'
import { Scope } from '../../domain/schemas/request-fields.ts'
import { closed } from '../../domain/schemas/shapes.ts'
import { Layer, RecordType, Sensitivity } from '../../domain/schemas/vocabulary.ts'
import { jobMeanings, schedulableJobs } from '../../jobs/job-names.ts'

/** The arguments of the tools, and what they answer. A model reads every word of it in each session, so it is short. */

const optional = Type.Optional
const id = Type.String({ format: 'uuid' })
const reason = Type.String({ minLength: 1, maxLength: 4_096, description: 'Why, for the log.' })
const Time = (description: string) => Type.String({ format: 'date-time', description })
const text = Type.String({ minLength: 1, maxLength: 100_000, pattern: '\\S' })
const query = Type.String({ minLength: 1, maxLength: 10_000, pattern: '\\S' })

const sensitivity = Type.Enum(Sensitivity.enum, {
  description: 'Only keys of at least this level read it. Default: that of the server, usually low.',
})

const anyObject = { type: 'object' }
const aText = { type: 'string' }
const anyList = { type: 'array', items: anyObject }
const answer = (properties: Record<string, object>, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
})

export const RecallInput = closed({
  query,
  scope: optional(Scope('Only memories of this scope. Default: of all scopes of the key.')),
  types: optional(
    Type.Array(RecordType, {
      minItems: 1,
      maxItems: 6,
      description:
        'episodic: what happened; working: tasks under way; entity: things and people; semantic: facts; competence: skills; plan_graph: plans. Default: all. With working alone, tasks are found by any query.',
    }),
  ),
  as_of: optional(
    Time('A past time, such as 2026-03-28T09:30:00Z: the answer is as it would have been then.'),
  ),
  include_superseded: optional(
    Type.Boolean({
      default: false,
      description: 'Also what no longer holds, marked (superseded): for questions about the past.',
    }),
  ),
  max_tokens: optional(Type.Integer({ minimum: 1, maximum: 20_000, default: 1_500 })),
})
export const recallOutput = answer({
  text: { type: 'string' },
  token_estimate: { type: 'integer' },
  items: anyList,
  missing_words: { type: 'array', items: aText },
  omitted: anyList,
})

export const RememberInput = closed({
  text: optional(text),
  about: optional(TextNote.properties.about),
  scope: optional(
    Scope(
      'What it belongs to, such as a project or a user; recall finds it there. Default: that of the key.',
    ),
  ),
  occurred_at: optional(Time('When it happened, if not now, such as 2026-03-28T09:30:00Z.')),
  sensitivity: optional(sensitivity),
  record: optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description:
          'Instead of text, a body of POST /v1/records, such as a skill: {"type":"competence","payload":{"kind":"competence","skill_name":"release","triggers":[{"signal":"release"}],"recipe":[{"step":"run the tests"},{"step":"tag"}]}}',
      },
    ),
  ),
})
export const rememberOutput = answer(
  {
    id: { type: 'string' },
    version: { type: 'integer' },
    status: { enum: ['created', 'unchanged'] },
    notice: aText,
  },
  ['id', 'version', 'status'],
)

export const GetInput = closed({ id, with_history: optional(Type.Boolean()) })
export const getOutput = answer({ notice: aText, record: anyObject, history: anyList, lineage: anyList }, [
  'record',
])

export const ReviseInput = closed({
  id,
  op: Type.Enum(['supersede', 'contest', 'retract']),
  text: optional(
    Type.String({
      ...text,
      description: 'supersede: what is true instead, as a whole sentence. contest: what speaks against it.',
    }),
  ),
  occurred_at: optional(Time('supersede, contest: when it became true, if not now.')),
  reason,
})
export const reviseOutput = answer({ record: anyObject, sources: anyList, contested_by: anyObject }, [
  'record',
])

export const ReinforceInput = closed({
  ids: Type.Array(id, { minItems: 1, maxItems: 100, uniqueItems: true }),
  outcome: Type.Enum(['helped', 'did_not_help']),
})
export const reinforceOutput = answer({ results: anyList })

export const ExplainInput = closed({ id, query: optional(query) })
export const explainOutput = answer({ id: { type: 'string' }, match: anyObject }, ['id'])

export const RecentInput = closed({
  scope: optional(Scope('Only records of this scope.')),
  since: optional(Time('Only records stored after this time.')),
})
export const recentOutput = answer({ notice: aText, items: anyList })

const Reasoned = <P extends TProperties>(more: P) => closed({ id, ...more, reason })
export const LayerInput = Reasoned({ layer: optional(Layer) })
export const ReasonInput = Reasoned({})
export const recordOutput = answer({ record: anyObject })

export const RunInput = closed({
  job: optional(Type.Enum([...schedulableJobs], { description: jobMeanings })),
  id: optional(Type.String({ ...id, description: 'Of an earlier run, instead of job.' })),
  dry_run: optional(Type.Boolean({ default: true })),
  scope: optional(Scope('Only records of this scope.')),
})
export const runOutput = answer({ run: anyObject, changes: anyList, has_more_changes: { type: 'boolean' } }, [
  'run',
])

export const SearchInput = closed({ query })
/** The id is a text here, as the client of these tools passes on what it got. */
export const FetchInput = closed({ id: Type.String({ minLength: 1, maxLength: 256 }) })

export const McpQuery = closed({ profile: optional(Type.String({ minLength: 1, maxLength: 100 })) })
