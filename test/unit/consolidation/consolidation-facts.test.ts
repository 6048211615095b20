import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Episode } from '../../../src/consolidation/episode.ts'
import { reinforceFact } from '../../../src/consolidation/facts/fact-evidence.ts'
import { groupFacts, type ObservedFact } from '../../../src/consolidation/facts/fact-groups.ts'
import { createEntityLinker } from '../../../src/consolidation/facts/named-entities.ts'
import {
  decideObservationOutcome,
  excludeSeenObservations,
  formatPairKey,
  type KnownFact,
} from '../../../src/consolidation/facts/observation-outcome.ts'
import { listObservedFacts } from '../../../src/consolidation/facts/observed-facts.job.ts'

const now = new Date('2026-03-28T09:30:00.000Z')
const at = now.toISOString()

const episodeOf = (id: string, more: Partial<Episode> = {}): Episode => ({
  id,
  scope: '',
  sensitivity: 'low',
  confidence: 1,
  created_at: now,
  tags: [],
  payload: { kind: 'episodic', timeline: [], tool_graph: [], artifacts: [], outcome: 'success' },
  ...more,
})
const observe = (object: string, episode: Episode): ObservedFact => ({
  fact: { subject: 'deploy', predicate: 'observed_in', object },
  episode,
  at,
})

describe('the facts of several episodes', () => {
  it('are one fact in any spelling, with each episode once', () => {
    const one = episodeOf('1')
    const other = episodeOf('2')
    const groups = groupFacts([observe('A  b', one), observe('a B', other), observe('a b', one)])
    expect(groups.map(({ observations }) => observations.map(({ episode }) => episode.id))).toEqual([
      ['1', '2'],
    ])
    expect(groups[0]?.fact.object).toBe('A  b')
  })

  it('are kept once for each episode, and apart for each scope and sensitivity', () => {
    const input = fc.record({
      object: fc.constantFrom('a', 'b', 'A'),
      id: fc.constantFrom('1', '2', '3', '4'),
    })
    fc.assert(
      fc.property(fc.array(input), (all) => {
        const scopeOf = (id: string) => `scope ${Number(id) % 2}`
        const groups = groupFacts(
          all.map(({ object, id }) =>
            observe(object, episodeOf(id, { scope: scopeOf(id), sensitivity: id < '3' ? 'low' : 'high' })),
          ),
        )
        const pairs = groups.flatMap(({ fact, observations }) =>
          observations.map(({ episode }) => `${String(fact.object).toLowerCase()} ${episode.id}`),
        )
        expect(new Set(pairs).size).toBe(pairs.length)
        expect(new Set(pairs)).toEqual(new Set(all.map(({ object, id }) => `${object.toLowerCase()} ${id}`)))
        for (const { scope, sensitivity, observations } of groups) {
          for (const { episode } of observations) expect(episode).toMatchObject({ scope, sensitivity })
        }
      }),
    )
  })
})

describe('the facts of an episode', () => {
  it('come from each of its events with a summary', () => {
    const timeline = [
      { t: at, event_kind: 'deploy', ref: 'r', summary: 'went out' },
      { t: at, event_kind: 'deploy', ref: 'r' },
      { t: at, event_kind: 'rollback', ref: 'r', summary: '  ' },
    ]
    const { payload } = episodeOf('1')
    const facts = (outcome: 'success' | 'failure') =>
      listObservedFacts(episodeOf('1', { payload: { ...payload, timeline, outcome } })).map(
        ({ fact }) => fact,
      )
    expect(facts('success')).toEqual([{ subject: 'deploy', predicate: 'observed_in', object: 'went out' }])
    expect(facts('failure')).toEqual([])
  })
})

