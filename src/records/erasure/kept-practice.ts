import { isDeepStrictEqual } from 'node:util'
import type { EpisodicPayload, Payload } from '../../domain/payloads/payloads.ts'
import { maskSecrets } from '../../domain/secrets/masking.ts'
import type { ContentRow } from '../stored-record.ts'

/**
 * Consolidation learns a skill or a plan from several episodes, but takes its words from one of them: the signals that
 * trigger a skill, and the intent, the parameters and the step names of a plan. When that episode is erased, these
 * words are removed unless a remaining episode has them too.
 */

/**
 * The contents of the sources whose words the record copied: of the erased sources, and of the remaining ones. `creators`: the
 * erased captures that the record was created from. `merged`: the erased records that it took the sources and types of.
 * `replaced`: the erased records that it is a successor or a fork of.
 */
export type SourceContents = Record<
  'erased' | 'remaining' | 'creators' | 'merged' | 'replaced',
  readonly ContentRow[]
>

type Texts = Pick<SourceContents, 'erased' | 'remaining'>
type Competence = Extract<Payload, { kind: 'competence' }>
type Plan = Extract<Payload, { kind: 'plan_graph' }>
type Call = EpisodicPayload['tool_graph'][number]

export function removeSignals(payload: Competence, sources: Texts): Competence {
  const isLost = createTextCheck(sources)
  return { ...payload, triggers: payload.triggers.filter(({ signal }) => !isLost(signal)) }
}

export function removePlanWords(payload: Plan, sources: Texts): Plan {
  const isLost = createTextCheck(sources)
  const { erased, remaining } = splitCalls(sources)
  const isLostId = (id: string) =>
    erased.some((call) => startsAs(id, call)) && !remaining.some((call) => startsAs(id, call))
  const names = new Map(
    payload.nodes.map(({ id }, place) => [id, isLostId(id) ? `step-${place + 1}` : id] as const),
  )
  const { intent, ...plan } = payload
  return {
    ...plan,
    ...(intent === undefined || isLost(intent) ? {} : { intent }),
    nodes: payload.nodes.map(({ params, ...node }) => ({
      ...node,
      id: names.get(node.id) ?? node.id,
      ...(params === undefined || areLostParams(params, erased, remaining) ? {} : { params }),
    })),
    edges: payload.edges.map((edge) => ({
      ...edge,
      from: names.get(edge.from) ?? edge.from,
      to: names.get(edge.to) ?? edge.to,
    })),
  }
}

/** A long text was cut when it was copied, so a copy is the beginning of a text of the episode. */
function createTextCheck(sources: Texts): (text: string) => boolean {
  const erased = listTexts(sources.erased)
  const remaining = listTexts(sources.remaining)
  const isCopied = (text: string, from: readonly string[]) => from.some((each) => each.startsWith(text))
  return (text) => isCopied(text, erased) && !isCopied(text, remaining)
}

function listTexts(records: SourceContents['erased']): string[] {
  return listEpisodes(records).flatMap(({ timeline }) =>
    timeline.flatMap(({ summary, event_kind: kind }) => (summary?.trim() ? [summary, kind] : [kind])),
  )
}

function splitCalls({ erased, remaining }: Texts) {
  const listCalls = (records: SourceContents['erased']) =>
    listEpisodes(records).flatMap(({ tool_graph: calls }) => calls)
  return { erased: listCalls(erased), remaining: listCalls(remaining) }
}

/** As consolidation reads them: with their secrets masked. */
function listEpisodes(records: SourceContents['erased']): EpisodicPayload[] {
  return records.flatMap(({ payload }) =>
    payload.kind === 'episodic' ? [maskSecrets(payload) as EpisodicPayload] : [],
  )
}

/** A step is named after its call, with a number behind it when two calls have one id. */
function startsAs(name: string, { id }: Call): boolean {
  return name === id || name.startsWith(`${id.slice(0, 240)} (`)
}

function areLostParams(params: object, erased: readonly Call[], remaining: readonly Call[]): boolean {
  const hasParams = ({ args }: Call) =>
    isDeepStrictEqual(args, params) || isDeepStrictEqual({ value: args }, params)
  return erased.some(hasParams) && !remaining.some(hasParams)
}
