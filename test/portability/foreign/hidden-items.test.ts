import { afterAll, expect, it } from 'vitest'
import { purgeForgotten } from '../../../src/records/index.ts'
import { listBrokenLaws } from '../../support/checks/broken-laws.ts'
import { importFile, listLineResults, readFixture } from '../../support/files/foreign-files.ts'
import { createScope } from '../../support/requests/consolidation-requests.ts'
import { type Body, read } from '../../support/requests/record-requests.ts'
import { startTestApp } from '../../support/test-app.ts'

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the import tests' } })
afterAll(async () => {
  const broken = await listBrokenLaws(app)
  await app.close()
  expect(broken).toEqual([])
})

const reason = { actor: 'ada', rationale: 'not for all' }
const patch = (id: string, body: object) => app.request('PATCH', `/v1/records/${id}`, { body })

/** What hides a record from the key of its scope, or has removed it where the key would not see it. */
const hidings: Record<string, (id: string) => Promise<unknown>> = {
  moved: (id) => patch(id, { scope: createScope() }),
  redacted: (id) => patch(id, { sensitivity: 'medium' }),
  'too sensitive': (id) => patch(id, { sensitivity: 'hyper' }),
  'moved and erased': async (id) => {
    await patch(id, { scope: createScope() })
    await app.request('POST', `/v1/records/${id}/erase`, { body: reason })
  },
  'too sensitive and purged': async (id) => {
    await patch(id, { sensitivity: 'hyper' })
    await app.request('DELETE', `/v1/records/${id}?actor=ada&rationale=b`)
    app.clock.advance(31 * 86_400_000)
    await purgeForgotten(app.db, app.clock.now(), 1_000)
  },
}

/** A key for one scope, and an import into it as this key. */
async function openScope() {
  const scope = createScope()
  const trust = { scopes: [scope], max_sensitivity: 'low' }
  const key = await app.issueKey(['records:read', 'records:write'], trust)
  return {
    key,
    load: (file: string | Buffer, query = '') => importFile(app, file, { query: `?${query}`, key }),
  }
}

async function hide(kind: string, id: string): Promise<void> {
  await hidings[kind]?.(id)
  const { status } = await app.request('GET', `/v1/records/${id}`)
  expect(status).toBe(kind.includes(' and ') ? 410 : 200)
}

const memories = (text: string) => JSON.stringify(['a', 'b'].map((id) => ({ id, memory: `${text} ${id}` })))

it.each(Object.keys(hidings))(
  'an item whose record is %s is imported like an item without any',
  async (kind) => {
    const [hiding, other] = [await openScope(), await openScope()]
    const first = await hiding.load(memories('likes tea'))
    expect(listLineResults(first)).toEqual(['1 created', '2 created'])
    await hide(kind, first.reports[0].id)
    // To the second key, both the items are new.
    for (const query of ['dry_run=true', '']) {
      const [one, control] = [
        await hiding.load(memories('likes tea'), query),
        await other.load(memories('likes tea'), query),
      ]
      expect({ ...one.reports[0], id: '' }).toEqual({ ...control.reports[0], id: '' })
      expect(listLineResults(one)[1]).toBe('2 unchanged')
    }
    const again = await hiding.load(memories('likes tea'))
    expect(listLineResults(again)).toEqual(['1 unchanged', '2 unchanged'])
    expect(again.reports[0].id).not.toBe(first.reports[0].id)
    expect((await read(app, again.reports[0].id, hiding)).payload.object).toBe('likes tea a')
    // Another content of a hidden item tells no more.
    await hide('moved', again.reports[0].id)
    expect(listLineResults(await hiding.load(memories('likes coffee')))).toEqual([
      '1 created',
      '2 conflict record_exists',
    ])
  },
)

it('a key that sees the hidden record finds it unchanged', async () => {
  const { load } = await openScope()
  const { reports } = await load(memories('likes rain'))
  const { scope } = await read(app, reports[0].id)
  await hide('too sensitive', reports[0].id)
  await load(memories('likes rain'))
  const all = await importFile(app, memories('likes rain'), { query: `?scope=${encodeURIComponent(scope)}` })
  expect(listLineResults(all)).toEqual(['1 unchanged', '2 unchanged'])
  expect(all.reports.map(({ id }: Body) => id)).toEqual(reports.map(({ id }: Body) => id))
})

it('the relations of a new item lead to the record that the key sees', async () => {
  const { key, load } = await openScope()
  const lines: object[] = [
    { type: 'entity', name: 'Nora', entityType: 'person', observations: [] },
    { type: 'entity', name: 'Harbour', entityType: 'team', observations: [] },
  ]
  const write = (given: readonly object[]) => given.map((line) => JSON.stringify(line)).join('\n')
  const first = await load(write(lines))
  await hide('too sensitive', first.reports[0].id)
  const relation = { type: 'relation', from: 'Nora', to: 'Harbour', relationType: 'leads' }
  const again = await load(write([...lines, relation]))
  expect(listLineResults(again)).toEqual(['1 created', '2 unchanged', '3 created'])
  const [nora, harbour, leads] = again.reports.map(({ id }: Body) => id)
  const { relations } = await read(app, leads, { key })
  expect(relations.map(({ target_id: id }: Body) => id).sort()).toEqual([nora, harbour].sort())
})

it.each(['moved', 'too sensitive'])(
  'a message that is %s is imported again into its conversation',
  async (kind) => {
    const { key, load } = await openScope()
    const file = await readFixture('chatgpt.json')
    const first = await load(file)
    const [{ payload }, second] = await Promise.all(
      first.reports.slice(0, 2).map(({ id }) => read(app, id, { key })),
    )
    await hide(kind, first.reports[0].id)
    const again = await load(file)
    expect(listLineResults(again)).toEqual(['1 created', '1 unchanged', '2 invalid validation_failed'])
    const conversation = encodeURIComponent(payload.conversation.id)
    const { body } = await app.request('GET', `/v1/conversations/${conversation}/messages`, { key })
    const ids = (body as Body).items.map((item: Body) => item.record_id)
    expect(ids.sort()).toEqual([again.reports[0].id, second.id].sort())
    expect(listLineResults(await load(file)).slice(0, 2)).toEqual(['1 unchanged', '1 unchanged'])
  },
)
