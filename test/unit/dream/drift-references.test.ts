import { posix } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Payload } from '../../../src/domain/payloads/payloads.ts'
import { maxReferenceLength } from '../../../src/dream/drift/path-references.ts'
import { findReferences, maxReferences } from '../../../src/dream/drift/reference-extraction.ts'
import type { Reference } from '../../../src/dream/drift/references.ts'
import { countRuns } from '../../support/long-run.ts'
import { anyCharacter } from '../../support/texts/any-character.ts'

const roots = ['/srv/app', '/srv/docs']
const fact = (object: unknown, more: object = {}): Payload => ({
  kind: 'semantic',
  subject: 's',
  predicate: 'p',
  object,
  validity: { mode: 'global' },
  evidence: [],
  ...more,
})
const file = (canonical_name: string, paths: readonly string[] = [], primary_type = 'File'): Payload => ({
  kind: 'entity',
  canonical_name,
  primary_type,
  types: [],
  aliases: [],
  identifiers: paths.map((value) => ({ namespace: 'path', value })),
})
const findIn = (payload: Payload, beneath = roots): string[] =>
  findReferences(payload, beneath).map(({ kind, path, names }) => [kind, path, ...names].join(' '))
const findInText = (text: string): string[] => findIn(fact(text))

describe('the references in a text', () => {
  it.each([
    ['is done in src/http/app.ts.', ['path src/http/app.ts']],
    ['see `./src/a.ts`, (lib/b.py) and "docs/c.md"!', ['path src/a.ts', 'path lib/b.py', 'path docs/c.md']],
    ['src/a.ts:12 and src/a.ts:12:5 and src/a.ts#L3-L9', ['path src/a.ts']],
    ['src//deep/./a.ts', ['path src/deep/a.ts']],
    ['config/.env', ['path config/.env']],
    ['src/a.ts#run', ['symbol src/a.ts run']],
    ['src/a.ts#run()', ['symbol src/a.ts run']],
    ['tests/x.py::TestIt::test_one', ['symbol tests/x.py TestIt test_one']],
    ['docs/guide.md#installing', ['path docs/guide.md']],
    ['/srv/app/bin/start', ['path bin/start']],
    ['/srv/app//bin/./start', ['path bin/start']],
    ['npm run build and npm run test:unit.', ['script package.json build', 'script package.json test:unit']],
  ])('are found in: %s', (text, expected) => {
    expect(findInText(text)).toEqual(expected)
  })

  it.each([
    'https://example.com/src/a.ts',
    'ssh://git@host/a/b.git or git@host.org:acme/b.git',
    'example.com/page.html and //cdn.example.com/x.js',
    'src/*.ts, src/{a,b}.ts, src/**/a.ts and src/?.ts',
    '../../etc/passwd and ../secrets.env and src/../../a.ts and /srv/app/../b.ts',
    '/etc/passwd, /srv/application/a.ts, /srv and /srv/app',
    'and/or, yes/no. 1/2.5 and node/v20.1 application/vnd.api',
    '~/notes/a.md $HOME/a.sh %APP%/x.txt C:\\src\\a.ts src\\b.ts',
    '-I/usr/include/x.h --out=dist/a.js @scope/package/index.js',
    `${'a/'.repeat(maxReferenceLength)}b.ts`,
    'src/a\0b.ts',
    'npm run build --workspace api',
    'cd web && npm run build',
    'npm runs fast',
  ])('do not include: %s', (text) => {
    expect(findInText(text)).toEqual([])
  })

  it('are read from values of the record’s own content', () => {
    expect(findIn(fact({ 'src/key.ts': { deep: [['src/value.ts']] } }))).toEqual(['path src/value.ts'])
    const evidence = [
      { source_type: 'tool' as const, source_id: 'logs/gone.log', timestamp: '2026-01-01T00:00:00Z' },
    ]
    expect(findIn(fact('x', { evidence }))).toEqual([])
    const skill: Payload = {
      kind: 'competence',
      skill_name: 'build',
      triggers: [],
      required_tools: [],
      failure_modes: [],
      recipe: [{ step: 'run scripts/build.sh', args_schema: { example: 'src/example.ts' } }],
      fallbacks: ['npm run clean'],
    }
    expect(findIn(skill)).toEqual(['path scripts/build.sh', 'script package.json clean'])
  })

  it('are not read from episodic and working records', () => {
    const state: Payload = {
      kind: 'working',
      thread_id: 't',
      state: 'planning',
      active_constraints: [],
      open_questions: [],
      next_actions: ['edit src/a.ts'],
    }
    expect(findIn(state)).toEqual([])
    expect(findIn({ kind: 'episodic', timeline: [], tool_graph: [], artifacts: ['src/a.ts'] })).toEqual([])
  })

  it('of a File entity are its path and path-like names', () => {
    expect(findIn(file('src/a.ts'))).toEqual(['path src/a.ts'])
    expect(findIn(file('The settings', ['package.json', 'my docs/read me']))).toEqual([
      'path package.json',
      'path my docs/read me',
    ])
    expect(findIn(file('a.ts'))).toEqual([])
    expect(
      findIn(file('https://host/a.ts', ['../x', '/etc/passwd', 'a\nb/../c', 'src/*.ts', 'a\0b'])),
    ).toEqual([])
    expect(findIn(file('src/a.ts', ['b.ts'], 'Symbol'))).toEqual([])
  })

  it('are empty without roots for the record', () => {
    expect(findIn(fact('src/a.ts and npm run x'), [])).toEqual([])
  })

  it('belong to the root that contains them, and relative ones to all roots', () => {
    const beneath = (text: string, all = roots) => findReferences(fact(text), all).map((each) => each.roots)
    expect(beneath('src/a.ts')).toEqual([roots])
    expect(beneath('/srv/docs/a.md')).toEqual([['/srv/docs']])
    expect(beneath('/srv/app/lib/a.ts', ['/srv/app', '/srv/app/lib'])).toEqual([['/srv/app/lib']])
  })

  it('are limited in number', () => {
    const many = Array.from({ length: 10_000 }, (_, n) => `src/file${n}.ts`)
    expect(findIn(fact(many))).toHaveLength(maxReferences)
    expect(findIn(fact(Array.from({ length: 200 }, () => 'src/a.ts')))).toHaveLength(1)
    let deep: unknown = 'src/a.ts'
    for (let n = 0; n < 100_000; n++) deep = [deep]
    expect(findIn(fact(deep))).toEqual(['path src/a.ts'])
  })

  it('are found in bounded time in any text', () => {
    const hostile = [
      ')'.repeat(1_000),
      'a.'.repeat(500),
      `${'/.'.repeat(500)}a`,
      '#'.repeat(1_000),
      '../'.repeat(300),
    ]
    const texts = hostile.map((word) => `${`${word}/x `.repeat(100_000 / (word.length + 3))}src/a.ts`)
    for (const text of texts) expect(findInText(text)).toContain('path src/a.ts')
  })
})

