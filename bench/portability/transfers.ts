import { createWriteStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { BenchDatabase } from '../database.ts'
import { assert } from '../load.ts'
import { startProduct } from '../processes.ts'

export type Measured = { seconds: number; megabytes: number }

/** Runs an API process for the work, and measures the time and the memory that it takes. */
export async function withApi(
  database: BenchDatabase,
  work: (url: string) => Promise<void>,
): Promise<Measured> {
  const api = await startProduct('api', { DATABASE_URL: database.url })
  try {
    const before = await readMemory(api.pid, 'VmRSS')
    const started = performance.now()
    await work(api.url)
    const seconds = (performance.now() - started) / 1_000
    return { seconds, megabytes: (await readMemory(api.pid, 'VmHWM')) - before }
  } finally {
    await api.stop()
  }
}

async function readMemory(pid: number, line: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${line}:\\s+(\\d+) kB`).exec(status)?.[1]) / 1_024
}

export async function exportToFile(url: string, file: string): Promise<void> {
  const sending = request(`${url}/v1/export`)
  sending.end()
  const answer = await answerTo(sending)
  assert(answer.statusCode === 200, `the export was answered ${answer.statusCode}`)
  await pipeline(answer, createWriteStream(file))
}

type Import = { file: Readable; format: string; size: number; outcome?: 'created' | 'unchanged' }

/** Sends a file, of which every item must have the outcome. */
export async function importFile(
  url: string,
  { file, format, size, outcome = 'created' }: Import,
): Promise<void> {
  const sending = request(`${url}/v1/import?format=${format}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
  })
  const sent = pipeline(file, sending)
  const answer = await answerTo(sending)
  let tail = ''
  for await (const chunk of answer.setEncoding('utf8')) tail = `${tail}${chunk}`.slice(-1_000)
  await sent
  const { summary } = JSON.parse(tail.trim().split('\n').at(-1) ?? '')
  const tally = { created: 0, unchanged: 0, conflict: 0, invalid: 0, [outcome]: size }
  assert(
    JSON.stringify(summary) === JSON.stringify(tally),
    `the import ended with ${JSON.stringify(summary)}`,
  )
}

function answerTo(sending: ReturnType<typeof request>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sending.once('response', resolve)
    sending.once('error', reject)
  })
}
