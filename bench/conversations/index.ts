import type { BenchContext } from '../bench-context.ts'
import { insertWritten, markNow, readTables, readWritten } from '../capture/rows.ts'
import { createClient } from '../client.ts'
import { assert, createRandom, median } from '../load.ts'
import { startProduct } from '../processes.ts'
import { atLeast, type Result } from '../result.ts'

const rounds = 5
const calls = 20
const messagesEach = 500
const perRound = calls * messagesEach

/** Measures messages stored over HTTP, in turns with plain inserts of the same rows into an equal database. */
export async function benchConversations({ withDatabase, note }: BenchContext): Promise<Result[]> {
  return withDatabase((stored) =>
    withDatabase(async (bare) => {
      const tables = await readTables(stored.pool, [{ name: 'messages', key: 'record_id' }])
      const api = await startProduct('api', { DATABASE_URL: stored.url })
      const client = await createClient(api.url, 1)
      const store = async (round: number, call: number) => {
        const path = `/v1/conversations/c${round}/messages`
        const { status, text } = await client.send(
          'POST',
          path,
          JSON.stringify({ messages: draw(round, call) }),
        )
        assert(status === 201, `storing was answered ${status}: ${text.slice(0, 300)}`)
      }
      const ratios: number[] = []
      const rates: number[] = []
      try {
        // The first round is not counted: the process compiles its code, and PostgreSQL its plans.
        for (let round = 0; round <= rounds; round++) {
          note(`messages, round ${round} of ${rounds}`)
          const mark = await markNow(stored.pool)
          const overHttp = await timeEach(calls, (call) => store(round, call))
          const written = await readWritten(stored.pool, tables, mark)
          assert(written.length === calls, `${written.length} transactions`)
          const plain = await timeEach(calls, (call) => insertWritten(bare.pool, written[call] ?? []))
          if (round === 0) continue
          ratios.push(plain / overHttp)
          rates.push(perRound / overHttp)
        }
        const { rows } = await bare.pool.query<{ count: number }>(
          'select count(*)::int as count from messages',
        )
        assert(rows[0]?.count === (rounds + 1) * perRound, `${rows[0]?.count} messages`)
      } finally {
        client.close()
        await api.stop()
      }
      const ratio = median(ratios)
      return [
        {
          work: `storing ${perRound.toLocaleString('en')} messages in calls of ${messagesEach}`,
          measured: { value: median(rates), unit: 'messages/s' },
          limit: {
            value: median(rates) / ratio,
            unit: 'messages/s',
            of: 'the same rows by prepared statements',
          },
          ratio,
          mustReach: atLeast(ratio, 0.35),
          verified: 'both databases have the messages',
        },
      ]
    }),
  )
}

/** In seconds. */
async function timeEach(count: number, work: (index: number) => Promise<void>): Promise<number> {
  const start = performance.now()
  for (let index = 0; index < count; index++) await work(index)
  return (performance.now() - start) / 1_000
}

const words = 'the billing service runs in Frankfurt and we moved it last week because of costs'.split(' ')

function draw(round: number, call: number) {
  const random = createRandom(round * calls + call + 1)
  return Array.from({ length: messagesEach }, (_, index) => ({
    id: `m${call}-${index}`,
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: Array.from({ length: 15 }, () => words[Math.floor(random() * words.length)]).join(' '),
  }))
}
