import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findJson } from '../../src/llm/answer-json.ts'

const ticks = '```'

describe('the search for JSON in an answer', () => {
  it.each([
    ['alone', ' {"a": 1}\n', { a: 1 }],
    [
      'in a fence',
      `Here you are:\n${ticks}json\n{"a": [1, {"b": 2}]}\n${ticks}\nAnything else?`,
      { a: [1, { b: 2 }] },
    ],
    ['a list', 'The triples are [{"subject": "x"}].', [{ subject: 'x' }]],
    ['behind brackets of prose', 'As [1] and {so on} say: {"a": {"b": 1}} [2]', { a: { b: 1 } }],
    ['behind an opening that nothing closes', 'Note {: the answer is {"a": 1}', { a: 1 }],
    ['with brackets and quotes in its strings', 'x {"a": "}]\\"{[", "b": "\\\\"} y', { a: '}]"{[', b: '\\' }],
    ['corrected', '<think>{"a": 1}</think>{"a": 2}', { a: 2 }],
  ])('finds JSON %s', (_name, text, value) => {
    expect(findJson(text)).toEqual(value)
  })

  it.each(['', 'no', '12', '"text"', 'null', '{', '[', '}{', '{"a": 1', "{'a': 1}", '{a: 1}', '[1,]'])(
    'finds nothing in %j',
    (text) => expect(findJson(text)).toBeUndefined(),
  )

  it('finds JSON inside prose without brackets and quotes', () => {
    const prose = fc.string().map((text) => text.replaceAll(/[[\]{}"]/g, ''))
    const value = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()))
    fc.assert(
      fc.property(prose, value, prose, (before, each, after) => {
        const text = JSON.stringify(each)
        expect(JSON.stringify(findJson(`${before}${text}${after}`))).toBe(text)
      }),
    )
  })

  const million = (text: string) => text.repeat(Math.ceil(1_000_000 / text.length))
  it.each([
    ['openings', million('[')],
    ['objects never closed', million('{"a":')],
    ['quotes never closed', million('{"')],
    ['backslashes', million('{"\\')],
    ['empty objects', million('{}x[')],
    ['brackets that close and say nothing', `${'[x'.repeat(60_000)}${']'.repeat(60_000)}`],
    ['a depth of sixty thousand', `${'['.repeat(60_000)}x${']'.repeat(60_000)}`],
    ['an opening before small lists', `[${million('[1,2]x')}`],
  ])('searches %s in bounded time', (_name, text) => {
    const started = performance.now()
    findJson(text)
    // About thirty milliseconds; without bounds it takes minutes.
    expect(performance.now() - started).toBeLessThan(1_000)
  })
})
