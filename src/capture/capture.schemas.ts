import Type, { type Static } from 'typebox'
import { Outcome } from '../domain/payloads.ts'
import { ref } from '../domain/schema-ref.ts'
import { closed, Time, Unit, Uuid } from '../domain/shapes.ts'
import { MemoryKind, RecordType, Sensitivity, SourceType } from '../domain/vocabulary.ts'
import { WrittenRecord } from '../records/index.ts'
import { RelationEdge } from '../relations/index.ts'

const id = '0197b9a0-0000-7000-8000-000000000001'
const otherId = '0197b9a0-0000-7000-8000-000000000002'

export const NewCapture = closed(
  {
    source: Type.String({ minLength: 1, maxLength: 256, description: 'Who or what tells it.' }),
    source_kind: Type.Optional(
      Type.String({
        maxLength: 256,
        description:
          'What kind of evidence it is: `event` (the default), `tool_output`, `observation`, `working_state`, ' +
          '`agent_turn` or `outcome`; any other is an event.',
      }),
    ),
    content: Type.Unknown({
      description:
        'Any JSON value, kept in full. Of an object these fields have a meaning: `ref` names the evidence, so that ' +
        'a retry is known; `event_kind`, `timeline`, `tool_graph`, `tool_graph_ref`, `outcome`, `artifacts` and ' +
        '`environment` become those of the episode; `subject`, `predicate` and `object` together are a fact, with ' +
        '`validity` and `revision_policy`; `tool_name` (or `tool`), `args`, `result` and `depends_on` are a tool ' +
        "call's; `thread_id`, `state`, `active_constraints`, `next_actions`, `open_questions` and " +
        "`context_summary` a working state's; `target_id`, `outcome` and `rationale` an outcome's.",
    }),
    context: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'What was so when it happened.' }),
    ),
    reason_to_remember: Type.Optional(Type.String()),
    proposed_type: Type.Optional(RecordType),
    summary: Type.Optional(Type.String()),
    tags: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 256 }), { maxItems: 100 })),
    scope: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    sensitivity: Type.Optional(Sensitivity),
    timestamp: Type.Optional(Time({ description: 'When it happened; not in the future, default now.' })),
    source_type: Type.Optional(SourceType),
    importance: Type.Optional(Unit({ description: 'The base importance of what is stored.' })),
    memory_kind: Type.Optional(MemoryKind),
  },
  {
    $id: 'NewCapture',
    description: 'Evidence to be turned into linked records.',
    examples: [
      {
        source: 'auth-agent',
        source_kind: 'event',
        content: { ref: 'thread-1:turn-7', text: 'Refactored auth middleware and verified package tests' },
        reason_to_remember: 'Keep auth refactor context',
        summary: 'Refactored auth middleware',
        tags: ['auth'],
        sensitivity: 'low',
      },
      {
        source: 'auth-agent',
        source_kind: 'observation',
        content: { subject: 'user', predicate: 'prefers_language', object: 'Go' },
      },
      {
        source: 'auth-agent',
        source_kind: 'tool_output',
        content: { tool_name: 'go test', args: ['./pkg/auth'], result: { passed: 12 }, outcome: 'success' },
      },
      {
        source: 'auth-agent',
        source_kind: 'working_state',
        content: { thread_id: 'session-001', state: 'executing', next_actions: ['run tests'] },
      },
      {
        source: 'auth-agent',
        source_kind: 'outcome',
        content: { target_id: id, outcome: 'success' },
      },
    ],
  },
)
export type NewCapture = Static<typeof NewCapture>

export const DerivedFact = closed(
  {
    outcome: Type.Enum(['created', 'confirmed', 'replaced', 'forked', 'contested', 'challenged', 'erased'], {
      description:
        '`created`: new. `confirmed`: it stood already. `replaced`, `forked`, `contested`: another object stood, ' +
        'and its policy decided. `challenged`: it was withdrawn before, and waits for review. `erased`: it was ' +
        'erased before, and is not stored again.',
    }),
    policy: Type.Optional(
      Type.Enum(['replace', 'fork', 'contest'], { description: 'Of the fact that stood already.' }),
    ),
    record_id: Type.Optional(Uuid({ description: 'The record that now says it.' })),
    other_id: Type.Optional(Uuid({ description: 'The record that stood against it.' })),
  },
  { $id: 'DerivedFact', examples: [{ outcome: 'contested', policy: 'contest', record_id: id }] },
)
export type DerivedFact = Static<typeof DerivedFact>

export const Captured = closed(
  {
    primary_record: ref(WrittenRecord),
    created_records: Type.Array(ref(WrittenRecord), {
      description: 'Every record that is new, the primary record first when it is.',
    }),
    edges: Type.Array(ref(RelationEdge), { description: 'Every edge that is new, inverses with them.' }),
    deduplicated: Type.Boolean({
      description: 'The same source, scope and `content.ref` were captured before; nothing was stored.',
    }),
    fact: Type.Optional(ref(DerivedFact)),
  },
  {
    $id: 'Captured',
    examples: [
      {
        primary_record: { id, version: 1 },
        created_records: [
          { id, version: 1 },
          { id: otherId, version: 1 },
        ],
        edges: [
          {
            ...{ source_id: otherId, predicate: 'derived_from', target_id: id, weight: 1 },
            created_at: '2026-03-28T09:30:00.000Z',
          },
        ],
        deduplicated: false,
        fact: { outcome: 'created', record_id: otherId },
      },
    ],
  },
)
export type Captured = Static<typeof Captured>

export const OutcomeChoice = closed(
  {
    outcome: Outcome,
    actor: Type.String({ minLength: 1, maxLength: 256 }),
    rationale: Type.Optional(Type.String({ minLength: 1, maxLength: 4_096 })),
  },
  {
    $id: 'OutcomeChoice',
    description: 'How an episode ended.',
    examples: [{ outcome: 'success', actor: 'ci', rationale: 'all checks passed' }],
  },
)
export type OutcomeChoice = Static<typeof OutcomeChoice>

export const EpisodePath = Type.Object({ id: Uuid() })
