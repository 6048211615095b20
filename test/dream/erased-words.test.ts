import { expect, it } from 'vitest'
import {
  answerBySchema,
  buildFiveNotes,
  createEntityWithFacts,
  type DreamApp,
  shareDreamApp,
} from '../support/apps/dream-app.ts'
import { openDriftApp } from '../support/apps/drift-app.ts'
import { plan } from '../support/requests/plan-requests.ts'
import { create, fact, payloads } from '../support/requests/record-requests.ts'
import { insertEmbeddingModel, insertVectors } from '../support/stores/insert-vectors.ts'
import {
  buildSimilarTexts,
  createSimilarRecords,
  summarizeByFirst,
} from '../support/stores/similar-records.ts'
import type { TestApp } from '../support/test-app.ts'
import { listTablesWith } from '../support/texts/find-word.ts'

const variables = { MEMBRANE_TOMBSTONE_KEY: 'k'.repeat(32) }
const openApp = shareDreamApp(variables)
const word = 'xylobrand'
const day = 86_400_000

const model = answerBySchema({
  profile: { profile: `known as ${word}` },
  synthesis: { connected: true, synthesis: `both use ${word}`, insight: `${word} is slow` },
  judgement: { still_valid: false, confidence: 0.9, reason: `it moved to ${word}` },
  ...summarizeByFirst,
})

async function expectErased(app: TestApp, ids: readonly string[]): Promise<void> {
  expect(await listTablesWith(app.db, word)).toContain('contents')
  const body = { actor: 'desk', rationale: 'asked for' }
  for (const id of ids) await app.request('POST', `/v1/records/${id}/erase`, { body })
  expect(await listTablesWith(app.db, word)).toEqual([])
}

async function createPlaced({ app }: DreamApp, modelId: number, name: string, cosine: number) {
  const texts = [1, 2, 3].map((n) => `${name} ${n}`)
  const about = await createEntityWithFacts(app, name, texts, { tags: [name] })
  const vector = Float32Array.from([cosine, Math.sqrt(1 - cosine * cosine), 0, 0])
  await insertVectors(
    app.db,
    modelId,
    about.known.map((id) => ({ id, vector, bits: 32 as const })),
  )
  return [about.id, ...about.known]
}

/** Each dreams about records with the word, and returns the figure of the run that shows it, and the ids of the records. */
const dreams: Record<string, (mind: DreamApp) => Promise<[number, readonly string[]]>> = {
  'a profile': async ({ app, dream }) => {
    const { known } = await createEntityWithFacts(app, 'Orion', buildFiveNotes(word))
    return [(await dream(['peer_cards'])).stats.cards_created, known]
  },
  'a plan of a profile': async ({ app, attend }) => {
    const { known } = await createEntityWithFacts(app, 'Orion', buildFiveNotes(word))
    app.clock.advance(day)
    const options = { steps: ['peer_cards'], ask_model: true }
    const { counts } = await plan(app, 'dream', { options }, {}, async () => void (await attend()))
    return [counts.create, known]
  },
  'a summary': async ({ app, dream }) => {
    const ids = await createSimilarRecords(app, buildSimilarTexts(word))
    return [(await dream(['cluster'])).stats.clusters_merged, ids]
  },
  'a synthesis': async (mind) => {
    const modelId = await insertEmbeddingModel(mind.app.db, 4)
    const ids = await createPlaced(mind, modelId, word, 1)
    await createPlaced(mind, modelId, 'Vega', 0.8)
    return [(await mind.dream(['synthesis'])).stats.pairs_connected, ids]
  },
  'a doubt': async ({ app, dream }) => {
    const payload = { ...payloads.semantic, object: word }
    const { id } = await create(app, fact({ base_importance: 0.8, payload }))
    app.clock.advance(30 * day)
    return [(await dream(['probe'])).stats.beliefs_challenged, [id]]
  },
}

it.each(Object.keys(dreams))('an erase leaves no word of %s', async (name) => {
  const mind = await openApp(model)
  const [figure, ids] = (await dreams[name]?.(mind)) ?? []
  expect(figure).toBe(1)
  await expectErased(mind.app, ids ?? [])
})

it('an erase leaves no word of a reference to a file', async () => {
  const { app, createFact, dream, readMisses } = await openDriftApp({}, variables)
  const { id } = await createFact(`src/${word}.ts`)
  await dream()
  expect(await readMisses()).toMatchObject([{ reference: expect.stringContaining(word) }])
  await expectErased(app, [id])
})
