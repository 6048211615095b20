import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert, median } from '../load.ts'
import { startProduct } from '../processes.ts'
import { atMost, type Result } from '../result.ts'
import { makeMemory } from './memories.ts'

const laterStarts = 5

/** Measures `npm start` in an empty folder, and again with the data of the first start. */
export async function measureStarting(): Promise<Result[]> {
  const directory = await mkdtemp(join(tmpdir(), 'membrane-bench-'))
  const environment = { MEMBRANE_DATA_DIR: join(directory, 'data') }
  try {
    const first = await startProduct('all', environment)
    const path = await storeMemory(first.url)
    await first.stop()
    const later: number[] = []
    while (later.length < laterStarts) {
      const again = await startProduct('all', environment)
      later.push(again.readyAfterMs / 1_000)
      const { status } = await fetch(new URL(path, again.url))
      await again.stop()
      assert(status === 200, `what the first start stored was answered ${status} in a later one`)
    }
    const second = median(later)
    return [
      {
        work: 'start to ready, embedded, first',
        measured: { value: first.readyAfterMs / 1_000, unit: 's' },
        mustReach: atMost(first.readyAfterMs / 1_000, 4, 's'),
        verified,
      },
      {
        work: `start to ready, embedded, later (median of ${laterStarts})`,
        measured: { value: second, unit: 's' },
        mustReach: atMost(second, 2, 's'),
        verified,
      },
    ]
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

const verified = 'each later start finds what the first stored'

async function storeMemory(url: string): Promise<string> {
  const answer = await fetch(`${url}/v1/records`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(makeMemory(0)),
  })
  assert(answer.status === 201, `a create was answered ${answer.status}`)
  return answer.headers.get('location') ?? ''
}
