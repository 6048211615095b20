import type { Sensitivity } from '../kernel/caller.ts'
import { factHandle, type Handle, nameHandle, referenceHandle, threadHandle } from '../records/handles.ts'
import type { Sought, WantedHandle } from '../records/index.ts'
import type { SemanticPayload } from '../records/payloads.ts'
import type { Mention } from './mentions.ts'

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
  reference: Sought | undefined
  thread: Sought | undefined
  topic: Sought | undefined
  /** Of each mention, in its place. */
  mentions: readonly (Sought | undefined)[]
}

type Role = 'reference' | 'thread' | 'topic'
type Wanted = { wanted: WantedHandle[]; pick(sought: readonly Sought[]): Answered }

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
  const held = Object.values(byRole).filter((each) => each !== undefined)
  const free = names.filter((each) => each !== undefined)
  const wanted = unique([
    ...held.map((each) => ({ ...each, scope: asked.scope, isHeld: true })),
    ...free.map((each) => ({ ...each, scope: asked.scope, isHeld: false })),
  ])
  const places = new Map(wanted.map((each, index) => [keyOf(each), index]))
  const find = (sought: readonly Sought[], handle: Handle | undefined) =>
    handle && sought[places.get(keyOf(handle)) ?? -1]
  return {
    wanted,
    pick: (sought) => ({
      reference: find(sought, byRole.reference),
      thread: find(sought, byRole.thread),
      topic: find(sought, byRole.topic),
      mentions: names.map((each) => find(sought, each)),
    }),
  }
}

function unique(handles: readonly WantedHandle[]): WantedHandle[] {
  const byKey = new Map(handles.map((each) => [keyOf(each), each]))
  return [...byKey.values()].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
}

function keyOf({ digest }: Handle): string {
  return digest.toString('hex')
}
