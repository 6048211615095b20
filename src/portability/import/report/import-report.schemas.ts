import Type, { type Static } from 'typebox'
import { ChosenScope, MaskSecrets } from '../../../domain/schemas/request-fields.ts'
import { ref } from '../../../domain/schemas/schema-ref.ts'
import { closed, Uuid } from '../../../domain/schemas/shapes.ts'
import { Problem } from '../../../http/problems/problem-responses.ts'
import { WrittenRecord } from '../../../records/index.ts'
import { foreignFormats } from '../../foreign/formats.ts'

const optional = Type.Optional

export const ImportQuery = closed({
  dry_run: optional(Type.Boolean({ description: 'Checks every line and stores nothing.' })),
  format: optional(
    Type.Enum(['membrane', ...foreignFormats], {
      description: 'The program that wrote the file. Default: recognised by the beginning of the file.',
    }),
  ),
  report: optional(
    Type.Enum(['all', 'refused'], {
      default: 'all',
      description:
        'What the report lists. `all`: every line. `refused`: only refused lines, at most 1,000; empty lines keep the connection open. The summary counts all lines. A client that reads the report only after it has sent everything, such as a browser, needs `refused` for a large file.',
    }),
  ),
  mask_secrets: MaskSecrets('In the `sample` of a dry run, '),
  scope: optional(
    ChosenScope(
      'The scope in which the records of a file of another program are stored. Not for the format `membrane`, whose lines have their own.',
    ),
  ),
})
export type ImportQuery = Static<typeof ImportQuery>

const ImportedLine = closed(
  {
    line: Type.Integer({ minimum: 1, description: 'The number of the line in the request, from 1.' }),
    id: optional(Uuid()),
    status: Type.Enum(['created', 'unchanged', 'conflict', 'invalid']),
    problem: optional(ref(Problem)),
  },
  { $id: 'ImportedLine', description: 'The result of one line.' },
)

const Tally = closed({
  created: Type.Integer({ minimum: 0 }),
  unchanged: Type.Integer({ minimum: 0 }),
  conflict: Type.Integer({ minimum: 0 }),
  invalid: Type.Integer({ minimum: 0 }),
})
export type Tally = Static<typeof Tally>

const ImportSummary = closed(
  {
    summary: Tally,
    format: optional(Type.Enum([...foreignFormats])),
    dry_run: optional(Type.Boolean()),
    position: optional(
      Type.String({
        description: 'The position of the import: send it as the header `Membrane-Position` of a read.',
      }),
    ),
    sample: optional(
      Type.Array(ref(WrittenRecord), {
        description: 'After a dry run: up to 5 records as they would be stored.',
      }),
    ),
    loose_relations: optional(
      closed(
        {
          count: Type.Integer({ minimum: 1 }),
          first: Type.Array(closed({ source_id: Uuid(), predicate: Type.String(), target_id: Uuid() })),
        },
        {
          description:
            'Relations that were not stored, because their targets are not in the file. The first 100 are listed.',
        },
      ),
    ),
  },
  { $id: 'ImportSummary', description: 'The last line of an import that was read to its end.' },
)

const ImportFailure = closed(
  { problem: ref(Problem) },
  { $id: 'ImportFailure', description: 'The import ended early.' },
)

export const ImportReport = Type.Union([ref(ImportedLine), ref(ImportSummary), ref(ImportFailure)], {
  $id: 'ImportReport',
  description: 'One line of the report. The last line is a summary, or the problem that ended the import.',
  examples: [{ line: 1, id: '0197b9a0-0000-7000-8000-000000000001', status: 'created' }],
})
export type ImportReport = Static<typeof ImportReport>

export const ForeignFile = Type.Union(
  [Type.Record(Type.String(), Type.Unknown()), Type.Array(Type.Unknown())],
  {
    $id: 'ForeignFile',
    description: 'A file of another program, in the form of `format`.',
    examples: [
      { results: [{ id: '7', memory: 'Prefers tea', user_id: 'ada', created_at: '2026-03-28T09:30:00Z' }] },
    ],
  },
)
