import Type, { type Static, type TArray, type TObject, type TOptional, type TProperties } from 'typebox'
import { removeRepeatedIdentifiers } from './distinct-identifiers.ts'
import { MessagePlace } from './message-place.ts'
import { closed, Time, Unit, Uuid } from './shapes.ts'
import { Validity } from './validity.ts'

/** The content of a record, by type. A response contains every list; a request may leave out empty ones. */

const Text = (maxLength = 100_000) => Type.String({ minLength: 1, maxLength })
const Json = (description: string) => Type.Unknown({ description })
const JsonObject = () => Type.Record(Type.String(), Type.Unknown())
const Count = () => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Milliseconds = () => Type.Number({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

export const Outcome = Type.Enum(['success', 'failure', 'partial'])
export type Outcome = Static<typeof Outcome>

const TimelineEvent = closed({
  t: Time(),
  event_kind: Text(256),
  ref: Text(2_048),
  summary: Type.Optional(Type.String()),
})

const ToolNode = closed({
  id: Text(256),
  tool: Text(256),
  args: Type.Optional(Json('The arguments of the call.')),
  result: Type.Optional(Json('The result of the call.')),
  timestamp: Type.Optional(Time()),
  depends_on: Type.Optional(Type.Array(Text(256))),
})

const Environment = closed({
  os: Type.Optional(Type.String()),
  os_version: Type.Optional(Type.String()),
  tool_versions: Type.Optional(Type.Record(Type.String(), Type.String())),
  working_directory: Type.Optional(Type.String()),
  context: Type.Optional(JsonObject()),
})

export const EpisodicPayload = closed(
  {
    kind: Type.Literal('episodic'),
    conversation: Type.Optional(MessagePlace),
    timeline: Type.Array(TimelineEvent),
    tool_graph: Type.Array(ToolNode),
    environment: Type.Optional(Environment),
    outcome: Type.Optional(Outcome),
    artifacts: Type.Array(Text(2_048)),
    tool_graph_ref: Type.Optional(Text(2_048)),
  },
  { description: 'Raw experience as time-ordered evidence. Only its outcome can change.' },
)
export type EpisodicPayload = Static<typeof EpisodicPayload>

export const WorkingPayload = closed(
  {
    kind: Type.Literal('working'),
    thread_id: Text(256),
    state: Type.Enum(['planning', 'executing', 'blocked', 'waiting', 'done']),
    active_constraints: Type.Array(
      closed({ type: Text(256), key: Text(256), value: Json('Any JSON value.'), required: Type.Boolean() }),
    ),
    next_actions: Type.Array(Text()),
    open_questions: Type.Array(Text()),
    context_summary: Type.Optional(Type.String()),
  },
  { description: 'The resumable state of a task.' },
)
export type WorkingPayload = Static<typeof WorkingPayload>

const Evidence = closed({
  source_type: Type.Enum(['event', 'tool', 'observation', 'human']),
  source_id: Text(2_048),
  timestamp: Time(),
})

export const SemanticPayload = closed(
  {
    kind: Type.Literal('semantic'),
    subject: Text(),
    predicate: Text(),
    object: Json('Any JSON value.'),
    validity: Validity,
    evidence: Type.Array(Evidence),
    revision_policy: Type.Optional(Type.Enum(['replace', 'fork', 'contest'])),
    revision: Type.Optional(
      closed(
        {
          supersedes: Type.Optional(Uuid()),
          superseded_by: Type.Optional(Uuid()),
          status: Type.Enum(['active', 'contested', 'retracted']),
        },
        { description: 'Written by revisions. A new record may only state `{"status": "active"}`.' },
      ),
    ),
  },
  { description: 'A fact: subject, predicate, object.' },
)
export type SemanticPayload = Static<typeof SemanticPayload>

const CompetencePayload = closed(
  {
    kind: Type.Literal('competence'),
    skill_name: Text(1_024),
    triggers: Type.Array(closed({ signal: Text(), conditions: Type.Optional(JsonObject()) })),
    recipe: Type.Array(
      closed({
        step: Text(),
        tool: Type.Optional(Text(256)),
        args_schema: Type.Optional(JsonObject()),
        validation: Type.Optional(Type.String()),
      }),
    ),
    required_tools: Type.Array(Text(256)),
    failure_modes: Type.Array(Text()),
    fallbacks: Type.Array(Text()),
    performance: Type.Optional(
      closed({
        success_count: Count(),
        failure_count: Count(),
        success_rate: Unit(),
        avg_latency_ms: Type.Optional(Milliseconds()),
        last_used_at: Type.Optional(Time()),
      }),
    ),
    version: Type.Optional(Text(256)),
  },
  { description: 'A learned procedure and how well it works.' },
)

const PlanNode = closed({
  id: Text(256),
  op: Text(1_024),
  params: Type.Optional(JsonObject()),
  guards: Type.Optional(Json('The conditions under which the node may run.')),
})
const PlanEdge = closed({ from: Text(256), to: Text(256), kind: Type.Enum(['data', 'control']) })

const PlanGraphPayload = closed(
  {
    kind: Type.Literal('plan_graph'),
    plan_id: Text(256),
    version: Text(256),
    intent: Type.Optional(Type.String()),
    constraints: Type.Optional(JsonObject()),
    inputs_schema: Type.Optional(JsonObject()),
    outputs_schema: Type.Optional(JsonObject()),
    nodes: Type.Array(PlanNode),
    edges: Type.Array(PlanEdge),
    metrics: Type.Optional(
      closed({
        avg_latency_ms: Type.Optional(Milliseconds()),
        failure_rate: Type.Optional(Unit()),
        execution_count: Count(),
        last_executed_at: Type.Optional(Time()),
      }),
    ),
  },
  { description: 'A reusable solution as a directed acyclic graph.' },
)

const Alias = closed({
  value: Text(1_024),
  kind: Type.Optional(Text(256)),
  locale: Type.Optional(Text(64)),
})

const EntityPayload = closed(
  {
    kind: Type.Literal('entity'),
    canonical_name: Text(1_024),
    primary_type: Text(256),
    types: Type.Array(Text(256)),
    aliases: Type.Array(Alias),
    identifiers: Type.Array(closed({ namespace: Text(256), value: Text(1_024) })),
    summary: Type.Optional(Type.String()),
  },
  {
    description:
      'A named thing. Any type is allowed; built-in types are Person, Organization, Agent, Project, Repository, File, Symbol, API, Service, Database, Tool, Task, Incident, Document, URL, Concept, Event, Other.',
  },
)

const NewEntityPayload = closed({
  ...EntityPayload.properties,
  types: Type.Optional(Type.Array(Text(256))),
  aliases: Type.Optional(Type.Array(Type.Union([Alias, Text(1_024)]))),
  identifiers: Type.Optional(EntityPayload.properties.identifiers),
})

const NewSemanticPayload = closed({
  ...SemanticPayload.properties,
  evidence: Type.Optional(SemanticPayload.properties.evidence),
  validity: Type.Optional(Validity),
})

export const Payload = Type.Union(
  [EpisodicPayload, WorkingPayload, EntityPayload, SemanticPayload, CompetencePayload, PlanGraphPayload],
  { $id: 'Payload' },
)
export type Payload = Static<typeof Payload>

export const NewPayload = Type.Union(
  [
    listsOptional(EpisodicPayload),
    listsOptional(WorkingPayload),
    NewEntityPayload,
    NewSemanticPayload,
    listsOptional(CompetencePayload),
    listsOptional(PlanGraphPayload),
  ],
  { $id: 'NewPayload', description: "The payload for the record's `type`. Empty lists may be left out." },
)
export type NewPayload = Static<typeof NewPayload>

type ListsOptional<P extends TProperties> = {
  [K in keyof P]: P[K] extends TArray ? TOptional<P[K]> : P[K]
}

function listsOptional<P extends TProperties>(schema: TObject<P>): TObject<ListsOptional<P>> {
  const properties = Object.entries(schema.properties).map(([name, property]) => [
    name,
    Type.IsArray(property) ? Type.Optional(property) : property,
  ])
  return closed(Object.fromEntries(properties) as ListsOptional<P>)
}

const listsByKind = new Map(
  Payload.anyOf.map((schema) => [
    schema.properties.kind.const as string,
    Object.entries(schema.properties)
      .filter(([, property]) => Type.IsArray(property))
      .map(([name]) => name),
  ]),
)

/** Adds the lists that were left out, writes every alias as an object and each identifier once: readers meet one shape. */
export function completePayload(given: NewPayload): Payload {
  const lists = (listsByKind.get(given.kind) ?? []).map((name) => [name, []])
  const complete = { ...Object.fromEntries(lists), ...given } as Payload
  if (complete.kind === 'semantic') return { ...complete, validity: complete.validity ?? { mode: 'global' } }
  if (complete.kind !== 'entity') return complete
  const aliases = complete.aliases.map((alias) => (typeof alias === 'string' ? { value: alias } : alias))
  return { ...complete, aliases, identifiers: removeRepeatedIdentifiers(complete.identifiers) }
}
