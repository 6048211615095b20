import { expect, it } from 'vitest'
import { readSpeakerLabel } from '../../../src/domain/words/speaker-label.ts'
import { labels } from '../../support/texts/speaker-labels.ts'

it.each(labels)('the name at the beginning of %j is %j', (text, name) => {
  expect(readSpeakerLabel(text)?.name ?? null).toBe(name)
})

it('stands before what is said', () => {
  expect(readSpeakerLabel('[8 May 2023] Ada Li: Hello Bo: hi')).toEqual({
    name: 'Ada Li',
    said: 'Hello Bo: hi',
  })
})

it('is found in linear time', () => {
  for (const unit of ['A', 'A ', '[', '1', '1 - ', 'Aa Bb ']) {
    const start = performance.now()
    readSpeakerLabel(unit.repeat(100_000))
    expect(performance.now() - start).toBeLessThan(1_000)
  }
})
