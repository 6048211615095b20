import { hireEmbedder } from './embedding-workers.ts'
import { type Body, create } from './record-requests.ts'
import type { TestApp } from './test-app.ts'

/** Records that say nearly the same, for a dream to tell as one. */

export const endings = ['today', 'again', 'now', 'daily', 'still', 'yet', 'soon', 'then']

export const sayings = (about: string, count = 6) =>
  endings.slice(0, count).map((ending) => `the release of ${about} is built by Jenkins on 12 nodes ${ending}`)

export const saying = (object: string, more: Body = {}) => ({
  type: 'semantic',
  payload: { kind: 'semantic', subject: 'release', predicate: 'noted', object },
  ...more,
})

/** Each a moment after the one before it, and all with a vector. */
export async function gather(app: TestApp, objects: readonly string[], more: Body = {}): Promise<string[]> {
  const ids: string[] = []
  for (const object of objects) {
    app.clock.advance(1_000)
    ids.push((await create(app, saying(object, more))).id)
  }
  await hireEmbedder(app).run()
  return ids
}

/** Says what it was shown in the words of the first. */
export const faithful = {
  summary: ({ memories: [first] }: Body) => ({ summary: first.says }),
}

/** The one that was made of some, if there is one. */
export async function summariesIn({ database }: TestApp): Promise<{ id: string; status: string }[]> {
  const { rows } = await database.pool.query(
    `select r.id, r.status from records as r join contents as c on c.record_id = r.id
     where c.payload ->> 'predicate' = 'summary' order by r.created_at, r.id`,
  )
  return rows
}

export async function statusesOf({ database }: TestApp, ids: readonly string[]): Promise<string[]> {
  const { rows } = await database.pool.query(
    `select r.status from unnest($1::uuid[]) with ordinality as it (id, nth) join records as r using (id) order by nth`,
    [ids],
  )
  return rows.map(({ status }) => status)
}
