import { afterAll, expect, it } from 'vitest'
import { capture, postCapture } from '../support/requests/capture-requests.ts'
import { expectProblem, pointersOf } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

it('a tool call gets an id that nothing depends on', async () => {
  const idOf = async (content: object): Promise<string> => {
    const { primary_record: episode } = await capture(app, content, { source_kind: 'tool_output' })
    return episode.payload.tool_graph.at(-1).id
  }
  expect(await idOf({ tool: 'one', depends_on: ['1', '3'] })).toBe('2')
  const waiting = { id: 'n1', tool: 'grep', depends_on: ['2'] }
  expect(await idOf({ tool: 'two', tool_graph: [waiting], depends_on: ['n1'] })).toBe('3')
  expect(await idOf({ tool: 'three', id: 'n1', tool_graph: [waiting], depends_on: ['n1'] })).toBe('3')
})

it('a tool call that names its own id as a dependency is refused', async () => {
  const circular = { tool: 'four', id: 'call', depends_on: ['other', 'call'] }
  const answer = await postCapture(app, circular, { source_kind: 'tool_output' })
  expectProblem(answer, 422, 'validation_failed')
  expect(pointersOf(answer)).toEqual(['/content/depends_on/1'])
})
