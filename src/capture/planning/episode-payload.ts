import type { TSchema } from 'typebox'
import { capturedKey } from '../../domain/payloads/captured-content.ts'
import { EpisodicPayload } from '../../domain/payloads/payloads.ts'
import type { Fault } from '../../kernel/errors.ts'
import {
  type CheckSchema,
  collectUnusedContent,
  type Evidence,
  type Fields,
  findFieldFaults,
  pickFields,
} from './evidence.ts'

/**
 * Builds an episode: its own event, the fields that the content gives, and all other content under
 * `environment.context`.
 */

type Event = EpisodicPayload['timeline'][number]
type Node = EpisodicPayload['tool_graph'][number]

const { timeline, tool_graph, tool_graph_ref, environment, outcome, artifacts } = EpisodicPayload.properties
const { ref, event_kind } = timeline.items.properties
/** The schema of `content.ref`, which any kind of capture may have. */
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
  const nameless = isNamed
    ? []
    : [{ pointer: '/content/tool_name', message: 'is required for a tool output' }]
  const faults = findFieldFaults(fields, toolFields, [], check)
  const circular = faults.length === 0 ? findOwnDependency(fields as ToolValues) : []
  return [...nameless, ...faults, ...circular, ...findReservedContext(fields)]
}

type ToolValues = {
  id?: unknown
  tool_name?: string
  tool?: string
  tool_graph?: Node[]
  depends_on?: string[]
}

/** An id that a call of `tool_graph` has is not the id of the call itself. */
function findOwnDependency({ id, tool_graph: graph = [], depends_on: needed = [] }: ToolValues): Fault[] {
  if (graph.some((node) => node.id === id)) return []
  return needed.flatMap((each, index) =>
    each === id
      ? [{ pointer: `/content/depends_on/${index}`, message: 'must not be the id of the call itself' }]
      : [],
  )
}

/** The captured content is stored under this key, so a value of the caller there would be lost. */
function findReservedContext({ environment }: Fields): Fault[] {
  const context = (environment as EpisodicPayload['environment'])?.context
  if (!context || !Object.hasOwn(context, capturedKey)) return []
  const message = 'is reserved: the captured content is stored there'
  return [{ pointer: `/content/environment/context/${capturedKey}`, message }]
}

type EpisodeParts = { summary: string; kind: string; call?: Node | undefined }

/** Expects evidence in which `findEpisodeFaults` or `findToolFaults` found nothing. */
export function buildEpisodePayload(
  evidence: Evidence,
  { summary, kind, call }: EpisodeParts,
): EpisodicPayload {
  const { fields, input, occurredAt: at } = evidence
  const ownValues = pickFields(fields, Object.keys(ownFields)) as Partial<EpisodicPayload>
  const values = fields as { ref?: string; event_kind?: string }
  const event: Event = {
    t: at,
    event_kind: values.event_kind ?? kind,
    ref: values.ref ?? input.source,
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

/**
 * The payload has one place for the tool's name. If the content gives two names, the second stays with the other
 * content.
 */
function listUsedFields(call: Node | undefined, fields: Fields): ReadonlySet<string> {
  if (!call) return eventFieldNames
  const name = Object.hasOwn(fields, 'tool_name') ? 'tool_name' : 'tool'
  const id = call.id === fields['id'] ? ['id'] : []
  return new Set([...eventFieldNames, name, 'args', 'result', 'depends_on', ...id])
}

/** Returns the call that produced a tool output. Undefined if the content gives its calls only in `tool_graph`. */
export function findToolCall({ fields, occurredAt: at }: Evidence, check: CheckSchema): Node | undefined {
  const values: ToolValues = fields
  const name = values.tool_name ?? values.tool
  if (name === undefined) return undefined
  return {
    id: chooseCallId(values, check),
    tool: name,
    ...pickFields(fields, ['args', 'result']),
    timestamp: at,
    ...(values.depends_on ? { depends_on: values.depends_on } : {}),
  }
}

/** Returns the proposed id if it is valid and unused, otherwise the first number that no call has or depends on. */
function chooseCallId(
  { id: proposedId, tool_graph: graph = [], depends_on: needed = [] }: ToolValues,
  check: CheckSchema,
): string {
  const taken = new Set(graph.map(({ id }) => id))
  if (typeof proposedId === 'string' && check(node_id, proposedId).length === 0 && !taken.has(proposedId))
    return proposedId
  const unavailable = new Set([...taken, ...needed, ...graph.flatMap((node) => node.depends_on ?? [])])
  let number = graph.length + 1
  while (unavailable.has(String(number))) number++
  return String(number)
}
