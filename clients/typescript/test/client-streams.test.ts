import { afterAll, describe, expect, it } from 'vitest'
import { createWorkerFor } from '../../../test/support/workers/worker-setup.ts'
import { ConnectionError } from '../src/index.ts'
import { answerFirst, problem } from './support/answers.ts'
import { startService } from './support/service.ts'

const service = await startService()
afterAll(() => service.close())

const missing = '01980000-0000-7000-8000-00000000ffff'

/** A `fetch` that never answers. */
const silence: typeof fetch = (_, init) =>
  new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)))

describe('a request without an answer', () => {
  it('ends at its time', async () => {
    const client = service.connect({ fetch: silence, timeoutMs: 20, retries: 1 })
    await expect(client.listRecords()).rejects.toMatchObject({ name: 'ConnectionError', timedOut: true })
  })

  it('ends with the reason of the signal, also while it waits for the next attempt', async () => {
    const reason = new Error('the user left')
    const stop = new AbortController()
    const asked = service.connect({ fetch: silence }).listRecords({ signal: stop.signal })
    stop.abort(reason)
    await expect(asked).rejects.toBe(reason)
    await expect(service.client.listRecords({ signal: stop.signal })).rejects.toBe(reason)

    const later = new AbortController()
    const { fetch } = answerFirst(problem(429, 'rate_limited', { 'retry-after': '20' }))
    const waiting = service.connect({ fetch }).listRecords({ signal: later.signal })
    setTimeout(() => later.abort(reason), 20)
    await expect(waiting).rejects.toBe(reason)
  })
})

/** A `fetch` whose first answers end after their first event. */
function cutFirst(count: number): { fetch: typeof fetch; opened: () => number } {
  let opened = 0
  return {
    opened: () => opened,
    async fetch(input, init) {
      const response = await fetch(input, init)
      if (++opened > count) return response
      const reader = response.body?.getReader()
      const { value } = (await reader?.read()) ?? {}
      await reader?.cancel()
      return new Response(value, { headers: response.headers })
    },
  }
}

describe('a run', () => {
  it('is followed to its end, over streams that break', async () => {
    const { id } = await service.client.requestRun({ body: { job: 'decay', dry_run: true } })
    const { fetch, opened } = cutFirst(2)
    const states: string[] = []
    for await (const { status } of service.connect({ fetch, retries: 2 }).followRun({ path: { id } })) {
      states.push(status)
      if (status === 'queued') await createWorkerFor(service).runJob('decay', new AbortController().signal)
    }
    expect(states[0]).toBe('queued')
    expect(states.at(-1)).toBe('succeeded')
    expect(new Set(states).size).toBe(states.length)
    expect(opened()).toBeGreaterThan(1)
  })

  it('that never ends a stream is given up, and one that is unknown is a problem', async () => {
    const { id } = await service.client.requestRun({ body: { job: 'decay', dry_run: true } })
    const { fetch, opened } = cutFirst(99)
    const states = service.connect({ fetch, retries: 1 }).followRun({ path: { id } })
    expect((await states.next()).value).toMatchObject({ status: 'queued' })
    await expect(states.next()).rejects.toBeInstanceOf(ConnectionError)
    expect(opened()).toBe(2)
    await service.client.cancelRun({ path: { id } })
    const unknown = service.client.followRun({ path: { id: missing } })
    await expect(unknown.next()).rejects.toMatchObject({ code: 'run_not_found' })
  })
})
