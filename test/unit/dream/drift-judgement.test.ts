import { describe, expect, it } from 'vitest'
import { parseDriftRoots } from '../../../src/domain/drift-roots.ts'
import { decideMove, type RecordState } from '../../../src/dream/drift/drift-judgement.ts'
import { type Finding, hasWord } from '../../../src/dream/drift/references.ts'
import { hasScript } from '../../../src/dream/drift/script-references.ts'

describe('a name in a file', () => {
  it.each([
    ['function run() {}', 'run', true],
    ['function rerun() {} const run_all = 1; $run; run2', 'run', false],
    ['rerun, then run', 'run', true],
    ['', 'run', false],
    ['größe', 'gr', false],
  ])('is matched as a whole word: %s', (text, word, expected) => {
    expect(hasWord(text, word)).toBe(expected)
  })

  it.each([
    ['{"scripts": {"build": "x"}}', true],
    ['{"scripts": {}}', false],
    ['{}', false],
    ['{"scripts": {"toString": 1}, "build": 1}', false],
    ['[]', false],
    ['{"scripts": 3}', undefined],
    ['no json', undefined],
    ['null', undefined],
  ])('is matched as a script: %s', (text, expected) => {
    expect(hasScript(text, 'build')).toBe(expected)
  })

  it('is not matched by properties of JavaScript objects', () => {
    expect(hasScript('{"scripts": {}}', 'constructor')).toBe(false)
  })
})

describe('the reading of drift roots', () => {
  it.each([
    ['/srv/app', [{ directory: '/srv/app' }]],
    [
      ' /srv/app/ , docs=/srv//docs/./',
      [{ directory: '/srv/app' }, { directory: '/srv/docs', scope: 'docs' }],
    ],
    ['a=b=/srv/x=y', [{ directory: '/srv/x=y', scope: 'a=b' }]],
    ['/srv/a=/b', [{ directory: '/srv/a=/b' }]],
  ])('accepts %s', (text, expected) => {
    expect(parseDriftRoots(text)).toEqual(expected)
  })

  it.each([
    '',
    '/',
    '//',
    '/.',
    'srv/app',
    './srv',
    '=/srv',
    'docs=',
    'docs=/',
    'docs=srv',
    '/srv/..',
    '/srv/../x',
  ])('refuses %s', (text) => expect(parseDriftRoots(text)).toBeUndefined())

  it.each(['/srv/a,', ',/srv/a', '/srv/a,,/srv/b', '/srv/a,b', `/srv/\u0001`, `${'s'.repeat(257)}=/srv`])(
    'refuses the list %s',
    (text) => expect(parseDriftRoots(text)).toBeUndefined(),
  )
})

describe('the judgement of a record with drift', () => {
  const states: RecordState[] = (['active', 'challenged', 'invalidated'] as const).flatMap((status) =>
    [true, false].flatMap((isOwn) =>
      [null, 'before', 'now'].map((missedBy) => ({ status, isOwn, missedBy })),
    ),
  )
  const judgeAll = (findings: readonly Finding[], isWhole = true) =>
    states.map((state) => decideMove(state, { findings, isWhole, runId: 'now' }))

  it('changes nothing when no finding is certain', () => {
    expect(new Set(judgeAll([]))).toEqual(new Set([undefined]))
    expect(new Set(judgeAll(['unknown', 'found']))).toEqual(new Set([undefined]))
    expect(new Set(judgeAll(['missing', 'found'], false))).toEqual(new Set([undefined]))
  })

  it('challenges at the first miss, invalidates in a later run, and respects decisions of others', () => {
    const of = (state: RecordState) =>
      decideMove(state, { findings: ['missing', 'unknown'], isWhole: true, runId: 'now' })
    expect(of({ status: 'active', isOwn: false, missedBy: null })).toBe('challenge')
    expect(of({ status: 'challenged', isOwn: true, missedBy: 'now' })).toBeUndefined()
    expect(of({ status: 'challenged', isOwn: true, missedBy: 'before' })).toBe('invalidate')
    expect(of({ status: 'challenged', isOwn: true, missedBy: null })).toBe('note')
    for (const isOwn of [true, false]) {
      expect(of({ status: 'active', isOwn, missedBy: 'before' })).toBeUndefined()
      expect(of({ status: 'invalidated', isOwn, missedBy: 'before' })).toBeUndefined()
    }
    for (const missedBy of [null, 'before']) {
      expect(of({ status: 'challenged', isOwn: false, missedBy })).toBeUndefined()
    }
  })

  it('reverts only its own change when everything is found again', () => {
    for (const state of states) {
      const move = decideMove(state, { findings: ['found', 'found'], isWhole: true, runId: 'now' })
      const otherMove = state.missedBy === null ? undefined : 'clear'
      expect(move).toBe(state.isOwn && state.status !== 'active' ? 'restore' : otherMove)
    }
  })
})
