import Type, { type Static } from 'typebox'
import { Outcome } from '../domain/payloads/payloads.ts'
import {
  Actor,
  ChosenScope,
  NewConversationId,
  NewMemoryKind,
  NewSensitivity,
  NewSourceType,
  Rationale,
  Tags,
  TypeOf,
} from '../domain/schemas/request-fields.ts'
import { ref } from '../domain/schemas/schema-ref.ts'
import { closed, Time, Unit, Uuid } from '../domain/schemas/shapes.ts'
import { WrittenRecord } from '../records/index.ts'
import { RelationEdge } from '../relations/index.ts'

const id = '0197b9a0-0000-7000-8000-000000000001'
const otherId = '0197b9a0-0000-7000-8000-000000000002'

export const NewCapture = closed(
  {
    source: Type.String({
      minLength: 1,
      maxLength: 256,
      description: 'The person, agent or tool that reports the evidence.',
    }),
    source_kind: Type.Optional(
      Type.String({
        maxLength: 256,
        description:
          'The kind of evidence: `event` (default), `tool_output`, `observation`, `working_state`, `agent_turn` or ' +
          '`outcome`. Any other value is treated as an event.',
      }),
    ),
    content: Type.Unknown({
      description:
        'Any JSON value. All of it is kept. In an object these fields have a meaning. `ref`: a name for the evidence; ' +
        'a retry repeats it. `event_kind`, `timeline`, `tool_graph`, `tool_graph_ref`, `outcome`, ' +
        '`artifacts` and `environment`: copied to the episode. `subject`, `predicate` and `object`: a fact, ' +
        'optionally with `validity` and `revision_policy`. For a tool output: `tool_name` (or `tool`), `args`, ' +
        '`result` and `depends_on`. For a working state: `thread_id` (required), `state`, `active_constraints`, ' +
        '`next_actions`, `open_questions` and `context_summary`. For an outcome: `target_id`, `outcome` (both ' +
        'required) and `rationale`.',
    }),
    context: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'The circumstances of the event. Kept with the content.',
      }),
    ),
    reason_to_remember: Type.Optional(
      Type.String({ description: 'Why it should be remembered. Kept with the content.' }),
    ),
    proposed_type: Type.Optional(
      TypeOf(
        'The record type that fits best. Kept in the interpretation; it does not change what is stored.',
      ),
    ),
    summary: Type.Optional(
      Type.String({
        description:
          'What happened, in one sentence. Default: generated. A context contains it, but not the arguments of tools: say here what a tool call did.',
      }),
    ),
    tags: Type.Optional(Tags('Tags of the stored records, except of new entities.')),
    scope: Type.Optional(ChosenScope('The scope of the new records.')),
    sensitivity: Type.Optional(NewSensitivity()),
    timestamp: Type.Optional(
      Time({
        description:
          'When it happened: the time of the event in the stored episode. `created_at` of the records is always the time of the call. Must not be in the future. Default: now.',
      }),
    ),
    conversation: Type.Optional(
      closed(
        {
          id: NewConversationId(),
          position: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: 999,
              default: 0,
              description:
                'The order among events with the same `timestamp`. Events with the same position follow in the order of their arrival.',
            }),
          ),
        },
        {
          description:
            'The conversation in which the event is listed, together with its messages. Not used for working states and outcomes.',
        },
      ),
    ),
    source_type: Type.Optional(NewSourceType()),
    importance: Type.Optional(
      Unit({ description: 'The base importance of the stored records. Default: judged from their content.' }),
    ),
    memory_kind: Type.Optional(NewMemoryKind()),
  },
  {
    $id: 'NewCapture',
    description: 'Evidence from which linked records are created.',
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
        '`created`: a new record. `confirmed`: a record already states the fact for the time and conditions of this ' +
        'one. `replaced`, `forked`, `contested`: a record stated another object, or denied the fact, as `does not prefer` ' +
        'denies `prefers`, and the revision policy of that record was applied. `challenged`: the fact was withdrawn ' +
        'earlier, and the new record waits for review. `erased`: the fact was erased earlier and is not stored.',
    }),
    policy: Type.Optional(
      Type.Enum(['replace', 'fork', 'contest'], { description: 'The revision policy of the existing fact.' }),
    ),
    record_id: Type.Optional(Uuid({ description: 'The record that states the fact now.' })),
    other_id: Type.Optional(
      Uuid({ description: 'The existing record with another object, or that denies the fact.' }),
    ),
  },
  { $id: 'DerivedFact', examples: [{ outcome: 'contested', policy: 'contest', record_id: id }] },
)
export type DerivedFact = Static<typeof DerivedFact>

export const Captured = closed(
  {
    primary_record: ref(WrittenRecord),
    created_records: Type.Array(ref(WrittenRecord), {
      description: 'All new records. The primary record is first if it is new.',
    }),
    edges: Type.Array(ref(RelationEdge), { description: 'All new relations, with their inverses.' }),
    deduplicated: Type.Boolean({
      description:
        'True if the same source, scope and `content.ref` were captured before. Then nothing is stored.',
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
            source_id: otherId,
            predicate: 'derived_from',
            target_id: id,
            weight: 1,
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
    actor: Actor(),
    rationale: Type.Optional(Rationale()),
  },
  {
    $id: 'OutcomeChoice',
    description: 'The outcome of an episode.',
    examples: [{ outcome: 'success', actor: 'ci', rationale: 'all checks passed' }],
  },
)
export type OutcomeChoice = Static<typeof OutcomeChoice>
