import { expect, it } from 'vitest'
import { removeHiddenReferences } from '../../../src/records/answers/hidden-references.ts'

type Content = Parameters<typeof removeHiddenReferences>[0]

const idOf = (number: number) => `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`

it('removes very many hidden sources of a record in linear time', () => {
  const ids = Array.from({ length: 60_000 }, (_, number) => idOf(number))
  const sources = ids.map((ref) => ({ kind: 'event', ref: `capture:${ref}` }))
  const content = { payload: { kind: 'working' }, provenance: { sources }, hiddenIds: ids.slice(1) }
  const began = performance.now()
  const { provenance } = removeHiddenReferences(content as unknown as Content)
  expect(performance.now() - began).toBeLessThan(5_000)
  expect(provenance.sources).toEqual([sources[0]])
})
