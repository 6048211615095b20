import { beforeEach, describe, expect, it } from 'vitest'
import type { CallContext } from '../../src/db/transaction.ts'
import { type Caller, fullTrust } from '../../src/domain/trust/caller.ts'
import type { MaintenanceRun } from '../../src/maintenance/maintenance.schemas.ts'
import { createRunEvents } from '../../src/maintenance/run-events.service.ts'
import { shareTestApp } from '../support/apps/shared-store.ts'
import { type Body, create, fact } from '../support/requests/record-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'
import { createWorkerFor } from '../support/workers/worker-setup.ts'

const hour = 3_600_000
const idle = new AbortController().signal

const openApp = shareTestApp()
let app: TestApp
beforeEach(async () => {
  app = await openApp()
})

async function ask(body: object): Promise<Body> {
  return (await app.request('POST', '/v1/maintenance/runs', { body })).body
}

/** Fades to nothing within three hours. */
const fleeting = () =>
  create(app, fact({ lifecycle: { decay: { curve: 'linear', half_life_seconds: 7_200 } } }))

describe('GET /v1/maintenance/runs/{id}/events', () => {
  it('streams the progress and the end of the run, and closes', async () => {
    await fleeting()
    app.clock.advance(3 * hour)
    const { id } = await ask({ job: 'decay' })
    const stream = await follow(id)
    expect(stream.type).toContain('text/event-stream')
    expect(await stream.next()).toMatchObject({ event: 'progress', data: { id, status: 'queued' } })
    await createWorkerFor(app).runJob('decay', idle)
    const last = await stream.last()
    expect(last).toMatchObject({ event: 'finished', data: { id, status: 'succeeded', stats: { pruned: 1 } } })
  })

  it('closes when the server stops', async () => {
    const own = await startTestApp()
    const { body } = await own.request('POST', '/v1/maintenance/runs', { body: { job: 'decay' } })
    const { body: stream } = await fetch(`${own.url}/v1/maintenance/runs/${(body as Body).id}/events`, {
      headers: { authorization: 'Bearer root-key-of-the-tests' },
    })
    const reader = stream?.getReader()
    await reader?.read()
    await own.close()
    expect((await reader?.read())?.done).toBe(true)
  })

  it('sends heartbeats while nothing changes, and ends when the client is gone', async () => {
    const { id } = await ask({ job: 'decay' })
    const { follow } = createRunEvents({ maintenance: app.services.maintenance, everyMs: 5, heartbeatMs: 10 })
    const gone = new AbortController()
    const messages: string[] = []
    for await (const text of follow({ caller }, id, gone.signal)) {
      if (messages.push(text) === 4) gone.abort()
    }
    expect(messages[0]).toMatch(/^event: progress\ndata: /)
    expect(messages.slice(1)).toEqual([': heartbeat\n\n', ': heartbeat\n\n', ': heartbeat\n\n'])
  })

  it('reads a run once for all streams that follow it, and apart for callers who may see something else', async () => {
    const reads: string[] = []
    const read = async ({ caller: { trust } }: CallContext): Promise<MaintenanceRun> => {
      const done = reads.push(trust.maxSensitivity)
      const isOver = done >= 10
      return { ...queued, progress: { done }, ...(isOver ? { finished_at: queued.created_at } : {}) }
    }
    const { follow } = createRunEvents({ maintenance: { read }, everyMs: 20 })
    const low: Caller = { ...caller, trust: { maxSensitivity: 'low', scopes: null } }
    const streams = Array.from({ length: 100 }, async (_, n) => {
      let last = ''
      const events = follow({ caller: n % 2 ? low : caller }, queued.id, idle)
      for await (const text of events) last = text
      expect(last).toMatch(/^event: finished/)
    })
    await Promise.all(streams)
    expect(reads.length).toBeLessThan(50)
    expect(new Set(reads)).toEqual(new Set(['hyper', 'low']))
  })
})

const queued: MaintenanceRun = {
  id: '0197b9a0-0000-7000-8000-000000000001',
  job: 'decay',
  trigger: 'manual',
  dry_run: false,
  options: {},
  status: 'queued',
  progress: { done: 0 },
  stats: {},
  attempts: 0,
  created_at: '2026-01-01T00:00:00.000Z',
}

const caller: Caller = {
  principal: 'root',
  name: 'root',
  permissions: new Set(['admin']),
  sourceType: 'human',
  trust: fullTrust,
}

type Event = { event: string; data: Body }

async function follow(id: string) {
  const aborting = new AbortController()
  const response = await fetch(`${app.url}/v1/maintenance/runs/${id}/events`, {
    headers: { authorization: 'Bearer root-key-of-the-tests' },
    signal: aborting.signal,
  })
  const events = parse(response)
  const next = async () => (await events.next()).value as Event
  const last = async () => {
    let seen: Event | undefined
    for await (const event of events) seen = event
    return seen
  }
  return { type: response.headers.get('content-type'), next, last, abort: () => aborting.abort() }
}

async function* parse({ body }: Response): AsyncGenerator<Event> {
  let text = ''
  for await (const chunk of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
    text += chunk
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const match = /^event: (\w+)\ndata: (.*)$/.exec(block)
      if (match) yield { event: match[1] ?? '', data: JSON.parse(match[2] ?? '') }
    }
  }
}
