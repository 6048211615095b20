import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { writeSearchableText } from '../../../src/domain/payloads/searchable-text.ts'
import { maskFact, maskText } from '../../../src/domain/secrets/masking.ts'
import { countRuns, isLongRun } from '../../support/long-run.ts'
import { secretKey } from '../../support/texts/secret-keys.ts'

describe('masking', () => {
  it('changes nothing when it is repeated', () => {
    const text = fc.oneof(
      fc.string(),
      fc
        .tuple(secretKey, fc.constantFrom('=', ': ', '":"', '\\":\\"', ' '), fc.string())
        .map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(text, (input) => {
        expect(maskText(maskText(input))).toBe(maskText(input))
      }),
      { numRuns: countRuns(2_000) },
    )
  })

  it('makes no text longer than its field, and changes nothing when it is done again to a text that it cut', () => {
    const part = fc.tuple(
      secretKey,
      fc.constantFrom('=', '="', ': ', '":"'),
      fc.constantFrom('x', 'y"', 'z,'),
    )
    const text = fc.array(part, { minLength: 1, maxLength: 80 }).map((parts) => parts.flat().join(''))
    fc.assert(
      fc.property(text, fc.constantFrom(' ', '', '😀'), (input, end) => {
        const masked = maskText(input + end)
        expect(masked.length).toBeLessThanOrEqual(Math.max((input + end).length, 256))
        expect(masked.isWellFormed()).toBe(true)
        expect(maskText(masked)).toBe(masked)
      }),
      { numRuns: countRuns(1_000) },
    )
  })

  // A search that goes back over the text at each place takes minutes for one of these, and the test ends with its timeout.
  it('takes bounded time on hostile text', () => {
    const parts = [
      'a',
      'a-',
      'a.',
      'key=',
      'key=[',
      'key={"',
      'key="',
      'key:\\"',
      '<a>',
      '<key>',
      '--a ',
      '--key ',
      '-u a:',
      'https://',
      'https://a:',
      'a@',
      'eyJabcdefgh.',
      'sk-',
      '-----BEGIN PRIVATE KEY-----',
      'bearer ',
      '\\',
      'password is ',
      '"',
      "'",
      '{',
      '[',
      'key=a,',
      'key=a}',
      'token: x ',
      '?sig=',
      'ä=',
      '\n',
      'a b: ',
    ]
    for (const part of parts) {
      const text = part.repeat(200_000 / part.length)
      expect(maskText(text).length).toBeLessThanOrEqual(text.length)
    }
  })

  it('ends for every beginning of a secret, repeated in one word or in many', () => {
    const beginnings = [
      ['sk-', 'sk-A', 'rk_live_', 'ghp_', 'github_pat_', 'glpat-', 'dckr_pat-', 'whsec_', 'npm_', 'hf-'],
      ['secret_', 'xoxb-', 'xapp-', 'pypi-', 'AKIA', 'AIza', 'ya29.', 'eyJ', 'SG.', 'AGE-SECRET-KEY-1'],
      ['a://', 'a://a:', 'git@', 'hooks.slack.com/services/', '&sig=', '-----BEGIN RSA PRIVATE KEY'],
      ['basic ', 'token\t', 'token of the ', 'token is now ', 'cookie=', 'cookie=<secret string>', '-u a'],
    ].flat()
    const separators = ['-', '_', ' ', 'a', '1.', '=', '"']
    for (const [at, beginning] of beginnings.entries()) {
      const place = at % separators.length
      for (const between of ['', ...(isLongRun ? separators : separators.slice(place, place + 1))]) {
        const text = `${between}${beginning}`.repeat(30_000)
        expect(maskText(text).length).toBeLessThanOrEqual(text.length)
      }
    }
  })

  it('ends for a JWT that begins again and again', () => {
    const text = '-eyJ'.repeat(1_500_000)
    expect(maskText(text)).toBe(text)
    const token = 'hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0'
    expect(maskText(`${'-eyJ'.repeat(900)}${token}`)).toBe('-<secret string>')
    expect(maskText(`eyJ eyJa-eyJ${token} my-eyJ${token}`)).toBe('eyJ <secret string> my-<secret string>')
  })

  it.each(['bearer', 'basic', 'token', 'digest', 'apikey'])(
    'ends for a word of many short parts after %s',
    (name) => {
      const words = `${name} ${'aa-'.repeat(1_000)}aa`
      expect(maskText(words)).toBe(words)
      expect(maskText(`${words}1`)).toBe(`${name} <secret string>`)
    },
  )

  it('masks the beginning of a value of any length', () => {
    const value = 'a'.repeat(10_000_000)
    expect(maskText(`key=${value}`)).toBe(`key=<secret string>${value.slice(10_000)}`)
  })

  it('leaves the header of a later cookie that is masked already as it is', () => {
    const text = 'cookie=<secret string>] '.repeat(60_000)
    expect(maskText(text)).toBe(text)
  })
})

describe('the mask of a fact', () => {
  it.each([
    [{ subject: 'db', predicate: 'password', object: 'hunter22' }, '<secret string>'],
    [{ subject: 'db', predicate: 'has_api_key', object: 'hunter22' }, '<secret string>'],
    [{ subject: 'the database password', predicate: 'is', object: 'hunter22' }, '<secret string>'],
    [{ subject: 'db', predicate: 'uses', object: { token: 'hunter22' } }, { token: '<secret string>' }],
    [{ subject: 'api', predicate: 'requires', object: 'a token in each header' }, 'a token in each header'],
    [{ subject: 'token', predicate: 'expires_after', object: '5 minutes' }, '5 minutes'],
    [{ subject: 'api', predicate: 'auth_method', object: 'oauth2' }, 'oauth2'],
  ])('covers only an object that is a secret: %j', (fact, object) => {
    expect(maskFact<{ subject: string; predicate: string; object: unknown }>(fact).object).toEqual(object)
  })
})

describe('the text by which a fact is found', () => {
  const object = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string(),
      fc.integer(),
      fc.constantFrom('password=hunter22', '--token', 'Authorization', 'abc123'),
      fc.string().map((text) => JSON.stringify({ password: text })),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(secretKey, fc.constantFrom('name', 'value', 'args', 'x')), tie('value'), {
        maxKeys: 4,
      }),
    ),
  })).value

  it('is that of the masked fact', () => {
    const name = fc.constantFrom('password', 'the build', 'api key', 'is')
    fc.assert(
      fc.property(name, name, object, (subject, predicate, given) => {
        const fact = {
          kind: 'semantic' as const,
          subject,
          predicate,
          object: given,
          validity: { mode: 'global' as const },
          evidence: [],
        }
        expect(writeSearchableText(fact, [])).toBe(
          writeSearchableText({ ...fact, object: maskFact(fact).object }, []),
        )
      }),
      { numRuns: countRuns(2_000) },
    )
  })
})
