import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { NewCapture } from '../../../src/capture/capture.schemas.ts'
import { applyResolution } from '../../../src/capture/interpretation/interpretation-targets.ts'
import { interpretByRule } from '../../../src/capture/interpretation/rule-interpretation.ts'
import { Interpretation } from '../../../src/domain/interpretation.ts'
import { listFaults } from '../../../src/http/validation/validation.ts'
import { buildCapture, planCaptureInput } from '../../support/stores/planned-captures.ts'

const id = '0197b9a0-0000-7000-8000-000000000001'
const otherId = '0197b9a0-0000-7000-8000-000000000002'

function interpreted(content: unknown, more: Partial<NewCapture> = {}): Interpretation {
  const input = buildCapture(content, more)
  const interpretation = interpretByRule(input, planCaptureInput(input))
  expect(listFaults(Interpretation, interpretation)).toEqual([])
  return interpretation
}

const named = (content: unknown, more: Partial<NewCapture> = {}) =>
  interpreted(content, more).mentions.map(({ surface, entity_kind: kind }) => `${surface} (${kind})`)
const refs = (content: unknown, more: Partial<NewCapture> = {}) =>
  interpreted(content, more).reference_candidates.map(({ ref }) => ref)

describe('a mention by rule', () => {
  it.each([
    ['subject', 'Other'],
    ['tool_name', 'Tool'],
    ['tool', 'Tool'],
    ['project', 'Project'],
    ['file', 'File'],
    ['path', 'File'],
    ['service', 'Service'],
    ['repository', 'Repository'],
    ['user', 'Person'],
    ['agent', 'Agent'],
    ['entity', 'Other'],
    ['related_entity_name', 'Other'],
    ['Project', 'Project'],
  ])('under the key %s has the kind %s', (key, kind) => {
    expect(named({ [key]: ' Orion ' })).toEqual([`Orion (${kind})`])
  })

  it('is found anywhere in the content and context, outermost first', () => {
    const content = {
      runs: [{ deep: { file: 'a.ts' } }],
      user: ['ada', 'bob'],
      tool_graph: [{ id: '1', tool: 'go' }],
    }
    expect(named(content, { context: { service: 'auth' } })).toEqual([
      'ada (Person)',
      'bob (Person)',
      'auth (Service)',
      'go (Tool)',
      'a.ts (File)',
    ])
  })

  it('appears once in any spelling, and takes the specific kind over none', () => {
    expect(named({ user: 'Ada', list: [{ user: 'ADA ' }] })).toEqual(['Ada (Person)'])
    expect(named({ subject: 'Orion', project: 'orion' })).toEqual(['Orion (Project)'])
    expect(named({ project: 'orion', subject: 'Orion' })).toEqual(['orion (Project)'])
    expect(named({ project: 'orion', service: 'orion' })).toEqual(['orion (Project)', 'orion (Service)'])
  })

  it('takes the kind that is given next to an entity', () => {
    expect(named({ entity: 'Orion', entity_kind: 'Project' })).toEqual(['Orion (Project)'])
    expect(named({ entity_name: 'Orion', entity_type: 7 })).toEqual(['Orion (Other)'])
  })

  it('must be a name: not blank, not a number, not an object, not too long and not an id', () => {
    const values = ['', ' ', 7, null, { a: 1 }, [['x']], 'x'.repeat(1_025), id]
    expect(values.flatMap((user) => named({ user }))).toEqual([])
    expect(refs({ related_entity: id })).toEqual([id])
    expect(named({ user: [7, 'ada', ''] })).toEqual(['ada (Person)'])
  })

  it('has a lower confidence for a subject than for an explicit key', () => {
    const [subject, user] = interpreted({ subject: 'rain', user: 'ada' }).mentions
    expect([subject?.confidence, user?.confidence]).toEqual([0.6, 0.8])
  })

  it('is limited to fifty', () => {
    expect(named({ user: Array.from({ length: 90 }, (_, at) => `u${at}`) })).toHaveLength(50)
    expect(named(Array.from({ length: 90 }, (_, at) => ({ user: `u${at}` })))).toHaveLength(50)
  })
})

