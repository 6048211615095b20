import Type, { type Static } from 'typebox'
import { ref } from '../domain/schema-ref.ts'
import { closed, Uuid } from '../domain/shapes.ts'
import { Problem } from '../http/problem-responses.ts'
import { WrittenRecord } from '../records/index.ts'
import { foreignFormats } from './foreign/formats.ts'

const optional = Type.Optional

export const ImportQuery = closed({
  dry_run: optional(Type.Boolean({ description: 'Check every line and store nothing.' })),
  format: optional(
    Type.Enum(['membrane', ...foreignFormats], {
      description:
        'The program that the file comes from. Default: found by looking at the beginning of the file.',
    }),
  ),
  report: optional(
    Type.Enum(['all', 'refused'], {
      default: 'all',
      description:
        'What the report lists: every line, or only the first 1,000 lines that are refused. The summary counts all; empty lines keep the connection open. A client that reads nothing before it has sent everything, such as a browser, needs `refused` for a large file.',
    }),
  ),
  scope: optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      description:
        'Where everything of a foreign file lands. Default: the scope of the key, or none for a key of all scopes.',
    }),
  ),
})
export type ImportQuery = Static<typeof ImportQuery>

const LineReport = closed({
  line: Type.Integer({ minimum: 1 }),
  id: optional(Uuid()),
  status: Type.Enum(['created', 'unchanged', 'conflict', 'invalid']),
  problem: optional(ref(Problem)),
})

const Tally = closed({
  created: Type.Integer({ minimum: 0 }),
  unchanged: Type.Integer({ minimum: 0 }),
  conflict: Type.Integer({ minimum: 0 }),
  invalid: Type.Integer({ minimum: 0 }),
})
export type Tally = Static<typeof Tally>

const Summary = closed({
  summary: Tally,
  format: optional(Type.Enum([...foreignFormats])),
  dry_run: optional(Type.Boolean()),
  position: optional(
    Type.String({ description: 'A state after the import, for the header `Membrane-Position` of a read.' }),
  ),
  sample: optional(
    Type.Array(ref(WrittenRecord), { description: 'After a dry run: up to 5 records as they would land.' }),
  ),
  loose_relations: optional(
    closed(
      {
        count: Type.Integer({ minimum: 1 }),
        first: Type.Array(closed({ source_id: Uuid(), predicate: Type.String(), target_id: Uuid() })),
      },
      {
        description:
          'Relations that were not stored, because their targets were not in the stream. The first 100 are listed.',
      },
    ),
  ),
})

export const ImportReport = Type.Union(
  [LineReport, Summary, closed({ problem: ref(Problem) }, { description: 'The import ended early.' })],
  {
    $id: 'ImportReport',
    description: 'One line of the report; the last is a summary, or the problem that ended the import.',
    examples: [{ line: 1, id: '0197b9a0-0000-7000-8000-000000000001', status: 'created' }],
  },
)
export type ImportReport = Static<typeof ImportReport>

export const ForeignFile = Type.Unsafe<unknown>({
  $id: 'ForeignFile',
  description: 'A file of another program, in the form of `format`.',
  examples: [
    { results: [{ id: '7', memory: 'Prefers tea', user_id: 'ada', created_at: '2026-03-28T09:30:00Z' }] },
  ],
})
