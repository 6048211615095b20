import type { TestApp } from './test-app.ts'

const emptied = [
  'records',
  'unembedded',
  'unsurprised',
  'surprises',
  'embedding_models',
  'embedding_workers',
  'maintenance_runs',
  'tombstones',
] as const

/**
 * Removes what a test has stored, so that the next one may use the same app: to start an app takes longer than most tests of
 * embeddings. The clock goes on to where the app has forgotten what it knew of the store.
 */
export async function emptyStore({ db, clock }: Pick<TestApp, 'db' | 'clock'>): Promise<void> {
  for (const table of emptied) await db.deleteFrom(table).execute()
  clock.advance(10 * 60_000)
}
