import { setTimeout as sleep } from 'node:timers/promises'
import { readArguments, refuse } from '../../scripts/script-arguments.ts'
import { type BenchContext, createBenchContext } from '../bench-context.ts'
import { createClient } from '../client.ts'
import type { BenchDatabase } from '../database.ts'
import { startProduct } from '../processes.ts'
import { startServer } from '../server.ts'
import { ages, setAges } from './ages.ts'
import { askBaseline } from './bm25-baseline.ts'
import { type Conversation, type Corpus, readCorpus, readOwnCorpora } from './corpus.ts'
import { type Answered, computeFigures, header, renderFigures, renderQuoted } from './figures.ts'
import { fitWorth } from './fit-worth.ts'
import { measureLife, renderLife } from './life.ts'
import { measureRetention, renderRetention } from './retention.ts'
import { askContext, askService, renderLatency, untilEmbedded } from './service.ts'
import { formNames, storeInForm } from './stored-forms.ts'

/** How much of what a question needs is found, over HTTP, beside BM25 over the same texts. docs/quality.md explains. */

const usage = `Usage: npm run eval -- COMMAND [--data FILE] [--split dev|held|all] [OPTION...]

  locomo      what is found of LoCoMo, or of another corpus
  own         the same of our own corpora
  retention   what is kept when only the most important may stay
  life        what a year with decay, budgets and dreams keeps
  fit-worth   prints the weights of src/domain/worth/worth-weights.ts

  --data FILE        the corpus; only own and retention can do without it
  --split SPLIT      default: dev
  --ages AGES        of locomo and own: written (default), recent or fresh
  --embedding NAME   of locomo and own: static (default), hash or none
  --form NAME        how each text is stored: ${formNames.join(', ')};
                     A+B for two, the second for the texts with the role note
  --surprise         of retention: after surprise has changed the importance`

const commands = ['locomo', 'own', 'retention', 'life', 'fit-worth']

const { positionals, values } = readArguments(usage, {
  allowPositionals: true,
  options: {
    data: { type: 'string' },
    split: { type: 'string', default: 'dev' },
    ages: { type: 'string', default: 'written' },
    surprise: { type: 'boolean', default: false },
    embedding: { type: 'string', default: 'static' },
    form: { type: 'string', default: 'messages' },
  },
})

const [command = '', ...more] = positionals
const { split } = values
if (command === '') refuse('A command must be named')
if (!commands.includes(command) || more.length > 0) refuse(`Unknown command '${positionals.join(' ')}'`)
if (!['dev', 'held', 'all'].includes(split)) refuse(`Unknown split '${split}'`)
const requestedAges = ages.find((each) => each === values.ages) ?? refuse(`Unknown ages '${values.ages}'`)
const unknownForm = values.form.split('+').find((each) => !formNames.includes(each))
if (unknownForm !== undefined) refuse(`Unknown form '${unknownForm}'`)
if (!['static', 'hash', 'none'].includes(values.embedding)) refuse(`Unknown embedding '${values.embedding}'`)
if (!values.data && command !== 'own' && command !== 'retention') refuse(`${command} needs --data FILE`)

async function run(): Promise<void> {
  if (command === 'fit-worth') return printWeights()
  const corpora = await readCorpora()
  const server = await startServer()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void server.stop().finally(() => process.exit(130)))
  }
  try {
    const perform = { retention: measureKept, life: measureYear }[command] ?? measure
    for (const corpus of corpora) await perform(createBenchContext(server.url), corpus)
  } finally {
    await server.stop()
  }
}

async function readCorpora(): Promise<Corpus[]> {
  return values.data ? [await readCorpus(values.data)] : readOwnCorpora()
}

async function printWeights(): Promise<void> {
  const weights = fitWorth(await readCorpus(values.data ?? ''), await readOwnCorpora())
  for (const [part, weight] of Object.entries(weights)) console.log(`  ${part}: ${weight},`)
}

function pickSplit({ conversations }: Corpus): Conversation[] {
  return conversations.filter((each) => split === 'all' || each.split === split)
}

async function measureYear(context: BenchContext, corpus: Corpus): Promise<void> {
  console.log(renderLife(`${corpus.name}, ${split}`, await measureLife(context, pickSplit(corpus))))
}

async function measureKept({ withDatabase, note }: BenchContext, corpus: Corpus): Promise<void> {
  await withDatabase(async (database) => {
    const api = await startProduct('api', { DATABASE_URL: database.url })
    const client = await createClient(api.url, 1)
    try {
      note(corpus.name)
      const settle = values.surprise ? () => compareAll(database) : async () => {}
      const retention = await measureRetention(client, pickSplit(corpus), { form: values.form, settle })
      console.log(renderRetention(corpus.name, retention))
    } finally {
      client.close()
      await api.stop()
    }
  })
}

/** Runs a worker until every record has its vector and is compared with the others. */
async function compareAll({ url, pool }: BenchDatabase): Promise<void> {
  const worker = await startProduct('all', { DATABASE_URL: url })
  try {
    for (let left = 1; left > 0; await sleep(1_000)) {
      const { rows } = await pool.query<{ left: number }>(
        'select ((select count(*) from unembedded) + (select count(*) from unsurprised))::int4 as left',
      )
      left = rows[0]?.left ?? 0
    }
  } finally {
    await worker.stop()
  }
}

async function measure({ withDatabase, note }: BenchContext, corpus: Corpus): Promise<void> {
  const now = new Date()
  const chosen = pickSplit(corpus).map((each) => setAges(each, requestedAges, now))
  await withDatabase(async (database) => {
    const api = await startProduct('all', {
      DATABASE_URL: database.url,
      MEMBRANE_EMBEDDING_PROVIDER: values.embedding,
    })
    const client = await createClient(api.url, 1)
    const found = new Map<string, Answered[]>()
    const latencies: number[] = []
    const quoted = new Map<string, Answered[]>()
    const add = (name: string, answered: readonly Answered[]) =>
      found.set(name, [...(found.get(name) ?? []), ...answered])
    try {
      const stored = new Map<string, Map<string, string>>()
      for (const each of chosen) stored.set(each.id, await storeInForm(client, values.form, each))
      if (values.embedding !== 'none') await untilEmbedded(database)
      for (const each of chosen) {
        note(`${corpus.name} ${each.id} by ${values.form}`)
        const service = await askService(client, each, stored.get(each.id) ?? new Map())
        latencies.push(...service.latencies)
        add(`service, ${each.split}`, service.answered)
        const context = await askContext(client, each, stored.get(each.id) ?? new Map())
        quoted.set(each.split, [...(quoted.get(each.split) ?? []), ...context.answered])
        add(`BM25, ${each.split}`, await askBaseline(database, each, 20))
      }
    } finally {
      client.close()
      await api.stop()
    }
    print(corpus.name, found, latencies)
    for (const [name, answered] of quoted)
      console.log(renderQuoted(`quoted in 1,500 tokens, ${name}`, answered))
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
