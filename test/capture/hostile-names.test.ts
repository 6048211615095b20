import { afterAll, describe, expect, it } from 'vitest'
import { capture, listMentionedIds, pickCreated, postCapture } from '../support/requests/capture-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

describe('POST /v1/capture with hostile names', () => {
  it('resolves at most fifty names and stores the evidence completely', async () => {
    const user = Array.from({ length: 10_000 }, (_, n) => `user ${n}`)
    const answer = await capture(app, { user, deep: { file: user } }, { scope: 'crowd' })
    expect(pickCreated(answer, 'entity')).toHaveLength(50)
    const kept = answer.primary_record.payload.environment.context.captured.content
    expect(kept).toEqual({ user, deep: { file: user } })
  })

  it('accepts names of up to 1,024 characters', async () => {
    for (const [length, count] of [
      [1_024, 1],
      [1_025, 0],
      [100_000, 0],
    ] as const) {
      const answer = await capture(app, { user: 'x'.repeat(length) }, { scope: `long ${length}` })
      expect(pickCreated(answer, 'entity')).toHaveLength(count)
    }
    const subject = 'y'.repeat(1_025)
    const { status } = await postCapture(
      app,
      { subject, predicate: 'is', object: 1 },
      { scope: 'long', source_kind: 'observation' },
    )
    expect([201, 422]).toContain(status)
  })

  it('ignores names that are blank or not text', async () => {
    const user = ['', ' ', '\u00a0\u3000', '\u2003', 7, null, {}, ['x'], true]
    const answer = await capture(app, { user, agent: ' \t', project: { user: '' } }, { scope: 'blank' })
    expect(pickCreated(answer, 'entity')).toEqual([])
  })

  it('accepts invisible characters and property names of JavaScript objects as names', async () => {
    const names = [
      '\u200b',
      '\u3164',
      '¨',
      'ﷺ',
      '__proto__',
      'constructor',
      '%',
      "'; drop table records; --",
      '🦋',
    ]
    const answer = await capture(app, { user: names }, { scope: 'odd' })
    expect(pickCreated(answer, 'entity').map(({ payload }) => payload.canonical_name)).toEqual(names)
    const again = await capture(app, { user: names }, { scope: 'odd' })
    expect(pickCreated(again, 'entity')).toEqual([])
  })

  it('finds a name again that grows when it is normalised', async () => {
    const long = 'ﷺ'.repeat(1_024)
    const [one] = await listMentionedIds(app, { user: long }, 'grown')
    expect(await listMentionedIds(app, { user: long }, 'grown')).toEqual([one])
  })
})
