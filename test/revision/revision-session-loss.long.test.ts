import { afterAll, expect, it } from 'vitest'
import { createSessionEnder } from '../support/processes/end-session.ts'
import { readAllRows } from '../support/requests/capture-requests.ts'
import { create, expectProblem, payloads } from '../support/requests/record-requests.ts'
import { buildClaim, mergeRecords, revise } from '../support/requests/revision-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
const sessionEnder = createSessionEnder(app)
afterAll(() => app.close())

const entity = (name: string) => ({
  type: 'entity',
  payload: { ...payloads.entity, canonical_name: name, identifiers: [{ namespace: 'git', value: name }] },
})

type Operation = {
  call: string
  status: number
  prepare(): Promise<(headers: Record<string, string>) => ReturnType<typeof revise>>
}

const operations: Operation[] = [
  {
    call: 'supersede',
    status: 201,
    prepare: async () => {
      const { id } = await create(app, buildClaim('old'))
      return (headers) => revise(app, 'supersede', id, { record: buildClaim('new') }, { headers })
    },
  },
  {
    call: 'supersede of an entity',
    status: 201,
    prepare: async () => {
      const { id } = await create(app, entity('Rigel'))
      return (headers) => revise(app, 'supersede', id, { record: entity('Rigel') }, { headers })
    },
  },
  {
    call: 'fork',
    status: 201,
    prepare: async () => {
      const { id } = await create(app, buildClaim('origin'))
      return (headers) => revise(app, 'fork', id, { record: buildClaim('fork') }, { headers })
    },
  },
  {
    call: 'merge',
    status: 201,
    prepare: async () => {
      const one = await create(app, buildClaim('one'))
      const two = await create(app, buildClaim('two'))
      await create(app, buildClaim('far', { relations: [{ predicate: 'supports', target_id: two.id }] }))
      return (headers) => mergeRecords(app, [one.id, two.id], buildClaim('both'), { headers })
    },
  },
  {
    call: 'contest',
    status: 200,
    prepare: async () => {
      const stored = await create(app, { type: 'competence', payload: payloads.competence })
      const rival = await create(app, buildClaim('rival'))
      return (headers) => revise(app, 'contest', stored.id, { contesting_ref: rival.id }, { headers })
    },
  },
  {
    call: 'uncontest',
    status: 200,
    prepare: async () => {
      const { id } = await create(app, buildClaim('contested'))
      await revise(app, 'contest', id, { contesting_ref: 'a photograph' })
      return (headers) => revise(app, 'uncontest', id, {}, { headers })
    },
  },
  {
    call: 'retract',
    status: 200,
    prepare: async () => {
      const { id } = await create(app, buildClaim('mistake'))
      return (headers) => revise(app, 'retract', id, {}, { headers })
    },
  },
]

it.each(operations)(
  'a $call is rolled back completely when its database session ends before any of its statements',
  async (operation) => {
    const ask = await operation.prepare()
    const headers = { 'idempotency-key': operation.call.replaceAll(' ', '-') }
    const before = await readAllRows(app)
    let deaths = 0
    for (;;) {
      const { result, statements } = await sessionEnder.count(() => ask(headers), deaths + 1)
      if (statements <= deaths) {
        expect(result.status, result.text).toBe(operation.status)
        break
      }
      expectProblem(result, 503, 'database_unavailable')
      expect(await readAllRows(app)).toEqual(before)
      deaths++
    }
    // Begin, claiming the Idempotency-Key and the record, the answer and the commit alone take eight.
    expect(deaths).toBeGreaterThanOrEqual(8)
    expect(await readAllRows(app)).not.toEqual(before)
    const { result } = await sessionEnder.count(() => ask(headers))
    expect(result.headers.get('idempotency-replayed')).toBe('true')
  },
)
