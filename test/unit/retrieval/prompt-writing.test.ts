import { describe, expect, it } from 'vitest'
import { type Found, writePrompt } from '../../../src/retrieval/prompt/prompt-writing.ts'
import { fact, find, idOf, message, record } from '../../support/stores/prompt-records.ts'

const write = (found: Found, maxTokens = 1_500) =>
  writePrompt(found, { question: '', maxTokens, format: 'markdown' })
/** The lines between the fences, without references. */
const linesOf = (text: string) =>
  text
    .split('\n')
    .slice(2, -1)
    .map((line) => line.replace(/^- \[m:\w+\] /, '- '))

describe('the text of a prompt', () => {
  it('has the parts in their order, each only where it has something', () => {
    const skill = {
      kind: 'competence',
      skill_name: 'deploy',
      triggers: [],
      required_tools: ['helm'],
      failure_modes: [],
      fallbacks: [],
    }
    const recipe = [
      { step: 'migrate', tool: 'psql' },
      { step: 'roll out', validation: 'health is green' },
    ]
    const task = {
      kind: 'working',
      thread_id: 't1',
      state: 'blocked',
      active_constraints: [],
      next_actions: ['ask Ada'],
      open_questions: [],
    }
    const entity = {
      kind: 'entity',
      canonical_name: 'Orion',
      primary_type: 'Service',
      types: [],
      aliases: [{ value: 'the hunter' }],
      identifiers: [],
      summary: 'Bills customers',
    }
    const records = [
      message(1, 'we moved billing'),
      record(2, task),
      record(3, { ...skill, recipe }),
      fact(4, 'Frankfurt'),
      record(5, entity),
    ]
    const { text } = write(find(records, { selected: [idOf(3)], profileIds: [idOf(5)] }))
    expect(linesOf(text)).toEqual([
      '## Who is asked about',
      '- 2026-03-01 Orion (Service): Bills customers; also called: the hunter',
      '## What is known',
      '- 2026-03-01 billing runs in Frankfurt',
      '## How to do it',
      '- 2026-03-01 Skill deploy: 1. migrate (with psql) 2. roll out (check health is green). Tools: helm',
      '## What is under way',
      '- 2026-03-01 Task t1 (blocked). Next: ask Ada',
      '## What happened',
      'Conversation:',
      '- 2026-03-01 user: we moved billing',
    ])
    expect(linesOf(write(find([fact(4, 'Frankfurt')])).text)).toHaveLength(2)
    expect(write(find([])).text).toBe('')
  })

  it('ends a sentence once, and names a tool or the digest of a learned plan no more often than needed', () => {
    const steps = ['git.pull', 'curl'].map((op) => ({ id: op, op }))
    const learned = {
      kind: 'plan_graph',
      plan_id: `plan-${'0a'.repeat(16)}`,
      version: '1',
      intent: 'Deploy shop-api.',
      nodes: steps,
      edges: [],
    }
    const task = {
      kind: 'working',
      thread_id: 't1',
      state: 'blocked',
      context_summary: 'Moving the shop!',
      active_constraints: [],
      next_actions: ['Ask Ada.', 'switch DNS'],
      open_questions: ['Who pays?'],
    }
    const lines = (payload: object, selected: string[] = []) =>
      linesOf(write(find([record(1, payload)], { selected })).text).slice(1)
    expect(lines(learned, [idOf(1)])).toEqual(['- 2026-03-01 Plan Deploy shop-api: 1. git.pull 2. curl'])
    expect(lines({ ...learned, plan_id: 'release' }, [idOf(1)])).toEqual([
      '- 2026-03-01 Plan release, Deploy shop-api: 1. git.pull 2. curl',
    ])
    expect(lines(task)).toEqual([
      '- 2026-03-01 Task t1 (blocked): Moving the shop! Next: Ask Ada. switch DNS. Open: Who pays?',
    ])
  })

  it('shows an entity of which only the name is known beside nothing else', () => {
    const name = { primary_type: 'Tool', types: ['Tool'], aliases: [], identifiers: [] }
    const entity = record(1, { kind: 'entity', canonical_name: 'psql', ...name })
    const alone = write(find([entity], { profileIds: [idOf(1)] }))
    expect(linesOf(alone.text)).toEqual(['## Who is asked about', '- 2026-03-01 psql (Tool)'])
    const beside = write(find([entity, fact(2, 'Frankfurt')], { profileIds: [idOf(1)] }))
    expect(linesOf(beside.text)).toEqual(['## What is known', '- 2026-03-01 billing runs in Frankfurt'])
    expect(beside.omitted).toEqual([{ record_id: idOf(1), reason: 'only_name' }])
  })

  it('says for which time a fact holds, in a sentence of its own after one that has ended', () => {
    const validity = { mode: 'timeboxed', end: '2026-05-01T00:00:00Z' }
    const facts = [fact(1, 'Frankfurt', { validity }), fact(2, 'Dublin.', { validity }, 'mail')]
    expect(linesOf(write(find(facts)).text).slice(1)).toEqual([
      '- 2026-03-01 billing runs in Frankfurt, valid until 2026-05-01T00:00:00Z',
      '- 2026-03-01 mail runs in Dublin. Valid until 2026-05-01T00:00:00Z',
    ])
  })

  it('shows no steps of a task that is done, and no type of an entity of which the type is not known', () => {
    const task = {
      kind: 'working',
      thread_id: 't1',
      state: 'done',
      context_summary: 'The shop has moved',
      active_constraints: [],
      next_actions: ['switch DNS'],
      open_questions: ['Who pays?'],
    }
    const types = { primary_type: 'Other', types: ['Other'] }
    const entity = { kind: 'entity', ...types, aliases: [{ value: 'Ori' }], identifiers: [] }
    const { text, items } = write(find([record(1, task), record(2, { ...entity, canonical_name: 'Orion' })]))
    expect(linesOf(text)).toEqual([
      '## What is known',
      '- 2026-03-01 Orion: also called: Ori',
      '## What is under way',
      '- 2026-03-01 Task t1 (done): The shop has moved',
    ])
    expect(items.map(({ quoted }) => quoted)).toEqual([true, false])
  })

  it('shows facts in dispute together, the newer one first', () => {
    const older = fact(1, 'Dublin', {}, 'billing')
    const newer = { ...fact(2, 'Frankfurt'), created_at: '2026-05-01T12:00:00.000Z' }
    const found = find([older, fact(3, 'Helsinki'), newer], { disputes: [[idOf(1), idOf(2)]] })
    expect(linesOf(write(found).text)).toEqual([
      '## What is known',
      '- 2026-05-01 (disputed) billing runs in Frankfurt',
      '- 2026-03-01 (disputed) billing runs in Dublin',
      '- 2026-03-01 billing runs in Helsinki',
    ])
  })

  it('shows one side of a dispute only with the other', () => {
    const long = fact(2, 'x '.repeat(60))
    const found = find([fact(1, 'Dublin'), long, fact(3, 'Oslo')], { disputes: [[idOf(1), idOf(2)]] })
    const { text, omitted } = write(found, 110)
    expect([text.includes('Dublin'), text.includes('Oslo')]).toEqual([false, true])
    expect(omitted.map(({ record_id: id, reason }) => [id, reason])).toEqual([
      [idOf(2), 'budget'],
      [idOf(1), 'budget'],
    ])
  })

  it('shows messages in time order, those of one conversation together', () => {
    const other = message(2, 'the other place', { id: 'aside' })
    const found = find([message(3, 'third line'), other, message(1, 'first line')])
    expect(linesOf(write(found).text).slice(1)).toEqual([
      'Conversation:',
      '- 2026-03-01 user: first line',
      '- 2026-03-01 user: third line',
      'Conversation:',
      '- 2026-03-01 user: the other place',
    ])
  })

  it('says what is said twice once, except for short replies', () => {
    const repeated = [fact(1, 'Frankfurt'), fact(2, 'frankfurt'), message(3, 'yes'), message(4, 'yes')]
    const { text, omitted } = write(find(repeated))
    expect(omitted).toEqual([{ record_id: idOf(2), reason: 'repetition' }])
    expect(text.match(/user: yes/g)).toHaveLength(2)
  })

  it('shows only the selected skill', () => {
    const skill = (number: number) =>
      record(number, {
        kind: 'competence',
        skill_name: `s${number}`,
        triggers: [],
        recipe: [],
        required_tools: [],
        failure_modes: [],
        fallbacks: [],
      })
    const { items, omitted } = write(find([skill(1), skill(2)], { selected: [idOf(2), idOf(1)] }))
    expect(items.map(({ record_id: id }) => id)).toEqual([idOf(2)])
    expect(omitted).toEqual([{ record_id: idOf(1), reason: 'not_selected' }])
  })

  it('masks secrets and says which lines are not the whole record', () => {
    const records = [
      fact(1, { user: 'ada', password: 'hunter2!' }),
      message(2, 'export API_TOKEN=abcdef1234567890'),
      message(3, 'word '.repeat(2_000)),
      message(4, 'a short one'),
    ]
    const { text, items } = write(find(records))
    expect(text).not.toMatch(/hunter2|abcdef1234567890/)
    expect(items.map(({ quoted }) => quoted)).toEqual([false, false, false, true])
  })

  it('masks a secret that a long line would cut in half, and one that only the name of the fact tells', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`
    const texts = Array.from(
      { length: 60 },
      (_, shift) => `${'w '.repeat(950 + shift)}${token} ${'z '.repeat(200_000)}`,
    )
    for (const [index, text] of texts.entries()) {
      const { text: written } = write(find([message(index, text), fact(70, 'hunter2!', {}, 'ada')]))
      expect(written).not.toContain('ghp_')
    }
    const { text } = write(find([fact(1, 'hunter2!x', { predicate: 'password' }), fact(2, { a: ['plain'] })]))
    expect(text).not.toContain('hunter2')
    expect(text).toContain('{a: [plain]}'.slice(1, -1))
  })

  it('leaves out the least relevant first', () => {
    const records = Array.from({ length: 30 }, (_, number) => fact(number, `place number ${number}`))
    const { items, omitted } = write(find(records), 300)
    expect(items.length).toBeGreaterThan(5)
    expect([...items, ...omitted].map(({ record_id: id }) => id)).toEqual(records.map(({ id }) => id))
  })
})
