import { atThisTime, type Body, createAll } from '../requests/record-requests.ts'
import type { TestApp } from '../test-app.ts'
import { createEmbeddingWorker } from '../workers/embedding-workers.ts'

/** Nearly equal records, for a dream to merge. */

/** Last words that make nearly equal texts differ. */
export const endings = ['today', 'again', 'now', 'daily', 'still', 'yet', 'soon', 'then']

/** Builds texts about one subject that differ only in their last word. */
export const buildSimilarTexts = (about: string, count = 6) =>
  endings.slice(0, count).map((ending) => `the release of ${about} is built by Jenkins on 12 nodes ${ending}`)

/** Builds the body of a fact that says `object`. */
export const buildNote = (object: string, more: Body = {}) => ({
  type: 'semantic',
  payload: { kind: 'semantic', subject: 'release', predicate: 'noted', object },
  ...more,
})

/** Creates facts one second apart, embeds them, and returns their ids. */
export async function createSimilarRecords(
  app: TestApp,
  objects: readonly string[],
  more: Body = {},
): Promise<string[]> {
  const records = objects.map((object) => {
    app.clock.advance(1_000)
    return atThisTime(app, buildNote(object, more))
  })
  const created = await createAll(app, records)
  await createEmbeddingWorker(app).run()
  return created.map(({ id }) => id)
}

/** A model answer that summarizes a group with the text of its first record. */
export const summarizeByFirst = {
  summary: ({ memories: [first] }: Body) => ({ summary: first.says }),
}

/** Reads the summaries in the store, oldest first. */
export async function listSummaries({ database }: TestApp): Promise<{ id: string; status: string }[]> {
  const { rows } = await database.pool.query(
    `select r.id, r.status from records as r join contents as c on c.record_id = r.id
     where c.payload ->> 'predicate' = 'summary' order by r.created_at, r.id`,
  )
  return rows
}

/** Reads the statuses of records, in the order of the ids. */
export async function readStatuses({ database }: TestApp, ids: readonly string[]): Promise<string[]> {
  const { rows } = await database.pool.query(
    `select r.status from unnest($1::uuid[]) with ordinality as it (id, nth) join records as r using (id) order by nth`,
    [ids],
  )
  return rows.map(({ status }) => status)
}
