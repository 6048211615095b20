import { globSync } from 'node:fs'
import type { CompiledQuery } from 'kysely'
import { type Sample, samples } from '../samples/query-samples.ts'
import { createRecordingDatabase } from './recording-database.ts'

/** The statements that one sample of a query function sends to the database. */
export type SampledQuery = { file: string; query: string; compiled: readonly CompiledQuery[] }

const sampled = new Map<string, Record<string, Sample | Record<string, Sample>>>(Object.entries(samples))

/** Every query function of the product and the samples of files beside them, in the order of their files. */
export async function compileQueries(): Promise<SampledQuery[]> {
  const files = new Set([...globSync('src/**/*.queries.ts'), ...sampled.keys()])
  const compiled: SampledQuery[] = []
  for (const file of [...files].sort()) {
    for (const name of await listQueries(file)) compiled.push(...(await compileSamples(file, name)))
  }
  return compiled
}

/** All functions of a file of queries; of another file, those that have a sample. */
async function listQueries(file: string): Promise<string[]> {
  if (!file.endsWith('.queries.ts')) return Object.keys(sampled.get(file) ?? {})
  const exported: object = await import(/* @vite-ignore */ `../../../${file}`)
  return Object.entries(exported).flatMap(([name, each]) => (typeof each === 'function' ? [name] : []))
}

async function compileSamples(file: string, name: string): Promise<SampledQuery[]> {
  const sample = sampled.get(file)?.[name]
  if (!sample) throw new Error(`${file}: ${name} has no sample in test/support/samples`)
  const variants = Object.entries(typeof sample === 'function' ? { '': sample } : sample)
  return Promise.all(
    variants.map(async ([variant, run]) => {
      const { db, queries } = createRecordingDatabase()
      await run(db)
      return { file, query: variant === '' ? name : `${name}: ${variant}`, compiled: queries }
    }),
  )
}
