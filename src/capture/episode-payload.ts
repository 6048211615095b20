import type { TSchema } from 'typebox'
import { capturedKey } from '../domain/captured-content.ts'
import { EpisodicPayload } from '../domain/payloads.ts'
import type { Fault } from '../kernel/errors.ts'
import { type Check, type Evidence, type Fields, findFieldFaults, keepRest, pickFields } from './evidence.ts'

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

export function findEpisodeFaults({ fields }: Evidence, check: Check): Fault[] {
  return [...findFieldFaults(fields, eventFields, [], check), ...findCovered(fields)]
}

export function findToolFaults({ fields }: Evidence, check: Check): Fault[] {
  const isNamed = ['tool_name', 'tool', 'tool_graph'].some((name) => Object.hasOwn(fields, name))
  const nameless = isNamed ? [] : [{ pointer: '/content/tool_name', message: 'is required of a tool output' }]
  return [...nameless, ...findFieldFaults(fields, toolFields, [], check), ...findCovered(fields)]
}

/** What the caller's environment says there would be lost under what is kept. */
function findCovered({ environment }: Fields): Fault[] {
  const context = (environment as EpisodicPayload['environment'])?.context
  if (!context || !Object.hasOwn(context, capturedKey)) return []
  const message = 'is taken: what was captured is kept there'
  return [{ pointer: `/content/environment/context/${capturedKey}`, message }]
}

type Teller = { summary: string; kind: string; call?: Node | undefined }

/** The evidence must have been found without faults. */
export function tellEpisode(evidence: Evidence, { summary, kind, call }: Teller): EpisodicPayload {
  const { fields, given, at } = evidence
  const told = pickFields(fields, Object.keys(ownFields)) as Partial<EpisodicPayload>
  const said = fields as { ref?: string; event_kind?: string }
  const event: Event = {
    t: at,
    event_kind: said.event_kind ?? kind,
    ref: said.ref ?? given.source,
    ...(summary === '' ? {} : { summary }),
  }
  const { environment, timeline = [], tool_graph: graph = [], artifacts = [], ...rest } = told
  return {
    kind: 'episodic',
    ...rest,
    timeline: [event, ...timeline],
    tool_graph: call ? [...graph, call] : graph,
    artifacts,
    ...placeKept(environment, keepRest(evidence, placedFields(call, fields))),
  }
}

function placeKept(environment: EpisodicPayload['environment'], kept: Fields) {
  if (Object.keys(kept).length === 0) return environment ? { environment } : {}
  return { environment: { ...environment, context: { ...environment?.context, [capturedKey]: kept } } }
}

const placedInEvent = new Set(Object.keys(eventFields))

/** The name of the tool has one place, so the second of two names stays with the rest. */
function placedFields(call: Node | undefined, fields: Fields): ReadonlySet<string> {
  if (!call) return placedInEvent
  const name = Object.hasOwn(fields, 'tool_name') ? 'tool_name' : 'tool'
  const id = call.id === fields['id'] ? ['id'] : []
  return new Set([...placedInEvent, name, 'args', 'result', 'depends_on', ...id])
}

/** The call that a tool's output is of; none when the content gives its calls in the tool graph alone. */
export function findCall({ fields, at }: Evidence, check: Check): Node | undefined {
  const said = fields as { tool_name?: string; tool?: string; tool_graph?: Node[]; depends_on?: string[] }
  const name = said.tool_name ?? said.tool
  if (name === undefined) return undefined
  return {
    id: nameCall(fields['id'], said.tool_graph ?? [], check),
    tool: name,
    ...pickFields(fields, ['args', 'result']),
    timestamp: at,
    ...(said.depends_on ? { depends_on: said.depends_on } : {}),
  }
}

/** Its own id if it has one that can be used, or the first number that no other node bears. */
function nameCall(given: unknown, graph: readonly Node[], check: Check): string {
  const taken = new Set(graph.map(({ id }) => id))
  if (typeof given === 'string' && check(node_id, given).length === 0 && !taken.has(given)) return given
  let number = graph.length + 1
  while (taken.has(String(number))) number++
  return String(number)
}
