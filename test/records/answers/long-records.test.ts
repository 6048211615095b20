import { afterAll, describe, expect, it } from 'vitest'
import { isLongRun } from '../../support/long-run.ts'
import type { Body } from '../../support/requests/record-requests.ts'
import { countItems, createLongFacts, longScope, readPages } from '../../support/stores/long-records.ts'
import { startTestApp } from '../../support/test-app.ts'

const trust = { scopes: [longScope], max_sensitivity: 'low' }
const app = await startTestApp()
const facts = await createLongFacts(app)
afterAll(() => app.close())

describe('a list of records of megabytes', () => {
  it.each(isLongRun ? ['salience', 'created_at'] : ['salience'])(
    'has pages of about 16 MiB, sorted by %s',
    async (sort) => {
      const key = await app.issueKey(['records:read'], trust)
      const pages = await readPages(app, `/v1/records?sort=${sort}&type=semantic&limit=100`, key)
      expect(countItems(pages)).toEqual([2, 1])
      const ids = pages.flatMap(({ items }) => items.map(({ id }) => id))
      expect(ids.sort()).toEqual([...facts].sort())
    },
  )

  it('does not end a page because of records that it shows redacted', async () => {
    const key = await app.issueKey(['records:read'], { ...trust, max_sensitivity: 'public' })
    const [page] = await readPages(app, '/v1/records?type=semantic&limit=100', key)
    expect(page?.items.map(({ redacted }) => redacted)).toEqual(facts.map(() => true))
  })
})

describe('a change of records of megabytes at once', () => {
  it('changes all, and answers with the first of them and the versions of the others', async () => {
    const body = { ids: [app.ids.next(), ...facts], actor: 'a', rationale: 'r' }
    const { body: answer } = await app.request('POST', '/v1/records/reinforce', { body })
    const { results } = answer as Body
    expect(results.map(({ status }: Body) => status)).toEqual([404, ...facts.map(() => 200)])
    const records = results.slice(1).map(({ record }: Body) => record)
    expect(records.map((record: Body) => 'payload' in record)).toEqual([
      true,
      ...facts.slice(1).map(() => false),
    ])
    expect(records.slice(1)).toEqual(facts.slice(1).map((id) => ({ id, version: 2 })))
    const stored = await app.db.selectFrom('records').select('version').where('id', 'in', facts).execute()
    expect(stored).toEqual(facts.map(() => ({ version: 2 })))
  })
})
