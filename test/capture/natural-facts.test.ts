import { afterAll, describe, expect, it } from 'vitest'
import { capture, captureFact } from '../support/requests/capture-requests.ts'
import {
  captureEpisode,
  consolidate,
  createScope,
  listFacts,
  listRecords,
} from '../support/requests/consolidation-requests.ts'
import { askContext } from '../support/requests/prompt-context-requests.ts'
import type { Body } from '../support/requests/record-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

const listLines = ({ text }: Body): string[] =>
  (text as string).split('\n').flatMap((line) => /^- \[m:\w+\] \S+ (.*)$/.exec(line)?.[1] ?? [])

/** States the objects one after the other, and returns what became of each. */
async function state(subject: string, predicate: string, objects: readonly unknown[]): Promise<string[]> {
  const scope = createScope()
  const outcomes: string[] = []
  for (const object of objects) {
    const { fact } = await captureFact(app, { subject, predicate, object }, { scope })
    outcomes.push(fact.outcome)
  }
  return outcomes
}

describe('facts as clients state them', () => {
  it.each<[string, unknown[], string[]]>([
    ['lives in', ['Berlin', 'Berlin.', 'BERLIN!'], ['created', 'confirmed', 'confirmed']],
    ['has the age', [41, '41', 42], ['created', 'confirmed', 'contested']],
    ['lives in', ['Berlin', 'Lisbon'], ['created', 'contested']],
    ['likes', ['tea', 'coffee', 'Tea.'], ['created', 'created', 'confirmed']],
    ['starts at', ['9:00', '09:00', '9 a.m.', '9 pm'], ['created', 'confirmed', 'confirmed', 'contested']],
  ])('%s %j', async (predicate, objects, outcomes) => {
    expect(await state('Bo', predicate, objects)).toEqual(outcomes)
  })

  it('are about the same subject with and without "the"', async () => {
    const scope = createScope()
    const outcomes: string[] = []
    for (const [subject, object] of [
      ['the deadline', 'Friday'],
      ['Deadline', 'Friday'],
      ['deadline', 'Monday'],
      ['The deadline', 'Monday'],
      ['their deadline', 'Monday'],
    ]) {
      const { fact } = await captureFact(app, { subject, predicate: 'is', object }, { scope })
      outcomes.push(fact.outcome)
    }
    expect(outcomes).toEqual(['created', 'confirmed', 'contested', 'confirmed', 'created'])
  })

  it.each([
    ['prefers', 'does not prefer'],
    ["doesn't prefer", 'prefers'],
    ['lives_in', 'does_not_live_in'],
    ['likes', 'does not like'],
    ['eats', 'never eats'],
    ['prefers', 'no longer prefers'],
    ['is', 'is not'],
    ['can read', 'cannot read'],
  ])('are in dispute if one denies the other: %s, %s', async (predicate, denied) => {
    const scope = createScope()
    const state = (predicate: string, object: string) =>
      captureFact(app, { subject: 'Bo', predicate, object }, { scope })
    const { fact: first } = await state(predicate, 'Rust')
    expect(first.outcome).toBe('created')
    expect((await state(denied, 'Lua')).fact.outcome).toBe('created')
    const { fact } = await state(denied, 'rust.')
    expect(fact).toMatchObject({ outcome: 'contested', other_id: first.record_id })
    expect((await state(denied, 'Rust')).fact.outcome).toBe('confirmed')
    const context = await askContext(app, scope, { task_descriptor: 'What of Rust and Bo?' })
    expect((context.text as string).match(/\(disputed\).*rust/gi)).toHaveLength(2)
  })

  it('replace what they deny by its policy, and come back for review if they were withdrawn', async () => {
    const scope = createScope()
    const stated = { subject: 'Bo', object: 'meat', revision_policy: 'replace' }
    const yes = await captureFact(app, { ...stated, predicate: 'eats' }, { scope })
    const no = await captureFact(app, { ...stated, predicate: 'does not eat' }, { scope })
    expect(no.fact).toMatchObject({ outcome: 'replaced', other_id: yes.fact.record_id })
    const again = await captureFact(app, { ...stated, predicate: 'eats' }, { scope })
    expect(again.fact).toMatchObject({ outcome: 'challenged', other_id: no.fact.record_id })
  })

  it('are not in dispute where they are of a list, unless a policy says so', async () => {
    const scope = createScope()
    for (const object of ['tea', 'coffee'])
      await captureFact(app, { subject: 'Bo', predicate: 'likes', object }, { scope })
    const context = await askContext(app, scope, { task_descriptor: 'What does Bo like?' })
    expect(listLines(context)).toEqual(expect.arrayContaining(['Bo likes tea', 'Bo likes coffee']))
    const stated = { subject: 'Cy', predicate: 'likes', revision_policy: 'replace' }
    await captureFact(app, { ...stated, object: 'tea' }, { scope })
    const { fact } = await captureFact(app, { ...stated, object: 'milk' }, { scope })
    expect(fact.outcome).toBe('replaced')
  })
})

it('a question, a supposition and a reply become no facts, and a reply is no trigger of a skill', async () => {
  const scope = createScope()
  const tool_graph = [{ id: '1', tool: 'search' }]
  for (const batch of [
    ['ok', 'Done.'],
    ['Would it work?', 'If it failed, we would stop.', 'It was cold.'],
  ]) {
    for (const summary of batch) await captureEpisode(app, summary, { tool_graph }, { scope })
    await consolidate(app)
  }
  expect((await listFacts(app, scope)).map(({ payload }) => payload.object)).toEqual(['It was cold.'])
  const [skill] = await listRecords(app, `type=competence&scope=${encodeURIComponent(scope)}`)
  expect(skill?.payload.triggers).toEqual([{ signal: 'deploy' }])
  const context = await askContext(app, scope, { task_descriptor: 'Did the search work when it was cold?' })
  expect(listLines(context)).toEqual(
    expect.arrayContaining([
      'deploy: It was cold.',
      'Skill search. Worked 5 of 5 times',
      'It was cold. search. Outcome: success',
    ]),
  )
})

it('the state of a task has the summary that its content gives', async () => {
  const scope = createScope()
  const report = (content: object) =>
    capture(app, { thread_id: 't', ...content }, { scope, source_kind: 'working_state' })
  await report({ summary: 'Moving the shop' })
  const { primary_record: task } = await report({ state: 'blocked' })
  expect(task.payload).toMatchObject({ context_summary: 'Moving the shop', active_constraints: [] })
  const { primary_record: other } = await report({ context_summary: 'Moved', summary: 'a move' })
  expect(other.payload).toMatchObject({
    context_summary: 'Moved',
    active_constraints: [{ value: { summary: 'a move' } }],
  })
})
