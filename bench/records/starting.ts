import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assert } from '../load.ts'
import { startProduct } from '../processes.ts'
import { atMost, type Result } from '../result.ts'

/** `npm start` in an empty folder, and again with what the first left there. */
export async function measureStarting(): Promise<Result[]> {
  const directory = await mkdtemp(join(tmpdir(), 'membrane-bench-'))
  const environment = { MEMBRANE_DATA_DIR: join(directory, 'data') }
  try {
    const first = await startProduct('all', environment)
    const stored = await fetch(`${first.url}/v1/records`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        type: 'working',
        payload: {
          kind: 'working',
          thread_id: 'bench',
          state: 'waiting',
          active_constraints: [],
          next_actions: [],
          open_questions: [],
        },
      }),
    })
    assert(stored.status === 201, `a create was answered ${stored.status}`)
    const location = stored.headers.get('location')
    await first.stop()
    const second = await startProduct('all', environment)
    const found = await fetch(new URL(location ?? '', second.url))
    await second.stop()
    assert(found.status === 200, `the record of the first start was answered ${found.status} in the second`)
    return [
      describe('first', first.readyAfterMs),
      { ...describe('second', second.readyAfterMs), mustReach: atMost(second.readyAfterMs / 1_000, 3, 's') },
    ]
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

function describe(which: string, milliseconds: number): Result {
  return {
    work: `start to ready, embedded, ${which} start`,
    measured: { value: milliseconds / 1_000, unit: 's' },
    verified: 'the second start finds what the first stored',
  }
}