const pieces = fc.constantFrom(
  '..',
  '.',
  '/',
  '//',
  '/srv/app',
  '/srv/app/',
  '/srv',
  '/etc/passwd',
  '\0',
  '\n',
  ' ',
  '~',
  '\\',
  '%2e%2e',
  'src',
  'a.ts',
  '#',
  '::',
  ':1',
  'name',
  '`',
  '(',
  ')',
  '...',
  '../',
  '/..',
  '‥',
  '．．',
  '@',
  '-',
  'npm run ',
)
const hostile = fc
  .array(fc.oneof(pieces, fc.string({ unit: anyCharacter, maxLength: 6 })), { maxLength: 12 })
  .map((parts) => parts.join(''))

describe('any payload', () => {
  it('has no reference that leaves its root', () => {
    fc.assert(
      fc.property(hostile, hostile, fc.array(hostile, { maxLength: 3 }), (text, name, paths) => {
        const payloads = [fact([text, { [name]: text }]), file(name, paths), file(text)]
        for (const reference of payloads.flatMap((each) => findReferences(each, roots)))
          expectInside(reference)
      }),
      { numRuns: countRuns(3_000) },
    )
  })
})

function expectInside({ path, roots: beneath, reference, names }: Reference): void {
  expect(beneath.length).toBeGreaterThan(0)
  expect(path).not.toBe('')
  expect(path).not.toMatch(/\p{Cc}/u)
  expect(path.split('/')).not.toContain('..')
  expect(reference.length).toBeLessThanOrEqual(maxReferenceLength)
  expect(names.length).toBeLessThanOrEqual(8)
  for (const root of beneath) {
    expect(roots).toContain(root)
    expect(posix.resolve(root, path).startsWith(`${root}/`)).toBe(true)
  }
}
