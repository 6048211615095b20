import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  answerBySchema,
  createEntityWithFacts,
  openDreamApp,
  parsePromptDocument,
  schemaNameOf,
} from '../support/apps/dream-app.ts'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { countRuns } from '../support/long-run.ts'
import {
  type Behaviour,
  respondWithContent as chatting,
  hangUp,
  respond,
  respondWithJson,
} from '../support/models/chat-server.ts'
import { type Body, create, read } from '../support/requests/record-requests.ts'
import {
  buildNote,
  buildSimilarTexts,
  createSimilarRecords,
  endings,
} from '../support/stores/similar-records.ts'
import type { TestApp } from '../support/test-app.ts'
import { anyCharacter } from '../support/texts/any-character.ts'
import { createEmbeddingWorker } from '../support/workers/embedding-workers.ts'

/** For every answer of a model, no record is lost and no pinned record is changed. */

const day = 86_400_000
const steps = ['forget', 'cluster', 'peer_cards', 'synthesis', 'probe', 'drift', 'prune_logs'] as const
const auditFields = { actor: 'ada', rationale: 'r' }

const text = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.constantFrom(...buildSimilarTexts('Orion'), 'Orion', ''),
)
const repeated: Behaviour = (response, seen) => {
  const document = JSON.stringify(parsePromptDocument(seen)).slice(0, 3_000)
  const shapes: Body = {
    summary: { summary: parsePromptDocument(seen).memories?.[0].says },
    profile: { profile: document },
    synthesis: { connected: true, synthesis: document, insight: document },
    judgement: { still_valid: false, confidence: 1, reason: document },
  }
  return respondWithJson(shapes[schemaNameOf(seen)] ?? {})(response, seen)
}
const lying = fc
  .record({ text, connected: fc.boolean(), confidence: fc.double({ min: -1, max: 2, noNaN: true }) })
  .map(({ text: sentence, connected, confidence }) =>
    answerBySchema({
      summary: { summary: sentence },
      profile: { profile: sentence },
      synthesis: { connected, synthesis: sentence, insight: sentence },
      judgement: { still_valid: false, confidence, reason: sentence },
    }),
  )
const behaviour: fc.Arbitrary<Behaviour | undefined> = fc.oneof(
  fc.constantFrom(undefined, repeated, respond(401, {}), respond(500, {}), hangUp, chatting('I cannot say.')),
  fc.jsonValue().map(respondWithJson),
  lying,
)

/** Creates similar groups, entities with enough facts, old beliefs, and pinned records among them. */
async function populate(app: TestApp): Promise<string[]> {
  const ids = await createSimilarRecords(app, buildSimilarTexts('Orion', 8))
  const narrated = endings.map((ending) => ({
    type: 'episodic',
    tags: ['deploys'],
    payload: {
      kind: 'episodic',
      timeline: [
        {
          t: '2026-01-01T00:00:00Z',
          event_kind: 'deploy',
          ref: 'log:1',
          summary: `Vega went live ${ending}`,
        },
      ],
    },
  }))
  for (const body of narrated) ids.push((await create(app, body)).id)
  for (const name of ['Lyra', 'Ceres']) {
    const notes = endings.slice(0, 6).map((ending) => `${name} runs on three machines ${ending}`)
    const { known } = await createEntityWithFacts(app, name, notes, { tags: [name] })
    ids.push(...known)
  }
  ids.push((await create(app, buildNote('old habits', { created_at: undefined }))).id)
  await createEmbeddingWorker(app).run()
  return ids
}

const contentOf = ({ payload }: Body) => {
  const { revision: _, ...content } = payload
  return content
}

async function readAnyhow(app: TestApp, id: string): Promise<Body> {
  const { status, body } = await app.request('GET', `/v1/records/${id}`)
  if (status === 410) {
    const restored = await app.request('POST', `/v1/records/${id}/restore`, { body: auditFields })
    expect(restored.status, restored.text).toBe(200)
    return read(app, id)
  }
  expect(status).toBe(200)
  return body
}

const tables = ['records', 'contents', 'audit_entries', 'status_changes']

async function readRows({ database: { pool } }: TestApp, ids: readonly string[]): Promise<unknown> {
  const read = tables.map((name) =>
    pool.query(
      `select to_jsonb(t) - 'importance' as row from ${name} as t
       where to_jsonb(t) ->> $2 = any($1) order by to_jsonb(t)::text`,
      [ids, name === 'records' ? 'id' : 'record_id'],
    ),
  )
  return (await Promise.all(read)).map(({ rows }) => rows)
}

it('every captured record can still be read after any dreams, and pinned records are unchanged', {
  timeout: 300_000,
}, async () => {
  const dreams = fc.array(
    fc.record({ behaviour, days: fc.nat(120), chosen: fc.subarray([...steps], { minLength: 1 }) }),
    { minLength: 1, maxLength: 4 },
  )
  await fc.assert(
    fc.asyncProperty(dreams, fc.nat(5), async (nights, pinnedFrom) => {
      const { app, model, dream } = await openDreamApp()
      const ids = await populate(app)
      const before = new Map<string, unknown>()
      for (const id of ids) before.set(id, contentOf(await read(app, id)))
      const pinned = ids.filter((_, nth) => nth % 6 === pinnedFrom)
      for (const id of pinned) await app.request('POST', `/v1/records/${id}/pin`, { body: auditFields })
      const rows = await readRows(app, pinned)
      for (const [nth, { behaviour: next, days, chosen }] of nights.entries()) {
        model.behave(next ?? respond(503, {}))
        // An archived record can be restored for thirty days.
        app.clock.advance((nth === 0 ? days : days % 6) * day)
        await dream(next ? chosen : steps)
        await createEmbeddingWorker(app).run()
      }
      // A stored score is updated by the step `forget`, which may be left out here.
      const breaches = (await listBrokenLaws(app)).filter((breach) => !/ importance: /.test(breach))
      expect(breaches).toEqual([])
      expect(await readRows(app, pinned)).toEqual(rows)
      for (const id of ids) expect(contentOf(await readAnyhow(app, id))).toEqual(before.get(id))
    }),
    { numRuns: countRuns(6), endOnFailure: true },
  )
})
