import { afterAll, expect, it } from 'vitest'
import {
  capture,
  captureFact,
  countRecordsOfType,
  erase,
  postCapture,
  range,
  triple,
} from '../support/requests/capture-requests.ts'
import { type Body, read } from '../support/requests/record-requests.ts'
import { countTransactions, issueWritingKeys, sendAtOnce } from '../support/statements/shared-transactions.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the captures at once' } })
afterAll(() => app.close())

it('captures that come at the same moment share transactions, and each answer is that of its own evidence', async () => {
  const scope = 'shared'
  const keys = await issueWritingKeys(app, ['third', 'fourth'])
  const answers = await sendAtOnce(app, 24, (number) =>
    postCapture(
      app,
      { ref: `run-${number}`, text: `step ${number}`, user: 'Ines', service: `service ${number % 7}` },
      { scope },
      { key: keys[number % 2] ?? '' },
    ),
  )
  for (const [number, { status, body }] of answers.entries()) {
    expect(status).toBe(201)
    const { primary_record: primary } = body as Body
    expect(JSON.stringify(primary.payload)).toContain(`"step ${number}"`)
    const { audit_log: log, relations } = await read(app, primary.id)
    expect(log).toMatchObject([{ via: { key_name: number % 2 === 0 ? 'third' : 'fourth' } }])
    const targets = relations.filter(({ predicate }: Body) => predicate === 'mentions_entity')
    const names = await Promise.all(targets.map(({ target_id: id }: Body) => read(app, id)))
    expect(names.map(({ payload }) => payload.canonical_name).sort()).toEqual([
      'Ines',
      `service ${number % 7}`,
    ])
  }
  expect(await countRecordsOfType(app, 'entity', scope)).toBe(8)
  expect(await countTransactions(app, scope)).toBeLessThan(24)
})

it('captures that confirm and contradict different known facts change each fact once, in the name of their key', async () => {
  const scope = 'facts'
  const keys = await issueWritingKeys(app, ['fifth', 'sixth'])
  const about = (number: number, object: string) => ({ ...triple(object), subject: `build ${number}` })
  const known = await Promise.all(
    range(12).map((number) => captureFact(app, about(number, 'Linux'), { scope })),
  )
  const answers = await Promise.all(
    range(12).map((number) =>
      postCapture(
        app,
        about(number, number % 3 === 0 ? 'BSD' : 'Linux'),
        { scope, source_kind: 'observation' },
        { key: keys[number % 2] ?? '' },
      ),
    ),
  )
  for (const [number, { status, body }] of answers.entries()) {
    expect(status).toBe(201)
    const { fact } = body as Body
    const first = known[number]?.['fact'].record_id
    const stored = await read(app, first)
    const keyName = number % 2 === 0 ? 'fifth' : 'sixth'
    if (number % 3 === 0) {
      expect(fact).toMatchObject({ outcome: 'contested', other_id: first })
      expect(stored.relations.map(({ predicate }: Body) => predicate)).toContain('contested_by')
    } else {
      expect(fact).toMatchObject({ outcome: 'confirmed', record_id: first })
      expect(stored.payload.evidence).toHaveLength(2)
    }
    expect(stored.version).toBe(2)
    expect(stored.audit_log.at(-1)).toMatchObject({ via: { key_name: keyName } })
  }
  expect(await countRecordsOfType(app, 'semantic', scope)).toBe(16)
})

it('a capture of erased evidence is refused, and those that come with it are stored once', async () => {
  const scope = 'mixed'
  const { primary_record: episode } = await capture(app, { text: 'The erased words.' }, { scope })
  await erase(app, episode.id)
  const answers = await Promise.all(
    range(20).map((number) =>
      postCapture(app, { text: number % 10 === 4 ? 'The erased words.' : `kept ${number}` }, { scope }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(range(20).map((n) => (n % 10 === 4 ? 409 : 201)))
  expect(await countRecordsOfType(app, 'episodic', scope)).toBe(18)
})

it('a capture that comes twice at once is stored once', async () => {
  const scope = 'twice'
  const answers = await Promise.all(
    range(20).map((number) => postCapture(app, { ref: `run-${number % 10}`, text: 'done' }, { scope })),
  )
  const repeated = answers.filter(({ body }) => (body as Body).deduplicated)
  expect(repeated).toHaveLength(10)
  expect(await countRecordsOfType(app, 'episodic', scope)).toBe(10)
})
