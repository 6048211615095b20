import { globSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type Sample, samples } from '../support/query-samples.ts'
import { createRecordingDatabase, layOut } from '../support/recording.ts'

const sampled = new Map<string, Record<string, Sample | Record<string, Sample>>>(Object.entries(samples))

async function compile(sample: Sample): Promise<string> {
  const { db, asked } = createRecordingDatabase()
  await sample(db)
  return `${asked.map(layOut).join(';\n')};`
}

it('every query of the product, as SQL, is what the golden file says', async () => {
  const sections: string[] = []
  for (const file of globSync('src/**/*.queries.ts').sort()) {
    const queries = Object.entries(await import(/* @vite-ignore */ `../../${file}`)).filter(
      ([, each]) => typeof each === 'function',
    )
    for (const [name] of queries) {
      const sample = sampled.get(file)?.[name]
      if (!sample) throw new Error(`${file}: ${name} has no sample in test/support/query-samples.ts`)
      const variants = typeof sample === 'function' ? { '': sample } : sample
      for (const [variant, run] of Object.entries(variants)) {
        sections.push(`-- ${file} ${name}${variant && `: ${variant}`}\n${await compile(run)}`)
      }
    }
  }
  await expect(`${sections.join('\n\n')}\n`).toMatchFileSnapshot('queries.sql')
})
