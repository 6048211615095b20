import type { TSchema } from 'typebox'
import { capturedKey } from '../domain/captured-content.ts'
import { EpisodicPayload } from '../domain/payloads.ts'
import type { Fault } from '../kernel/errors.ts'
import {
  type CheckSchema,
  collectUnusedContent,
  type Evidence,
  type Fields,
  findFieldFaults,
  pickFields,
} from './evidence.ts'

/** What happened, as an episode: its own event, what the content tells of it, and the rest under its environment. */

type Event = EpisodicPayload['timeline'][number]
type Node = EpisodicPayload['tool_graph'][number]

const { timeline, tool_graph, tool_graph_ref, environment, outcome, artifacts } = EpisodicPayload.properties
const { ref, event_kind } = timeline.items.properties
/** Whatever is captured may bear a name of its own. */
export const refSchema = ref
const { id: node_id, tool, depends_on } = tool_graph.items.properties

const ownFields = { timeline, tool_graph, tool_graph_ref, environment, outcome, artifacts }
const eventFields: Readonly<Record<string, TSchema>> = { ...ownFields, ref, event_kind }
const toolFields: Readonly<Record<string, TSchema>> = { ...eventFields, tool_name: tool, tool, depends_on }

export function findEpisodeFaults({ fields }: Evidence, check: CheckSchema): Fault[] {
  return [...findFieldFaults(fields, eventFields, [], check), ...findReservedContext(fields)]
}

export function findToolFaults({ fields }: Evidence, check: CheckSchema): Fault[] {
  const isNamed = ['tool_name', 'tool', 'tool_graph'].some((name) => Object.hasOwn(fields, name))
  const nameless = isNamed ? [] : [{ pointer: '/content/tool_name', message: 'is required of a tool output' }]
  return [...nameless, ...findFieldFaults(fields, toolFields, [], check), ...findReservedContext(fields)]
}

/** What the caller's environment says there would be lost under what is kept. */
function findReservedContext({ environment }: Fields): Fault[] {
  const context = (environment as EpisodicPayload['environment'])?.context
  if (!context || !Object.hasOwn(context, capturedKey)) return []
  const message = 'is taken: what was captured is kept there'
  return [{ pointer: `/content/environment/context/${capturedKey}`, message }]
}

type EpisodeParts = { summary: string; kind: string; call?: Node | undefined }

/** The evidence must have been found without faults. */
export function buildEpisodePayload(
  evidence: Evidence,
  { summary, kind, call }: EpisodeParts,
): EpisodicPayload {
  const { fields, input: proposedId, occurredAt: at } = evidence
  const ownValues = pickFields(fields, Object.keys(ownFields)) as Partial<EpisodicPayload>
  const values = fields as { ref?: string; event_kind?: string }
  const event: Event = {
    t: at,
    event_kind: values.event_kind ?? kind,
    ref: values.ref ?? proposedId.source,
    ...(summary === '' ? {} : { summary }),
  }
  const { environment, timeline = [], tool_graph: graph = [], artifacts = [], ...rest } = ownValues
  return {
    kind: 'episodic',
    ...rest,
    timeline: [event, ...timeline],
    tool_graph: call ? [...graph, call] : graph,
    artifacts,
    ...addKeptContent(environment, collectUnusedContent(evidence, listUsedFields(call, fields))),
  }
}

function addKeptContent(environment: EpisodicPayload['environment'], kept: Fields) {
  if (Object.keys(kept).length === 0) return environment ? { environment } : {}
  return { environment: { ...environment, context: { ...environment?.context, [capturedKey]: kept } } }
}

const eventFieldNames = new Set(Object.keys(eventFields))

/** The name of the tool has one place, so the second of two names stays with the rest. */
function listUsedFields(call: Node | undefined, fields: Fields): ReadonlySet<string> {
  if (!call) return eventFieldNames
  const name = Object.hasOwn(fields, 'tool_name') ? 'tool_name' : 'tool'
  const id = call.id === fields['id'] ? ['id'] : []
  return new Set([...eventFieldNames, name, 'args', 'result', 'depends_on', ...id])
}

/** The call that a tool's output is of; none when the content gives its calls in the tool graph alone. */
export function findToolCall({ fields, occurredAt: at }: Evidence, check: CheckSchema): Node | undefined {
  const values = fields as { tool_name?: string; tool?: string; tool_graph?: Node[]; depends_on?: string[] }
  const name = values.tool_name ?? values.tool
  if (name === undefined) return undefined
  return {
    id: chooseCallId(fields['id'], values.tool_graph ?? [], check),
    tool: name,
    ...pickFields(fields, ['args', 'result']),
    timestamp: at,
    ...(values.depends_on ? { depends_on: values.depends_on } : {}),
  }
}

/** Its own id if it has one that can be used, or the first number that no other node bears. */
function chooseCallId(proposedId: unknown, graph: readonly Node[], check: CheckSchema): string {
  const taken = new Set(graph.map(({ id }) => id))
  if (typeof proposedId === 'string' && check(node_id, proposedId).length === 0 && !taken.has(proposedId))
    return proposedId
  let number = graph.length + 1
  while (taken.has(String(number))) number++
  return String(number)
}
