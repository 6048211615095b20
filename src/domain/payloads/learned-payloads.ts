import Type from 'typebox'
import { closed, Time, Unit } from '../schemas/shapes.ts'
import { Count, Json, JsonObject, Kind, Milliseconds, Text, Texts, Words } from './payload-fields.ts'

/** The content of records that say how to do something: competences and plan graphs. */

const optional = Type.Optional

const Trigger = closed({
  signal: Text('What shows that the competence fits.'),
  conditions: optional(JsonObject('Conditions that must hold as well.')),
})

const Step = closed({
  step: Text('What to do.'),
  tool: optional(Text('The tool to use.', 256)),
  args_schema: optional(JsonObject('The arguments of the tool, as a JSON schema.')),
  validation: optional(Words('How to check the result.')),
})

const Performance = closed(
  {
    success_count: Count('How many uses succeeded.'),
    failure_count: Count('How many uses failed.'),
    success_rate: Unit({ description: 'The share of the uses that succeeded.' }),
    avg_latency_ms: optional(Milliseconds('The mean duration of a use.')),
    last_used_at: optional(Time({ description: 'When the competence was last used.' })),
  },
  { description: 'How well the competence worked so far.' },
)

export const CompetencePayload = closed(
  {
    kind: Kind('competence'),
    skill_name: Text('The name of the competence.', 1_024),
    triggers: Type.Array(Trigger, { description: 'When to use the competence.' }),
    recipe: Type.Array(Step, { description: 'The steps, in order.' }),
    required_tools: Texts('The tools that the competence needs.', 256),
    failure_modes: Texts('How it can fail.'),
    fallbacks: Texts('What to do if it fails.'),
    performance: optional(Performance),
    version: optional(Text('The version of the competence.', 256)),
  },
  { description: 'A learned procedure and how well it works.' },
)

const PlanNode = closed({
  id: Text('The id of the node, unique in the graph.', 256),
  op: Text('What the node does.', 1_024),
  params: optional(JsonObject('The parameters of the operation.')),
  guards: optional(Json('The conditions under which the node may run.')),
})

const PlanEdge = closed({
  from: Text('The id of the node that comes first.', 256),
  to: Text('The id of the node that comes after it.', 256),
  kind: Type.Enum(['data', 'control'], {
    description: '`data`: the second node uses the result of the first. `control`: only the order counts.',
  }),
})

const Metrics = closed(
  {
    avg_latency_ms: optional(Milliseconds('The mean duration of an execution.')),
    failure_rate: optional(Unit({ description: 'The share of the executions that failed.' })),
    execution_count: Count('How often the plan graph was executed.'),
    last_executed_at: optional(Time({ description: 'When the plan graph was last executed.' })),
  },
  { description: 'How well the plan graph worked so far.' },
)

export const PlanGraphPayload = closed(
  {
    kind: Kind('plan_graph'),
    plan_id: Text('The id of the plan graph, chosen by the client.', 256),
    version: Text('The version of the plan graph.', 256),
    intent: optional(Words('What the plan graph achieves.')),
    constraints: optional(JsonObject('Conditions of the whole plan graph.')),
    inputs_schema: optional(JsonObject('The inputs, as a JSON schema.')),
    outputs_schema: optional(JsonObject('The outputs, as a JSON schema.')),
    nodes: Type.Array(PlanNode, { description: 'The nodes of the graph.' }),
    edges: Type.Array(PlanEdge, { description: 'The order of the nodes, without cycles.' }),
    metrics: optional(Metrics),
  },
  { description: 'A reusable solution as a directed acyclic graph.' },
)
