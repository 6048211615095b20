import type { Transaction } from '../db/transaction.ts'
import type { Interpretation } from '../domain/interpretation.ts'
import type { Seal } from '../domain/tombstone-seal.ts'
import type { Ids } from '../kernel/ids.ts'
import { createErasedContentError, type Draft, insertRecords } from '../records/index.ts'
import type { RevisionService } from '../revision/index.ts'
import type { Captured } from './capture.schemas.ts'
import { presentCapture } from './capture-answer.ts'
import { describePrimary, draftBirth, type Origin } from './capture-drafts.ts'
import { linkPrimary, recordMentions } from './capture-edges.ts'
import { nameCapture } from './capture-reference.ts'
import { createFacts, type FactPlan } from './captured-fact.service.ts'
import type { EpisodePlan } from './classification.ts'
import { type Cast, castCapture } from './entity-resolution.service.ts'
import type { Survey } from './known-records.service.ts'

type Resources = { ids: Ids; seal: Seal; textLanguage: string; revision: RevisionService }
type Told = { plan: EpisodePlan; interpretation: Interpretation; survey: Survey }

/** An episode with those it names and the fact it tells. */
export function createEpisodes({ ids, seal, textLanguage, revision }: Resources) {
  const facts = createFacts({ textLanguage, revision })

  async function tell(tx: Transaction, origin: Origin, told: Told): Promise<Captured> {
    const { plan, interpretation, survey } = told
    const id = ids.next()
    const scene = { interpretation, fact: plan.fact, witness: { ...plan.source, ref: id } }
    const cast = await castCapture(tx, { ids, seal }, origin, scene, survey)
    const fact = planFact(id, origin, told, cast)
    const drafts = [draftPrimary(id, origin, told, cast), ...(fact?.drafts ?? []), ...cast.born]
    const stored = await insertRecords(tx, drafts, textLanguage, seal, fact?.descents)
    if (!stored.ids.has(id)) throw createErasedContentError()
    const settled = await fact?.settle(tx)
    return presentCapture(origin, drafts, settled)
  }

  function planFact(
    primary: string,
    origin: Origin,
    { plan, survey }: Told,
    cast: Cast,
  ): FactPlan | undefined {
    const { fate, stood } = survey
    if (!plan.fact || !fate || fate.outcome === 'merged') return undefined
    if (cast.isFactErased) return erasedFact
    const evidence = { source_type: plan.evidenceType, source_id: primary, timestamp: plan.source.timestamp }
    return facts.plan({
      ...{ origin, fate, stood, id: ids.next(), witness: { ...plan.source, ref: primary } },
      payload: { ...plan.fact, evidence: [evidence] },
      ends: { primary, subject: cast.subject, object: cast.object },
    })
  }

  return { tell }
}

const erasedFact: FactPlan = {
  drafts: [],
  descents: [],
  settle: async () => ({ fact: { outcome: 'erased' }, records: [], edges: [] }),
}

function draftPrimary(id: string, origin: Origin, { plan, survey }: Told, cast: Cast): Draft {
  const draft = draftBirth(
    origin,
    describePrimary(origin, plan.payload, plan.source, cast.interpretation),
    id,
  )
  const handles = nameCapture(origin, plan.ref, survey.known.reference)
  return { ...draft, edges: linkPrimary(id, cast, origin.now), descents: recordMentions(id, cast), handles }
}
