import { readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type BenchContext, createGround } from '../bench-context.ts'
import { startProduct } from '../processes.ts'
import { startServer } from '../server.ts'
import { type Corpus, readCorpus, readLocomo } from './corpus.ts'
import { type Answered, computeFigures, header, renderFigures } from './figures.ts'
import { askFloor } from './floor.ts'
import { askService, createClient, renderLatency, storeConversation } from './service.ts'

/** How much of what a question needs is found, over HTTP, beside BM25 over the same texts. docs/quality.md explains. */

const usage = `npm run eval -- locomo --data FILE [--split dev|held|all]
npm run eval -- own`

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { data: { type: 'string' }, split: { type: 'string', default: 'dev' } },
})

async function run(): Promise<void> {
  const corpora = await readCorpora()
  const server = await startServer()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void server.stop().finally(() => process.exit(130)))
  }
  try {
    for (const corpus of corpora) await measure(createGround(server.url), corpus)
  } finally {
    await server.stop()
  }
}

async function readCorpora(): Promise<Corpus[]> {
  const [name] = positionals
  if (name === 'locomo' && values.data) return [await readLocomo(values.data)]
  if (name !== 'own') throw new Error(usage)
  const folder = resolve(import.meta.dirname, 'corpora')
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json')).sort()
  return Promise.all(files.map((file) => readCorpus(resolve(folder, file))))
}

async function measure({ withDatabase, note }: BenchContext, corpus: Corpus): Promise<void> {
  const { split } = values
  const chosen = corpus.conversations.filter((each) => split === 'all' || each.split === split)
  await withDatabase(async (database) => {
    const api = await startProduct('api', { DATABASE_URL: database.url })
    const client = await createClient(api.url, 1)
    const found = new Map<string, Answered[]>()
    const latencies: number[] = []
    const add = (name: string, answered: readonly Answered[]) =>
      found.set(name, [...(found.get(name) ?? []), ...answered])
    try {
      const stored = new Map<string, Map<string, string>>()
      for (const each of chosen) stored.set(each.id, await storeConversation(client, each))
      for (const each of chosen) {
        note(`${corpus.name} ${each.id}`)
        const service = await askService(client, each, stored.get(each.id) ?? new Map())
        latencies.push(...service.latencies)
        add(`service, ${each.split}`, service.answered)
        add(`BM25, ${each.split}`, await askFloor(database, each, 20))
      }
    } finally {
      client.close()
      await api.stop()
    }
    print(corpus.name, found, latencies)
  })
}

function print(name: string, found: ReadonlyMap<string, Answered[]>, latencies: readonly number[]): void {
  console.log(`\n${name}: ${renderLatency(latencies)}\n${header}`)
  for (const [label, answered] of [...found].sort(([one], [other]) => (one < other ? -1 : 1))) {
    console.log(renderFigures(label, computeFigures(answered)))
    const categories = [...new Set(answered.map(({ question }) => question.category))].sort()
    if (categories.length < 2) continue
    for (const category of categories) {
      const own = answered.filter(({ question }) => question.category === category)
      console.log(renderFigures(`  category ${category}`, computeFigures(own)))
    }
  }
}

await run()
