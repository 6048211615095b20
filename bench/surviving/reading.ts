import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '../client.ts'
import { assert, drive, median, percentile } from '../load.ts'
import { makeMemory } from '../records/memories.ts'
import type { Result } from '../result.ts'

const writes = 100
const deadlineMs = 30_000
const pauseMs = 5

/**
 * Measures the time from the answer to a write until a reader finds the record: by a unique word, and by its vector.
 */
export async function measureReadable(url: string): Promise<Result[]> {
  const client = await createClient(url, 1)
  const lags: Record<'text' | 'vector', number[]> = { text: [], vector: [] }
  try {
    await drive(writes, 1, async (index) => {
      const { id, word } = await write(client, index)
      const written = performance.now()
      await until(() => isFoundByText(client, id, word))
      lags.text.push(performance.now() - written)
      await until(() => hasVector(client, id))
      lags.vector.push(performance.now() - written)
    })
  } finally {
    client.close()
  }
  return [describe('by text', lags.text), describe('by vector', lags.vector)]
}

async function write(client: Client, index: number): Promise<{ id: string; word: string }> {
  const word = `readable${index}x${process.pid}`
  const memory = makeMemory(index)
  const payload = { ...memory.payload, subject: word }
  const fresh = { ...memory, payload, salience: 1 }
  const { status, text } = await client.send('POST', '/v1/records', JSON.stringify(fresh))
  assert(status === 201, `a create was answered ${status}`)
  const { id }: { id: string } = JSON.parse(text)
  return { id, word }
}

type Node = { record: { id: string }; signals?: { channels: { channel: string }[] } }

/** By its text, not only by its salience, which finds it without a common word. */
async function isFoundByText(client: Client, id: string, word: string): Promise<boolean> {
  const query = { task_descriptor: word, record_access: false, explain: true }
  const { status, text } = await client.send('POST', '/v1/retrieve', JSON.stringify(query))
  assert(status === 200, `a retrieval was answered ${status}`)
  const { nodes }: { nodes: Node[] } = JSON.parse(text)
  const found = nodes.find(({ record }) => record.id === id)
  return found?.signals?.channels.some(({ channel }) => channel === 'text') ?? false
}

/** A record without a vector cannot be compared. */
async function hasVector(client: Client, id: string): Promise<boolean> {
  const { status } = await client.send('POST', '/v1/search/similar', JSON.stringify({ record_id: id }))
  assert(status === 200 || status === 409, `a search was answered ${status}`)
  return status === 200
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const started = performance.now()
  while (!(await isSo())) {
    assert(performance.now() - started < deadlineMs, 'what was written was not readable in time')
    await sleep(pauseMs)
  }
}

function describe(way: string, lags: readonly number[]): Result {
  return {
    work: `write to readable ${way}, p95`,
    measured: { value: percentile(lags, 0.95), unit: 'ms' },
    verified: 'after the answer of the write, the reader got exactly this record',
    details: { p50_ms: median(lags), slowest_ms: Math.max(...lags), writes },
  }
}
