import { expect, it } from 'vitest'
import { createSpeakerList } from '../../../src/retrieval/text/memory/speaker-list.ts'

it('a list of speakers knows who wrote each message, and which messages are of the same speaker', () => {
  const speakers = createSpeakerList()
  for (const name of ['Ada', 'Bo', 'Ada', null]) speakers.push(name)
  const places = [0, 1, 2, 3, 4]
  expect(places.map(speakers.getName)).toEqual(['Ada', 'Bo', 'Ada', null, null])
  expect(places.map(speakers.getNumber)).toEqual([1, 2, 1, 0, 0])
})
