import { afterAll, expect, it } from 'vitest'
import type { Body } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const expected = 'must be an RFC 3339 time with a zone, such as 2026-03-28T09:30:00.000Z'
const explain = ({ body }: { body: unknown }) => (body as Body).errors

it.each(['2026-03-01', '2026-03-01T10:00:00', '1767225600', 1_767_225_600])(
  'says what a time must be instead of %j',
  async (occurred_at) => {
    const body = { text: 'Ada likes tea.', occurred_at }
    expect(explain(await app.request('POST', '/v1/remember', { body }))).toEqual([
      { pointer: '/occurred_at', message: expected },
    ])
  },
)

it('says how the sign of an offset is written in a query', async () => {
  const list = (time: string) => app.request('GET', `/v1/records?created_after=${time}`)
  expect(explain(await list('2026-03-01T00:00:00+01:00'))).toEqual([
    { pointer: '?created_after', message: `${expected}; in a URL the sign + is written as %2B` },
  ])
  expect(explain(await list('2026-03-01'))).toEqual([{ pointer: '?created_after', message: expected }])
  expect((await list('2026-03-01T00:00:00%2B01:00')).status).toBe(200)
})
