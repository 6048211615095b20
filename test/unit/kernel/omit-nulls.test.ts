import { expect, it } from 'vitest'
import { omitNulls } from '../../../src/kernel/omit-nulls.ts'

type Answer = { id: string; note?: string; count?: number; open?: boolean; tags?: string[] }

it('leaves out what is null or undefined, and keeps the order', () => {
  const answer = omitNulls<Answer>({ id: 'one', note: null, open: true, count: undefined })
  expect(Object.entries(answer)).toEqual([
    ['id', 'one'],
    ['open', true],
  ])
})

it('keeps what is only empty', () => {
  const empty = { id: '', note: '', count: 0, open: false, tags: [] }
  expect(omitNulls<Answer>(empty)).toEqual(empty)
})
