import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writePrompt } from '../../../src/retrieval/prompt/prompt-writing.ts'
import { estimateTokens } from '../../../src/retrieval/prompt/token-estimate.ts'
import { countRuns } from '../../support/long-run.ts'
import { captured, fact, find, message, record } from '../../support/stores/prompt-records.ts'
import { hostileText } from '../../support/texts/hostile-text.ts'

const question = 'billing needs secret words'

describe('for any content of the records, the text', () => {
  const content = fc.oneof(hostileText, fc.string({ unit: 'grapheme', maxLength: 3_000 }))
  const anyRecord = fc.tuple(fc.nat(4), content, content).map(([kind, text, other]) => (number: number) => {
    if (kind === 0) return fact(number, text, {}, other)
    if (kind === 1) return message(number % 60, text, { id: other || 'c', name: other || 'n' })
    if (kind === 2) return fact(number, { [text]: other })
    if (kind === 3) return captured(number, { [other]: text, text: other })
    const task = { state: 'waiting', active_constraints: [], next_actions: [text], open_questions: [] }
    return record(number, { kind: 'working', thread_id: other, ...task })
  })
  const found = fc.array(anyRecord, { maxLength: 12 }).map((makers) => {
    const records = makers.map((make, number) => make(number))
    const ids = records.map(({ id }) => id)
    const [first, second] = ids
    return find(records, {
      profileIds: ids.slice(3, 4),
      disputes: first !== undefined && second !== undefined ? [[first, second]] : [],
    })
  })

  it('stays within the budget and lists every record once', () => {
    fc.assert(
      fc.property(
        found,
        fc.integer({ min: 1, max: 3_000 }),
        fc.constantFrom('markdown', 'json'),
        (input, maxTokens, format) => {
          const { text, token_estimate, items, omitted } = writePrompt(input, { question, maxTokens, format })
          expect(token_estimate).toBe(estimateTokens(text))
          expect(token_estimate).toBeLessThanOrEqual(maxTokens)
          const ids = [...items, ...omitted].map(({ record_id: id }) => id)
          expect(ids.sort()).toEqual([...input.records.keys()].sort())
        },
      ),
      { numRuns: countRuns(3_000) },
    )
  })

  it('has one fence, and one line with one reference for each record', () => {
    fc.assert(
      fc.property(found, (input) => {
        const { text, items } = writePrompt(input, { question, maxTokens: 100_000, format: 'markdown' })
        if (items.length === 0) return
        const [opening, , ...lines] = text.split(/[\n\r\v\f\u0085\u2028\u2029]/)
        expect([opening, lines.pop()]).toEqual(['```memory', '```'])
        expect(lines.join('\n')).not.toContain('```')
        const named = lines.filter((line) => !/^(?:## |Conversation:)/.test(line))
        expect(named.map((line) => /^- \[m:(\w+)\] /.exec(line)?.[1])).toEqual(items.map(({ ref }) => ref))
        expect(lines.join('\n').match(/\[m:/g)).toHaveLength(items.length)
      }),
      { numRuns: countRuns(3_000) },
    )
  })

  it('is valid JSON with the same entries in the same order', () => {
    fc.assert(
      fc.property(found, (input) => {
        const { text, items } = writePrompt(input, { question, maxTokens: 100_000, format: 'json' })
        const { notice, ...parts } = JSON.parse(text)
        expect(notice).toContain('data')
        const entries = Object.values(parts).flat() as { record_id: string }[]
        expect(entries.map(({ record_id: id }) => id)).toEqual(items.map(({ record_id: id }) => id))
      }),
      { numRuns: countRuns(1_000) },
    )
  })
})
