import type { Transaction } from '../db/transaction.ts'
import type { Interpretation } from '../domain/interpretation.ts'
import { normaliseName } from '../domain/names.ts'
import type { SemanticPayload } from '../domain/payloads.ts'
import type { Seal } from '../domain/tombstone-seal.ts'
import type { Ids } from '../kernel/ids.ts'
import { type Draft, findErasedContents, type Provenance } from '../records/index.ts'
import { describeEntity, draftBirth, type Origin } from './capture-drafts.ts'
import { resolveReferences, type Survey } from './known-records.service.ts'
import { type Resolved, resolveMentions, resolveObject } from './mention-resolution.ts'
import { settle } from './rule-interpretation.ts'

/** Who takes part in what was captured. */
export type Cast = {
  interpretation: Interpretation
  /** Of the mentions and references that mean somebody. */
  entities: string[]
  references: string[]
  /** Named for the first time. */
  born: Draft[]
  subject: string | undefined
  object: string | undefined
  isFactErased: boolean
}

type Resources = { ids: Ids; seal: Seal }
type Scene = {
  interpretation: Interpretation
  fact?: SemanticPayload | undefined
  /** The evidence, as the source of what it names. */
  witness: Provenance['sources'][number]
}

/** A name that was erased from the scope is not made anew: its mention stays open, as the erased fact does. */
export async function castCapture(
  tx: Transaction,
  { ids, seal }: Resources,
  origin: Origin,
  { interpretation, fact, witness }: Scene,
  { known }: Survey,
): Promise<Cast> {
  const resolved = resolveMentions(interpretation.mentions, known.mentions, origin.scope)
  const drafts = resolved.map((each) =>
    'id' in each ? undefined : draftEntity(origin, each, ids.next(), witness),
  )
  const wanted = drafts.filter((each) => each !== undefined)
  const said = [...wanted.map(({ row }) => row), ...(fact ? [{ scope: origin.scope, payload: fact }] : [])]
  const isAsked = said.length > 0 && known.mayBeErased
  const erased = isAsked ? await findErasedContents(tx, seal, said) : []
  const born = wanted.filter((_, index) => !erased[index])
  const kept = new Set(born)
  const mentions = resolved.map((each, index) => {
    if ('id' in each) return each.id
    const draft = drafts[index]
    return draft && kept.has(draft) ? draft.row.id : undefined
  })
  const references = await resolveReferences(tx, origin, interpretation)
  const named = (name: unknown) => mentions[findNamed(interpretation.mentions, name)]
  const targets = references.map((id) => (id === undefined ? undefined : { target_record_id: id }))
  return {
    interpretation: settle(interpretation, { mentions, references: targets }),
    entities: mentions.filter((id) => id !== undefined),
    references: references.filter((id) => id !== undefined),
    born,
    subject: named(fact?.subject),
    object: named(fact?.object) ?? resolveObject(fact, known.object, origin.scope),
    isFactErased: fact !== undefined && erased.at(-1) === true,
  }
}

/** One name may stand under several keys, and be spelled otherwise under each; -1 when it is none of them. */
function findNamed(mentions: Interpretation['mentions'], name: unknown): number {
  if (typeof name !== 'string') return -1
  const wanted = normaliseName(name)
  return mentions.findIndex(({ surface }) => normaliseName(surface) === wanted)
}

type Unmet = Exclude<Resolved, { id: string }>

/** The first of its handles is its own name, whose place it takes. */
function draftEntity(
  origin: Origin,
  { mention, place }: Unmet,
  id: string,
  witness: Scene['witness'],
): Draft {
  const draft = draftBirth(origin, describeEntity(origin, mention, witness), id)
  const [name, ...aliases] = draft.handles
  const descents = [{ derived_id: id, source_id: witness.ref, kind: 'capture' as const, is_ground: true }]
  return { ...draft, descents, handles: name ? [{ ...name, place }, ...aliases] : [] }
}
