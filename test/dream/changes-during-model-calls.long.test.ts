import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import {
  answerBySchema,
  buildFiveNotes,
  createEntityWithFacts,
  createFactAbout,
  openDreamApp,
} from '../support/apps/dream-app.ts'
import { listBrokenLaws } from '../support/checks/broken-laws.ts'
import { respondAfter } from '../support/models/chat-server.ts'
import type { Body } from '../support/requests/record-requests.ts'
import { insertEmbeddingModel, insertVectors } from '../support/stores/insert-vectors.ts'
import { createVectorSource } from '../support/stores/random-vectors.ts'

const { uniform } = createVectorSource(7)
const any = <T>(items: readonly T[]): T => items[Math.floor(uniform() * items.length)] as T
const auditFields = { actor: 'a', rationale: 'r' }
const modelAnswers = answerBySchema({
  profile: ({ records }: Body) => ({ profile: `of ${records.map(({ says }: Body) => says).join(', ')}` }),
  synthesis: { connected: true, synthesis: 'a queue', insight: 'it fills' },
  judgement: { still_valid: false, confidence: 1, reason: 'it has passed' },
})

/** The operations of clients on a record. */
const clientOperations: readonly ((id: string) => [string, string, object])[] = [
  (id) => ['POST', `/v1/records/${id}/pin`, auditFields],
  (id) => ['POST', `/v1/records/${id}/unpin`, auditFields],
  (id) => ['POST', `/v1/records/${id}/reinforce`, auditFields],
  (id) => ['POST', `/v1/records/${id}/retract`, auditFields],
  (id) => ['POST', `/v1/records/${id}/erase`, auditFields],
  (id) => ['PATCH', `/v1/records/${id}`, { tags: ['mine'] }],
  (id) => ['DELETE', `/v1/records/${id}`, auditFields],
  (id) => ['POST', `/v1/records/${id}/status`, { status: 'active', reason: 'r', actor: 'a' }],
]

it('no law is broken and nothing is written twice when clients change records during model calls', async () => {
  const variables = { MEMBRANE_TOMBSTONE_KEY: 'a key of the races' }
  const { app, requestRun, attend, readRun } = await openDreamApp(respondAfter(15, modelAnswers), variables)
  const modelId = await insertEmbeddingModel(app.db, 2)
  const entities: { id: string; known: string[] }[] = []
  for (const [n, name] of ['Orion', 'Vega', 'Lyra', 'Deneb', 'Altair', 'Rigel'].entries()) {
    const about = await createEntityWithFacts(
      app,
      name,
      [...buildFiveNotes(name), ...buildFiveNotes(`${name} again`)],
      { tags: [name] },
    )
    const vector = Float32Array.from(n % 2 ? [1, 0] : [0.8, 0.6])
    const placed = about.known.map((id) => ({ id, vector }))
    await insertVectors(app.db, modelId, placed)
    entities.push(about)
  }
  const known = entities.flatMap((each) => [...each.known, each.id])
  let isOver = false
  const meddle = async () => {
    while (!isOver) {
      await sleep(10)
      const [method, path, body] = any(clientOperations)(any(known))
      const { status } = await app.request(method, path, { body })
      expect(status).toBeLessThan(500)
      if (uniform() < 0.5)
        await createFactAbout(app, any(entities).id, `news ${uniform()}`).catch(() => undefined)
    }
  }
  const meddling = [meddle(), meddle()]
  for (let night = 0; night < 5; night++) {
    app.clock.advance(20 * 86_400_000)
    const id = await requestRun(['peer_cards', 'synthesis', 'probe'])
    await attend()
    const { status, error, stats } = await readRun(id)
    expect({ status, error, failed: stats.failed }).toEqual({ status: 'succeeded' })
  }
  isOver = true
  await Promise.all(meddling)

  const { rows: cards } = await app.database.pool.query(
    `select c.payload ->> 'subject' as entity, count(*) filter (where r.status in ('active', 'challenged')
       and r.forgotten_at is null)::int as live, count(*)::int as written
     from records as r join contents as c on c.record_id = r.id where 'peer-card' = any(c.tags) group by 1`,
  )
  expect(cards.length).toBeGreaterThan(0)
  expect(cards.every(({ live }) => live <= 1)).toBe(true)
  const { rows: pairs } = await app.database.pool.query(
    `select least(source_id, target_id), greatest(source_id, target_id) from relations
     where predicate = 'related_to' group by 1, 2 having count(*) > 1`,
  )
  expect(pairs).toEqual([])
  expect(await listBrokenLaws(app)).toEqual([])
})
