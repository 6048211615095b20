import { expect, it, onTestFinished } from 'vitest'
import { listLineResults } from '../support/files/foreign-files.ts'
import { isLongRun } from '../support/long-run.ts'
import { exportLines, importLines } from '../support/requests/export-and-import.ts'
import { type Body, create, payloads, read } from '../support/requests/record-requests.ts'
import { startTestApp, type TestApp } from '../support/test-app.ts'

/** A state of about four megabytes. */
const stateOf = (digit: number) => ({
  active_constraints: Array.from({ length: 40 }, (_, at) => ({
    type: 'note',
    key: `k${at}`,
    value: String(digit).repeat(99_000),
    required: true,
  })),
})
/** A state with a list of a hundred thousand values. */
const listOf = (digit: number) => ({
  active_constraints: [{ type: 'list', key: 'k', value: Array(100_000).fill(digit), required: true }],
})

async function moveTask(app: TestApp, states: readonly object[]): Promise<Body> {
  const { id } = await create(app, { type: 'working', payload: payloads.working })
  for (const payload of states) {
    const { status } = await app.request('PATCH', `/v1/records/${id}`, { body: { payload } })
    expect(status).toBe(200)
  }
  return read(app, id)
}

async function readLog(app: TestApp, id: string): Promise<Body[]> {
  const entries: Body[] = []
  for (let query: string | undefined = ''; query !== undefined; ) {
    const { body } = await app.request('GET', `/v1/records/${id}/audit${query}`)
    const { items, next_cursor: next } = body as Body
    entries.push(...items)
    query = next && `?cursor=${next}`
  }
  return entries
}

const ofValues = ['values', Array.from({ length: 6 }, (_, at) => listOf(at))] as const
const ofBytes = ['bytes', [1, 2, 3, 4].map(stateOf)] as const

it.each(isLongRun ? [ofValues, ofBytes] : [ofValues])(
  'an export of a task whose log has more %s than a line may have is imported',
  async (_, states) => {
    const app = await startTestApp()
    const other = await startTestApp()
    onTestFinished(() => Promise.all([app.close(), other.close()]).then(() => {}))
    const task = await moveTask(app, states)
    other.clock.advance(app.clock.now().getTime() - other.clock.now().getTime())
    const { text } = await exportLines(app)
    expect(listLineResults(await importLines(other, text))).toEqual(['1 created'])
    const arrived = await read(other, task.id)
    expect(arrived).toMatchObject({ version: task.version, payload: task.payload })
    const hasChanges = (await readLog(other, task.id)).map(({ changes }) => changes !== undefined)
    expect(hasChanges.at(-1)).toBe(true)
    expect(hasChanges.slice(1)).toContain(false)
  },
)
