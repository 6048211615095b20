import { setTimeout as sleep } from 'node:timers/promises'
import type { BenchContext } from '../bench-context.ts'
import { type Client, createClient } from '../client.ts'
import type { BenchDatabase } from '../database.ts'
import { assert, createRandom, drive } from '../load.ts'
import { startProduct } from '../processes.ts'
import type { Conversation } from '../quality/corpus.ts'

const messagesEach = 50
const writers = 4
const teams = 100
const patienceMs = 30 * 60_000

export type Filling = {
  database: BenchDatabase
  note: BenchContext['note']
  sources: readonly Conversation[]
}

/** Stores messages through the API until there are `to`, and waits until the worker has done what follows a write. */
export async function fillThroughApi({ database, note, sources }: Filling, from: number, to: number) {
  note(`filling up to ${to} messages`)
  const product = await startProduct('all', { DATABASE_URL: database.url })
  try {
    const client = await createClient(product.url, writers)
    await sendAll(client, sources, from, to).finally(() => client.close())
    note('until every message has its vector')
    await untilEmbedded(database)
  } finally {
    await product.stop()
  }
  await database.pool.query('vacuum analyze')
}

/** Each message is one or two sentences of the same source, so that neighbours are about the same thing. */
async function sendAll(client: Client, sources: readonly Conversation[], from: number, to: number) {
  const first = from / messagesEach
  await drive((to - from) / messagesEach, writers, async (index) => {
    const number = first + index
    const random = createRandom(number)
    const source = sources[Math.floor(random() * sources.length)]
    const sentences = (source?.messages ?? []).flatMap(({ content }) => content.split(/(?<=[.!?])\s+/))
    const draw = () => sentences[Math.floor(random() * sentences.length)] ?? ''
    const messages = Array.from({ length: messagesEach }, (_, place) => ({
      id: `m${place}`,
      role: 'user',
      content: random() < 0.5 ? draw() : `${draw()} ${draw()}`,
    }))
    const body = { scope: `team-${number % teams}`, messages }
    const path = `/v1/conversations/c${number}/messages`
    const { status, text } = await client.send('POST', path, JSON.stringify(body))
    assert(status === 201, `storing was answered ${status}: ${text.slice(0, 300)}`)
  })
}

/** No text waits for its vector, no vector for its comparison, and none for its cell where there are cells. */
async function untilEmbedded({ pool }: BenchDatabase): Promise<void> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const { rows } = await pool.query<{ waiting: boolean }>(`
      select exists (select from unembedded) or exists (select from unsurprised)
        or (select count(*) from signatures) >= 20000 and not exists (select from vector_cells)
        or exists (select from vector_cells) and exists (select from signatures where cell = 0) as waiting
    `)
    if (rows[0]?.waiting === false) return
    assert(performance.now() < deadline, 'texts are still waiting for their vectors')
    await sleep(500)
  }
}
