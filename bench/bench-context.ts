import { type BenchDatabase, createDatabase } from './database.ts'

/** The resources of a benchmark. */
export type BenchContext = ReturnType<typeof createBenchContext>

export function createBenchContext(serverUrl: string) {
  async function withDatabase<T>(work: (database: BenchDatabase) => Promise<T>): Promise<T> {
    const database = await createDatabase(serverUrl)
    try {
      return await work(database)
    } finally {
      await database.drop()
    }
  }

  const started = performance.now()
  function note(text: string): void {
    const seconds = ((performance.now() - started) / 1_000).toFixed(0)
    console.error(`${seconds.padStart(5)}s  ${text}`)
  }

  return { withDatabase, note }
}
