import { globSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createRecordingDatabase, layOut } from '../support/recording-database.ts'
import { type Sample, samples } from '../support/samples/query-samples.ts'

const sampled = new Map<string, Record<string, Sample | Record<string, Sample>>>(Object.entries(samples))
const filesOfRooms = Map.groupBy(globSync('src/**/*.queries.ts').sort(), (file) => file.split('/')[1] ?? '')

async function compile(sample: Sample): Promise<string> {
  const { db, asked } = createRecordingDatabase()
  await sample(db)
  return `${asked.map(layOut).join(';\n')};`
}

async function compileFile(file: string): Promise<string[]> {
  const queries = Object.entries(await import(/* @vite-ignore */ `../../${file}`)).filter(
    ([, each]) => typeof each === 'function',
  )
  const sections: string[] = []
  for (const [name] of queries) {
    const sample = sampled.get(file)?.[name]
    if (!sample) throw new Error(`${file}: ${name} has no sample in test/support/query-samples.ts`)
    const variants = typeof sample === 'function' ? { '': sample } : sample
    for (const [variant, run] of Object.entries(variants)) {
      sections.push(`-- ${file} ${name}${variant && `: ${variant}`}\n${await compile(run)}`)
    }
  }
  return sections
}

it.each([...filesOfRooms])('every query of %s, as SQL, is what its golden file says', async (room, files) => {
  const sections: string[] = []
  for (const file of files) sections.push(...(await compileFile(file)))
  await expect(`${sections.join('\n\n')}\n`).toMatchFileSnapshot(`golden/${room}.sql`)
})

it('no golden file is left from a room that is gone', () => {
  const named = globSync('test/db/golden/*').map((path) => path.replace(/^.*\//, ''))
  const rooms = new Set([...filesOfRooms.keys()].map((room) => `${room}.sql`))
  expect(named.filter((name) => !rooms.has(name))).toEqual([])
})
