import { afterAll, describe, expect, it } from 'vitest'
import { capture, postCapture, range } from '../support/requests/capture-requests.ts'
import { expectProblem, pointersOf } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

describe('POST /v1/capture with a body that breaks the schema', () => {
  it.each([
    [{ unknown: 1 }, '/unknown'],
    [{ id: 'x' }, '/id'],
    [{ source: '' }, '/source'],
    [{ source: 'x'.repeat(257) }, '/source'],
    [{ source_kind: 7 }, '/source_kind'],
    [{ tags: ['x', ''] }, '/tags/1'],
    [{ tags: range(101).map(String) }, '/tags'],
    [{ scope: '' }, '/scope'],
    [{ sensitivity: 'secret' }, '/sensitivity'],
    [{ importance: 1.1 }, '/importance'],
    [{ importance: -0.1 }, '/importance'],
    [{ proposed_type: 'thought' }, '/proposed_type'],
    [{ memory_kind: 'thought' }, '/memory_kind'],
    [{ source_type: 'god' }, '/source_type'],
    [{ timestamp: 'yesterday' }, '/timestamp'],
    [{ timestamp: '2036-01-01T00:00:00Z' }, '/timestamp'],
    [{ context: [] }, '/context'],
    [{ conversation: { id: '.' } }, '/conversation/id'],
    [{ conversation: { id: '..' } }, '/conversation/id'],
  ])('refuses %j with a pointer', async (more, pointer) => {
    const answer = await postCapture(app, 'x', more)
    expectProblem(answer, 422, 'validation_failed')
    expect(pointersOf(answer)).toEqual([pointer])
  })

  it('lists both faults when content and source are missing', async () => {
    const answer = await app.request('POST', '/v1/capture', { body: {} })
    expect(pointersOf(answer).sort()).toEqual(['/content', '/source'])
  })

  it('lists every fault of an observation', async () => {
    const content = { subject: ' ', predicate: 7, object: 1 }
    const answer = await postCapture(app, content, { source_kind: 'observation' })
    expect(pointersOf(answer)).toEqual(['/content/subject', '/content/predicate'])
    // Other source kinds treat these fields like any other.
    expect((await capture(app, content)).fact).toBeUndefined()
  })
})