describe('a reference by rule', () => {
  it('is read from keys with ref or record_id', () => {
    const content = {
      parent_ref: 'turn-6',
      record_id: id,
      refs: ['a', 'a', 'b'],
      deep: [{ source_record_ids: [otherId] }],
    }
    expect(refs(content, { context: { ref: 'run-1' } })).toEqual(['turn-6', id, 'a', 'b', 'run-1', otherId])
    expect(interpreted(content).reference_candidates[1]).toEqual({
      ref: id,
      confidence: 0.9,
      resolved: false,
    })
  })

  it('is not the reference of the evidence itself, but may be one of a nested object', () => {
    expect(refs({ ref: 'turn-7', previous: { ref: 'turn-6' }, tool_graph_ref: 'graph-1' })).toEqual([
      'graph-1',
      'turn-6',
    ])
  })

  it('is limited to fifty, each of limited length', () => {
    const content = Array.from({ length: 90 }, (_, at) => ({ xref: `r${at}` }))
    expect(refs(content)).toHaveLength(50)
    expect(refs({ xref: ['x'.repeat(2_049), 7, ' '] })).toEqual([])
  })
})

describe('an interpretation by rule', () => {
  it('has the summary, tags and type of the capture, or a derived type', () => {
    expect(interpreted({ summary: 'hello' }, { tags: ['a', 'b', 'a'] })).toEqual({
      status: 'tentative',
      summary: 'hello',
      proposed_type: 'episodic',
      topical_labels: ['a', 'b'],
      mentions: [],
      relation_candidates: [],
      reference_candidates: [],
      extraction_confidence: 0.3,
    })
    const fact = { subject: 's', predicate: 'p', object: 1 }
    expect(interpreted(fact).proposed_type).toBe('semantic')
    expect(interpreted({ thread_id: 't' }, { source_kind: 'working_state' }).proposed_type).toBe('working')
    expect(interpreted(fact, { proposed_type: 'competence' }).proposed_type).toBe('competence')
  })

  it('has a summary of limited length', () => {
    expect(interpreted({ summary: '😀'.repeat(5_000) }).summary.isWellFormed()).toBe(true)
    expect(interpreted({ summary: 'x'.repeat(5_000) }).summary).toHaveLength(1_000)
  })

  it('is not confused by property names of JavaScript objects', () => {
    const content = JSON.parse('{"__proto__": {"user": "ada"}, "constructor": "x", "toString": "y"}')
    expect(named(content)).toEqual(['ada (Person)'])
  })
})

describe('an interpretation whose mentions were resolved', () => {
  const open = interpreted({ user: 'ada', xref: ['a', 'b'] })

  it('is resolved if every mention and reference is', () => {
    const resolved = applyResolution(open, { mentions: [id], references: [id, otherId] })
    expect(listFaults(Interpretation, resolved)).toEqual([])
    expect(resolved).toMatchObject({
      status: 'resolved',
      mentions: [{ surface: 'ada', canonical_entity_id: id }],
      reference_candidates: [
        { ref: 'a', target_record_id: id, resolved: true },
        { ref: 'b', target_record_id: otherId, resolved: true },
      ],
    })
  })

  it('stays tentative if one of them is not', () => {
    const result = applyResolution(open, { mentions: [id], references: [undefined, id] })
    expect(result.status).toBe('tentative')
    expect(result.reference_candidates.map(({ resolved }) => resolved)).toEqual([false, true])
    expect(applyResolution(open, { mentions: [], references: [] })).toEqual(open)
    expect(applyResolution(interpreted('hello'), { mentions: [], references: [] }).status).toBe('resolved')
  })

  it('matches the schema for any resolution', () => {
    const ids = fc.array(fc.option(fc.uuid(), { nil: undefined }))
    fc.assert(
      fc.property(ids, ids, (mentions, references) => {
        const resolved = applyResolution(open, { mentions, references })
        expect(listFaults(Interpretation, resolved)).toEqual([])
        expect(applyResolution(resolved, { mentions, references })).toEqual(resolved)
      }),
    )
  })
})
