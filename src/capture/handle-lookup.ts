import type { Sensitivity } from '../domain/caller.ts'
import { factHandle, type Handle, nameHandle, referenceHandle, threadHandle } from '../domain/handles.ts'
import type { SemanticPayload } from '../domain/payloads.ts'
import type { HandleLookup, HandleLookupResult, HandleMatch } from '../records/index.ts'
import { longestName, type Mention } from './mentions.ts'

/** By what a capture asks who is known already. */
export type Asked = {
  source: string
  scope: string
  claimed: Sensitivity
  ref?: string | undefined
  thread?: string | undefined
  fact?: SemanticPayload | undefined
  mentions: readonly Mention[]
}

export type Answered = {
  reference: HandleMatch | undefined
  thread: HandleMatch | undefined
  topic: HandleMatch | undefined
  /** Of each mention, in its place. */
  mentions: readonly (HandleMatch | undefined)[]
  /** Of what the fact's object may name. */
  object: HandleMatch | undefined
  mayBeErased: boolean
}

type Role = 'reference' | 'thread' | 'topic'
type Wanted = { wanted: HandleLookup[]; pick(findings: HandleLookupResult): Answered }

/**
 * Each handle once, all in one order, so that two captures that name the same wait for each other instead of
 * deadlocking. A reference, a thread and a topic are held though they are known: what follows depends on what else
 * is said of them.
 */
export function wantHandles(asked: Asked): Wanted {
  const byRole: Record<Role, Handle | undefined> = {
    reference: asked.ref === undefined ? undefined : referenceHandle(asked.source, asked.ref, asked.claimed),
    thread: asked.thread === undefined ? undefined : threadHandle(asked.thread),
    topic: asked.fact && factHandle(asked.fact),
  }
  const names = asked.mentions.map((mention) =>
    mention.canonical_entity_id === undefined ? nameHandle(mention.surface) : undefined,
  )
  const object = nameObject(asked.fact)
  const want = (handles: readonly (Handle | undefined)[], lock: HandleLookup['lock']) =>
    handles.flatMap((each) => (each ? [{ ...each, scope: asked.scope, lock }] : []))
  // Of two wants of one name the later stays.
  const wanted = unique([
    ...want([object], 'never'),
    ...want(Object.values(byRole), 'always'),
    ...want(names, 'if_unused'),
  ])
  const places = new Map(wanted.map((each, index) => [keyOf(each), index]))
  const find = (sought: readonly HandleMatch[], handle: Handle | undefined) =>
    handle && sought[places.get(keyOf(handle)) ?? -1]
  return {
    wanted,
    pick: ({ matches: sought, mayBeErased }) => ({
      mayBeErased,
      reference: find(sought, byRole.reference),
      thread: find(sought, byRole.thread),
      topic: find(sought, byRole.topic),
      mentions: names.map((each) => find(sought, each)),
      object: find(sought, object),
    }),
  }
}

/** An object as often is a value as a name, so nobody is kept from taking it. */
function nameObject(fact: SemanticPayload | undefined): Handle | undefined {
  const object = fact?.object
  const isName = typeof object === 'string' && object.trim() !== '' && object.length <= longestName
  return isName ? nameHandle(object) : undefined
}

function unique(handles: readonly HandleLookup[]): HandleLookup[] {
  const byKey = new Map(handles.map((each) => [keyOf(each), each]))
  return [...byKey.values()].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}

function keyOf({ digest }: Handle): string {
  return digest.toString('hex')
}
