import Type, { type Static } from 'typebox'
import { closed, Time } from '../schemas/shapes.ts'
import { MessagePlace } from './message-place.ts'
import { Json, JsonObject, Kind, Text, Texts, Words } from './payload-fields.ts'

/** The content of records that say what happens: episodes and tasks. */

const optional = Type.Optional

export const Outcome = Type.Enum(['success', 'failure', 'partial'], { description: 'How the episode ended.' })
export type Outcome = Static<typeof Outcome>

const TimelineEvent = closed({
  t: Time({ description: 'When the event happened.' }),
  event_kind: Text('What kind of event it is, such as `message`.', 256),
  ref: Text('A reference to the source of the event.', 2_048),
  summary: optional(Words('The event in words.')),
})

const ToolNode = closed({
  id: Text('The id of the call in this graph.', 256),
  tool: Text('The name of the tool.', 256),
  args: optional(Json('The arguments of the call.')),
  result: optional(Json('The result of the call.')),
  timestamp: optional(Time({ description: 'When the tool was called.' })),
  depends_on: optional(Texts('The ids of the calls on which this call depends.', 256)),
})

const Environment = closed(
  {
    os: optional(Words('The operating system.')),
    os_version: optional(Words('The version of the operating system.')),
    tool_versions: optional(
      Type.Record(Type.String(), Type.String(), { description: 'The versions of tools, by name.' }),
    ),
    working_directory: optional(Words('The directory in which it happened.')),
    context: optional(JsonObject('Any other circumstances.')),
  },
  { description: 'Where the episode happened.' },
)

export const EpisodicPayload = closed(
  {
    kind: Kind('episodic'),
    conversation: optional(MessagePlace),
    timeline: Type.Array(TimelineEvent, { description: 'The events of the episode.' }),
    tool_graph: Type.Array(ToolNode, { description: 'The tool calls of the episode.' }),
    environment: optional(Environment),
    outcome: optional(Outcome),
    artifacts: Texts('References to what was produced, such as files.', 2_048),
    tool_graph_ref: optional(Text('A reference to a tool graph that is stored elsewhere.', 2_048)),
  },
  { description: 'Raw experience as time-ordered evidence. Only its outcome can change.' },
)
export type EpisodicPayload = Static<typeof EpisodicPayload>

const Constraint = closed({
  type: Text('The kind of constraint.', 256),
  key: Text('The name of the constraint.', 256),
  value: Json('Any JSON value.'),
  required: Type.Boolean({ description: 'Whether the constraint must hold.' }),
})

export const WorkingPayload = closed(
  {
    kind: Kind('working'),
    thread_id: Text(
      'The id of the task or session. A later capture with the same id updates the record.',
      256,
    ),
    state: Type.Enum(['planning', 'executing', 'blocked', 'waiting', 'done'], {
      description: 'The state of the task.',
    }),
    active_constraints: Type.Array(Constraint, { description: 'What holds for the task.' }),
    next_actions: Texts('What to do next.'),
    open_questions: Texts('What is not known yet.'),
    context_summary: optional(Words('The task so far, in words.')),
  },
  { description: 'The resumable state of a task.' },
)
export type WorkingPayload = Static<typeof WorkingPayload>
