import { describe, expect, it } from 'vitest'
import { removeCopied } from '../../../src/domain/worth/copied-text.ts'
import { placeInConversation } from '../../../src/domain/worth/worth-context.ts'

const article = `The harbour of Ghent handled 62 million tonnes of cargo in 2023, more than in any year before. ${'Its canal of 32 kilometres was opened in 1827 and leads to the sea at Terneuzen. '.repeat(5)}`
const artikel = `Der Hafen von Gent hat im Jahr 2023 62 Millionen Tonnen umgeschlagen. ${'Der Kanal ist 32 Kilometer lang und wurde 1827 eröffnet. '.repeat(8)}`
const log = '10:42:07 ERROR pool exhausted active=40 idle=0\n'.repeat(12)
const json = `{\n${'  "city": "Ghent",\n  "amount": 12.5,\n'.repeat(14)}}`
const rows = 'A-12,Ghent,12.50,2025-03-04\n'.repeat(18)

describe('what a person copies', () => {
  it.each([
    ['an article', article],
    ['an article in German', artikel],
    ['an article with a quote', `${article}"My town and I are proud", said the mayor.`],
    ['a log', log],
    ['JSON', json],
    ['rows of a table', rows],
    ['a log in which a line is of words', `${log}The pool was restarted by the operator\n${log}`],
  ])('is known where nothing else is said: %s', (_name, text) => {
    const { isCopied, text: read } = removeCopied(text)
    expect(isCopied).toBe(true)
    expect(read).toBe(text.slice(0, 100))
  })

  it.each([
    ['an article', article],
    ['a log', log],
    ['rows of a table', rows],
  ])('is not read below or above what the person says: %s', (_name, text) => {
    const own = 'I moved to Ghent, this is why:\n'
    expect(removeCopied(own + text)).toEqual({ text: own, isCopied: false })
    expect(removeCopied(`${text}\n${own}`).text.trim()).toBe(own.trim())
  })

  it.each([
    [
      'notes',
      'Ella: allergic to nuts, shoe size 34, class 4b with Mrs. Brandt, swimming on Tuesdays at five. The dentist is on 17 April. '.repeat(
        3,
      ),
    ],
    ['a short text', 'The harbour of Ghent handled 62 million tonnes of cargo in 2023.'],
    ['a line in which the person speaks', `${article} I work there.`],
    [
      'a language that leaves the pronoun out',
      'El puerto de Gante movió 62 millones de toneladas. '.repeat(12),
    ],
    ['a short list', '2 kg flour\n12 eggs\n1 l milk'],
  ])('is not this: %s', (_name, text) => {
    expect(removeCopied(text)).toEqual({ text, isCopied: false })
  })

  it('is found in linear time', () => {
    const units = [
      'a',
      'a\n',
      'the \n',
      '"a": ',
      '{\n',
      'I ',
      '1 ',
      '" : ',
      'ü',
      "a'",
      '\n',
      '"',
      '“',
      '„',
      '«a',
    ]
    for (const unit of units)
      for (const length of [100_000, 500_000]) {
        const text = `the ${unit.repeat(length / unit.length)}1`
        const start = performance.now()
        removeCopied(text)
        expect(performance.now() - start).toBeLessThan(2_000)
      }
  })
})

describe('a person who copies', () => {
  const say = (text: string) => ({ role: 'user', name: 'Ada', text })
  const mayCopy = (...said: string[]) => placeInConversation(said.map(say), []).at(-1)?.mayCopy

  it('also says something in words of its own', () => {
    expect(mayCopy('I live in Ghent.', article)).toBe(true)
    expect(mayCopy('I live in Ghent.', 'I moved there in May.')).toBe(false)
  })

  it('is not one that only writes such texts, as for notes', () => {
    expect(mayCopy(article)).toBe(false)
    expect(mayCopy('I live in Ghent.', article, artikel, log)).toBe(false)
  })

  it('is no assistant and no tool', () => {
    for (const role of ['assistant', 'tool']) {
      const places = placeInConversation([say('I live in Ghent.'), { role, text: article }], [])
      expect(places.at(-1)?.mayCopy).toBe(false)
    }
  })
})
