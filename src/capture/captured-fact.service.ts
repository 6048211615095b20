import { addTallies } from '../db/tallies.ts'
import type { Transaction } from '../db/transaction.ts'
import { salienceAt } from '../domain/curves.ts'
import { addInverses, type Edge } from '../domain/edges.ts'
import type { SemanticPayload } from '../domain/payloads.ts'
import { rescoreAndPromote } from '../lifecycle/index.ts'
import {
  type Confirmation,
  confirmFact,
  type Descent,
  type Draft,
  type NewRecord,
  type Provenance,
  type StoredRecord,
  type WrittenRecord,
  writeChange,
} from '../records/index.ts'
import { upsertEdges } from '../relations/index.ts'
import type { RevisionService } from '../revision/index.ts'
import type { DerivedFact } from './capture.schemas.ts'
import { describeFact, draftBirth, type Origin } from './capture-drafts.ts'
import { edgeBetween, type FactEnds, linkFact, newEdges } from './capture-edges.ts'
import type { Beside, Fate } from './fact-outcome.ts'

type Resources = { textLanguage: string; revision: RevisionService }

type Conflict = Extract<Fate, { policy: unknown }>

export type ToldFact = {
  origin: Origin
  /** What the record of the fact is called if there comes to be a new one. */
  id: string
  payload: SemanticPayload
  fate: Exclude<Fate, { outcome: 'merged' }>
  /** The locked record that says it already. */
  stood: StoredRecord | undefined
  ends: FactEnds
  witness: Provenance['sources'][number]
}

/** What became of the fact; the records and edges that the settling itself made. */
export type Settled = { fact: DerivedFact; records: WrittenRecord[]; edges: Edge[] }

/** `drafts` are stored with the episode, and then it is settled what that means for what stood before. */
export type FactPlan = { drafts: Draft[]; descents: Descent[]; settle(tx: Transaction): Promise<Settled> }

export function createFacts({ textLanguage, revision }: Resources) {
  function plan(told: ToldFact): FactPlan {
    const { fate } = told
    switch (fate.outcome) {
      case 'created':
        return planCreated(told, fate.beside)
      case 'challenged':
        return planChallenged(told, fate.other)
      case 'contested':
        return { drafts: [draft(told)], descents: [], settle: (tx) => contest(tx, told, fate) }
      case 'replaced':
      case 'forked':
        return { drafts: [], descents: [], settle: (tx) => revise(tx, told, fate) }
      case 'confirmed':
        return { drafts: [], descents: recordConfirmation(told), settle: (tx) => confirm(tx, told) }
    }
  }

  async function contest(
    tx: Transaction,
    { origin, id }: ToldFact,
    { policy, other }: Conflict,
  ): Promise<Settled> {
    const { caller, now } = origin
    await revision.contest({ caller, tx }, other, { contesting_ref: id, ...reasonOf(origin) })
    const edge = edgeBetween(other, 'contested_by', id, now)
    return { ...settledAs({ outcome: 'contested', policy, record_id: id, other_id: other }), edges: [edge] }
  }

  async function revise(
    tx: Transaction,
    told: ToldFact,
    { outcome, policy, other }: Conflict,
  ): Promise<Settled> {
    const { origin, id, ends } = told
    const links = linkFact(id, ends, origin.now)
    const record: NewRecord = {
      ...describe(told),
      id,
      relations: links.map(({ predicate, target_id }) => ({ predicate, target_id })),
    }
    const operation = outcome === 'replaced' ? revision.supersede : revision.fork
    const asked = { record, capturedFrom: ends.primary, ...reasonOf(origin) }
    const revised = await operation({ caller: origin.caller, tx }, other, asked)
    const descent = edgeBetween(id, outcome === 'replaced' ? 'supersedes' : 'derived_from', other, origin.now)
    const fact = { outcome, policy, record_id: id, other_id: other }
    return { fact, records: [revised.record], edges: [...links, descent] }
  }

  async function confirm(tx: Transaction, told: ToldFact): Promise<Settled> {
    const { origin, stood, ends } = told
    if (stood?.payload.kind !== 'semantic') throw new Error('what is confirmed was not claimed')
    const links = newEdges(linkFact(stood.id, ends, origin.now), stood)
    await upsertEdges(tx, addInverses(links))
    const { record, content } = confirmFact(stood, stood.payload, testify(told), origin.now)
    await writeChange(tx, stood, {
      ...{ action: 'reinforce', ...reasonOf(origin), now: origin.now, textLanguage, record, content },
      changes: { salience: [salienceAt(stood, origin.now), record.salience] },
    })
    await rescoreAndPromote(tx, { ids: [stood.id], now: origin.now })
    await addTallies(tx, { deduplicated: 1 })
    return { ...settledAs({ outcome: 'confirmed', record_id: stood.id }), edges: links }
  }

  return { plan }
}

/** The fact is of the same scope and sensitivity, so its readers may know who tells it again. */
function testify({ payload, witness }: ToldFact): Confirmation {
  return { evidence: payload.evidence, source: witness, author: witness.created_by }
}

/** What its readers may not all see is linked from above, and nothing is written on it. */
function planCreated(told: ToldFact, beside: Beside | undefined): FactPlan {
  const fact = { outcome: 'created' as const, record_id: told.id }
  return {
    drafts: [draft({ ...told, ends: { ...told.ends, beside } })],
    descents: [],
    settle: async () => settledAs({ ...fact, ...(beside ? { other_id: beside.id } : {}) }),
  }
}

/** It waits beside what stands now, which it does not touch: setting it active is for somebody to decide. */
function planChallenged(told: ToldFact, other: string | undefined): FactPlan {
  const { row, descents, ...rest } = draft({
    ...told,
    ends: { ...told.ends, beside: other === undefined ? undefined : { id: other, predicate: 'contradicts' } },
  })
  const contest = { derived_id: told.id, kind: 'contest' as const, is_ground: false }
  const fact = { outcome: 'challenged' as const, record_id: told.id }
  return {
    drafts: [
      {
        ...rest,
        row: { ...row, status: 'challenged' },
        descents: other === undefined ? descents : [...descents, { ...contest, source_id: other }],
      },
    ],
    descents: [],
    settle: async () => settledAs({ ...fact, ...(other === undefined ? {} : { other_id: other }) }),
  }
}

function draft(told: ToldFact): Draft {
  const edges = linkFact(told.id, told.ends, told.origin.now)
  const descents = [
    { derived_id: told.id, source_id: told.ends.primary, kind: 'capture' as const, is_ground: true },
  ]
  return { ...draftBirth(told.origin, describe(told), told.id), edges, descents }
}

function recordConfirmation({ stood, ends }: ToldFact): Descent[] {
  if (!stood) return []
  return [{ derived_id: stood.id, source_id: ends.primary, kind: 'confirm', is_ground: null }]
}

function describe({ origin, payload, witness }: ToldFact): NewRecord {
  return describeFact(origin, payload, witness)
}

function reasonOf({ caller }: Origin) {
  return { actor: caller.name, rationale: 'captured' }
}

function settledAs(fact: DerivedFact): Settled {
  return { fact, records: [], edges: [] }
}