describe('an observation of a fact', () => {
  const stored = (id: string, more: Partial<KnownFact> = {}): KnownFact => ({
    place: 0,
    id,
    status: 'active',
    pinned: false,
    is_forgotten: false,
    is_retracted: false,
    validity: { mode: 'global' },
    ...more,
  })

  it.each([
    ['creates a fact if none is known', [], { outcome: 'created' }],
    [
      'reinforces the active one of several',
      [stored('1', { status: 'challenged' }), stored('2')],
      { outcome: 'reinforced', id: '2' },
    ],
    [
      'reinforces the oldest of several active ones',
      [stored('1'), stored('2')],
      { outcome: 'reinforced', id: '1' },
    ],
    ['leaves a pinned one as it is', [stored('1', { pinned: true })], { outcome: 'skipped' }],
    [
      'creates a fact if the known one is forgotten',
      [stored('1', { is_forgotten: true })],
      { outcome: 'created' },
    ],
    [
      'creates a challenged one if the known one is retracted',
      [stored('1', { is_retracted: true })],
      { outcome: 'challenged' },
    ],
    [
      'creates a challenged one if the known one is superseded',
      [stored('1', { status: 'superseded' })],
      { outcome: 'challenged' },
    ],
    [
      'names the one that is merged, to be followed',
      [stored('1', { status: 'merged' })],
      { outcome: 'merged', id: '1' },
    ],
    [
      'reinforces the live one beside a withdrawn one',
      [stored('1', { status: 'superseded' }), stored('2')],
      { outcome: 'reinforced', id: '2' },
    ],
    [
      'creates a fact if the time of the known one is over',
      [stored('1', { validity: { mode: 'timeboxed', end: at } })],
      { outcome: 'created' },
    ],
  ])('%s', (_, known, outcome) => {
    const observations = [{ episode: episodeOf('1'), at }]
    expect(decideObservationOutcome(known, { observations })).toEqual(outcome)
  })

  it('counts an episode once, for every outcome of its fact', () => {
    const [group] = groupFacts([observe('a', episodeOf('1')), observe('a', episodeOf('2'))])
    if (!group) throw new Error('no fact was found')
    const left = excludeSeenObservations(
      group,
      [stored('fact', { is_forgotten: true })],
      new Set([formatPairKey('fact', '1')]),
    )
    expect(left.map(({ episode }) => episode.id)).toEqual(['2'])
  })
})

describe('the salience of a fact that is observed again', () => {
  const life = (more: object = {}) => ({
    id: 'fact',
    curve: 'exponential' as const,
    half_life_seconds: 86_400,
    min_salience: 0,
    base_salience: 0.5,
    anchored_at: now,
    expires_at: null,
    pinned: false,
    deletion_policy: 'auto_prune' as const,
    salience: 0.5,
    created_at: now,
    max_age_seconds: 0,
    reinforcement_gain: 0.1,
    max_salience: 1,
    last_reinforced_at: now,
    prune_at: null,
    ...more,
  })
  const createObservations = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ episode: episodeOf(`${n}`), at }))

  it.each([
    [1, {}, 0.6],
    [3, {}, 0.8],
    [9, {}, 1],
    [1, { reinforcement_gain: 0 }, 0.6],
    [1, { reinforcement_gain: 0.3 }, 0.8],
    [2, { base_salience: 3, max_salience: 1 }, 3],
    [2, { max_salience: null, base_salience: 1 }, 1.2],
  ])('with %i episodes and lifecycle %o ends at %f', (count, more, end) => {
    const { times, lifecycle: reinforced } = reinforceFact(life(more), createObservations(count), now)
    expect(reinforced.salience).toBeCloseTo(end, 12)
    expect(times).toHaveLength(count)
    expect(times.at(-1)?.after).toBe(reinforced.salience)
    for (const [index, { before }] of times.slice(1).entries()) expect(before).toBe(times[index]?.after)
  })
})

describe('the entities of new facts', () => {
  it('are looked up once for each name of a scope, and linked only as subject or object where they are one', () => {
    const facts = groupFacts([observe('api of Orion', episodeOf('1')), observe('api', episodeOf('1'))])
    const naming = createEntityLinker(facts)
    expect(naming.lookups).toHaveLength(
      new Set(naming.lookups.map(({ digest }) => digest.toString('hex'))).size,
    )
    const entity = (id: string, name: string) => ({
      place: 0,
      id,
      scope: '',
      status: 'active',
      created_at: now,
      payload: { canonical_name: name, primary_type: 'Other', types: [], aliases: [], identifiers: [] },
    })
    const found = new Map(
      naming.lookups.map((_, place) => [place, [entity('api', 'api'), entity('orion', 'Orion')]]),
    )
    const linked = facts.map((fact) =>
      naming.link(fact, 'fact', found, now).map(({ predicate, target_id: id }) => `${predicate} ${id}`),
    )
    expect(linked).toEqual([['mentions_entity api', 'mentions_entity orion'], ['object_entity api']])
  })
})
