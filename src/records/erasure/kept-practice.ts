import type { EpisodicPayload, Payload } from '../../domain/payloads/payloads.ts'
import { maskSecrets } from '../../domain/secrets/masking.ts'
import { formatCanonicalJson } from '../../kernel/canonical-json.ts'
import type { ContentRow } from '../stored-record.ts'

/**
 * Consolidation learns a skill or a plan from several episodes, but takes its words from one of them: the signals that
 * trigger a skill, and the intent, the parameters and the step names of a plan. When that episode is erased, these
 * words are removed unless a remaining episode has them too. The calls of all episodes are collected first: a plan of 500
 * steps may come from 100 episodes, and comparing each step with each call takes a minute.
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

export function removeSignals(payload: Competence, sources: Texts): Competence {
  const isLost = createTextCheck(sources)
  return { ...payload, triggers: payload.triggers.filter(({ signal }) => !isLost(signal)) }
}

export function removePlanWords(payload: Plan, sources: Texts): Plan {
  const isLost = createTextCheck(sources)
  const erased = collectCalls(sources.erased)
  const remaining = collectCalls(sources.remaining)
  const isLostId = (id: string) => startsAsCall(id, erased) && !startsAsCall(id, remaining)
  const areLost = (params: object) => hasParams(params, erased) && !hasParams(params, remaining)
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
      ...(params === undefined || areLost(params) ? {} : { params }),
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
  const erased = listTexts(sources.erased).sort()
  const remaining = listTexts(sources.remaining).sort()
  return (text) => isBeginning(text, erased) && !isBeginning(text, remaining)
}

/** In sorted texts, those that begin with a text follow the place where it would stand itself. */
function isBeginning(text: string, sorted: readonly string[]): boolean {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? '') < text) low = middle + 1
    else high = middle
  }
  return sorted[low]?.startsWith(text) ?? false
}

function listTexts(records: SourceContents['erased']): string[] {
  return listEpisodes(records).flatMap(({ timeline }) =>
    timeline.flatMap(({ summary, event_kind: kind }) => (summary?.trim() ? [summary, kind] : [kind])),
  )
}

type Calls = Record<'ids' | 'cutIds' | 'args', ReadonlySet<string>>

function collectCalls(records: SourceContents['erased']): Calls {
  const calls = listEpisodes(records).flatMap(({ tool_graph: each }) => each)
  return {
    ids: new Set(calls.map(({ id }) => id)),
    cutIds: new Set(calls.map(({ id }) => id.slice(0, 240))),
    args: new Set(calls.flatMap(({ args }) => (args === undefined ? [] : formatCanonicalJson(args)))),
  }
}

/** As consolidation reads them: with their secrets masked. */
function listEpisodes(records: SourceContents['erased']): EpisodicPayload[] {
  return records.flatMap(({ payload }) =>
    payload.kind === 'episodic' ? [maskSecrets(payload) as EpisodicPayload] : [],
  )
}

/** A step is named after its call, with a number behind it when two calls have one id. */
function startsAsCall(name: string, { ids, cutIds }: Calls): boolean {
  if (ids.has(name)) return true
  for (let end = name.indexOf(' ('); end >= 0; end = name.indexOf(' (', end + 1))
    if (cutIds.has(name.slice(0, end))) return true
  return false
}

/** Arguments that are no object were copied as the field `value`. */
function hasParams(params: object, { args }: Calls): boolean {
  if (args.has(formatCanonicalJson(params))) return true
  const { value, ...others } = params as { value?: unknown }
  return value !== undefined && Object.keys(others).length === 0 && args.has(formatCanonicalJson(value))
}
