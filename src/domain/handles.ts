import { createHash } from 'node:crypto'
import type { Sensitivity } from './caller.ts'
import { normaliseName } from './names.ts'
import { normaliseJson } from './normalise-json.ts'
import type { Payload } from './payloads.ts'
import { digestStructure, type Graph } from './plan-structure.ts'
import { dropRepeats } from './tool-sequence.ts'

/**
 * What a record is known by: an entity by its names and identifiers, a fact by what it is about, a task by its thread, a skill
 * by its tools, a plan by its structure, captured evidence by its source's reference. A digest, because a name may be longer than an index entry.
 */
export type Handle = {
  digest: Buffer
  /** Of a fact, what it says of its topic. */
  detail: Buffer | null
  /** Of those that bear one name in one scope, the how-manieth: no two writers can take the same. */
  place: number | null
}

export function nameHandle(name: string): Handle {
  return handle(['name', normaliseName(name)])
}

export function threadHandle(threadId: string): Handle {
  return handle(['thread', threadId])
}

/** Told apart by sensitivity too: who repeats a reference it may not see must not learn that it was used. */
export function referenceHandle(source: string, ref: string, sensitivity: Sensitivity): Handle {
  return handle(['reference', source, ref, sensitivity])
}

/** Of the episode it is about: the same reference may name the evidence as well. */
export function verdictHandle(source: string, ref: string, episode: string): Handle {
  return handle(['verdict', source, ref, episode])
}

export type Fact = { subject: string; predicate: string; object?: unknown }

export function factHandle({ subject, predicate, object }: Fact): Handle {
  const topic = handle(['topic', normaliseName(subject), normaliseName(predicate)])
  return { ...topic, detail: digestOf(normaliseJson(object, normaliseName)) }
}

/** Of a skill: its tools in their order, without those that only repeat the one before. */
export function recipeHandle(tools: readonly string[]): Handle {
  return handle(['recipe', ...dropRepeats(tools)])
}

export function structureHandle(graph: Graph): Handle {
  return handle(['structure', digestStructure(graph)])
}

/** Each once, whatever a payload repeats. */
export function listHandles(payload: Payload): Handle[] {
  switch (payload.kind) {
    case 'entity': {
      const names = [payload.canonical_name, ...payload.aliases.map(({ value }) => value)]
      const marks = payload.identifiers.flatMap(({ namespace, value }) => [value, `${namespace}:${value}`])
      return [...new Set([...names, ...marks].map(normaliseName))].map(nameHandle)
    }
    case 'semantic':
      return [factHandle(payload)]
    case 'working':
      return [threadHandle(payload.thread_id)]
    case 'competence': {
      const tools = payload.recipe.flatMap(({ tool }) => tool ?? [])
      return tools.length === 0 ? [] : [recipeHandle(tools)]
    }
    case 'plan_graph':
      return payload.nodes.length === 0 ? [] : [structureHandle(payload)]
    default:
      return []
  }
}

function handle(parts: readonly string[]): Handle {
  return { digest: digestOf(parts), detail: null, place: null }
}

/** 128 bits: no accident makes two names one, and an index entry stays small. */
function digestOf(value: unknown): Buffer {
  return createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest()
    .subarray(0, 16)
}
