import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, expect, it } from 'vitest'
import { isLongRun } from '../support/long-run.ts'
import { countRecordsOfType, postCapture, range, triple } from '../support/requests/capture-requests.ts'
import { type Body, read } from '../support/requests/record-requests.ts'
import { readLineage } from '../support/requests/revision-requests.ts'
import { type Answer, startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

/** How many captures of one fact come at once. */
const atOnce = isLongRun ? 50 : 16

const statuses = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))]
const factsIn = (answers: readonly Answer[]): Body[] => answers.map(({ body }) => (body as Body).fact)

async function readFacts(scope: string): Promise<Body[]> {
  const { rows } = await sql<Body>`
    select r.id, r.status, r.version, r.confirmation_count, c.payload
    from records as r join contents as c on c.record_id = r.id
    where r.type = 'semantic' and r.scope = ${scope}
  `.execute(app.db)
  return rows
}

it('concurrent captures of the same ten new names, in any order, create ten entities', async () => {
  const captures = isLongRun ? 200 : 50
  const names = range(10).map((n) => `Entity ${n}`)
  const key = (n: number) => ['user', 'project', 'service', 'file', 'other_entity'][n % 5] ?? 'user'
  for (const seed of isLongRun ? [1, 2] : [1]) {
    const scope = `names ${seed}`
    const orders = fc.sample(fc.shuffledSubarray(names, { minLength: 5 }), { seed, numRuns: captures - 1 })
    const contents = [names, ...orders].map((order) => ({
      people: order.map((name) => ({ [key(names.indexOf(name))]: name })),
    }))
    const answers = await Promise.all(contents.map((content) => postCapture(app, content, { scope })))
    expect(statuses(answers)).toEqual([201])
    expect(await countRecordsOfType(app, 'entity', scope)).toBe(10)
    expect(await countRecordsOfType(app, 'episodic', scope)).toBe(captures)
    for (const [index, { body }] of answers.entries()) {
      const mentioned = (body as Body).primary_record.relations.map(({ target_id }: Body) => target_id)
      expect(mentioned).toHaveLength(contents[index]?.people.length ?? 0)
    }
  }
}, 120_000)

it('concurrent captures of one new name under several kinds create one entity for each kind', async () => {
  const keys = ['user', 'project', 'service', 'subject', 'some_entity']
  const answers = await Promise.all(
    range(15).map((n) => postCapture(app, { [keys[n % 5] ?? '']: 'Janus' }, { scope: 'janus' })),
  )
  expect(statuses(answers)).toEqual([201])
  const { rows } = await sql<{ kind: string }>`
    select c.payload ->> 'primary_type' as kind from records as r join contents as c on c.record_id = r.id
    where r.type = 'entity' and r.scope = 'janus'
  `.execute(app.db)
  const kinds = rows.map(({ kind }) => kind).sort()
  // A mention without a kind matches any of them; when it arrives first, the later ones match its entity.
  expect(kinds).toEqual(kinds.includes('Other') ? ['Other'] : ['Person', 'Project', 'Service'])
})

it('concurrent captures of one new fact create one record with a piece of evidence for each', async () => {
  const answers = await Promise.all(
    range(atOnce).map((n) =>
      postCapture(app, triple('linux'), {
        scope: 'one fact',
        source_kind: 'observation',
        source: `agent ${n}`,
      }),
    ),
  )
  expect(statuses(answers)).toEqual([201])
  const outcomes = factsIn(answers).map(({ outcome }) => outcome)
  expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(1)
  expect(outcomes.filter((outcome) => outcome === 'confirmed')).toHaveLength(atOnce - 1)
  const [fact, ...others] = await readFacts('one fact')
  expect(others).toEqual([])
  expect(fact).toMatchObject({ version: atOnce, confirmation_count: atOnce - 1 })
  expect(new Set(fact.payload.evidence.map(({ source_id }: Body) => source_id)).size).toBe(atOnce)
  const { relations } = await read(app, fact.id)
  expect(relations.filter(({ predicate }: Body) => predicate === 'derived_from')).toHaveLength(atOnce)
})

it.each(['replace', 'fork', 'contest'])(
  'concurrent captures of different objects of one topic form one unbroken chain under policy %s',
  async (policy) => {
    const scope = `chain ${policy}`
    const answers = await Promise.all(
      range(atOnce).map((n) =>
        postCapture(app, triple(`object ${n}`, { revision_policy: policy }), {
          scope,
          source_kind: 'observation',
        }),
      ),
    )
    expect(statuses(answers)).toEqual([201])
    const facts = await readFacts(scope)
    expect(new Set(facts.map(({ payload }) => payload.object)).size).toBe(atOnce)
    const reports = factsIn(answers)
    const ids = new Set(facts.map(({ id }) => id))
    for (const { record_id: id } of reports) expect(ids.has(id)).toBe(true)
    expect(reports.filter(({ outcome }) => outcome === 'created')).toHaveLength(1)
    const others = reports.flatMap(({ other_id: other }) => other ?? [])
    expect(others).toHaveLength(atOnce - 1)
    const active = facts.filter(({ status }) => status === 'active')
    if (policy === 'replace') {
      expect(new Set(others).size).toBe(atOnce - 1)
      const [last] = active
      expect(active).toHaveLength(1)
      const lineage = await readLineage(app, last.id)
      expect(lineage.nodes).toHaveLength(atOnce)
      expect(lineage.edges).toHaveLength(atOnce - 1)
    } else {
      expect(active).toHaveLength(atOnce)
      const contested = facts.filter(({ payload }) => payload.revision?.status === 'contested')
      expect(contested).toHaveLength(policy === 'contest' ? atOnce - 1 : 0)
    }
  },
)

it('concurrent facts, tasks and references in random order all succeed', async () => {
  const step = fc.record({
    source_kind: fc.constantFrom('event', 'observation', 'working_state'),
    subject: fc.constantFrom('A', 'B', 'C'),
    object: fc.constantFrom('A', 'B', 'x', 1),
    revision_policy: fc.constantFrom('replace', 'fork', 'contest'),
    user: fc.shuffledSubarray(['A', 'B', 'C', 'D']),
    thread_id: fc.constantFrom('t1', 't2'),
    ref: fc.constantFrom('r1', 'r2', 'r3', 'r4', null),
  })
  for (const seed of isLongRun ? [3, 4] : [3]) {
    const steps = fc.sample(step, { seed, numRuns: isLongRun ? 120 : 40 })
    const answers = await Promise.all(
      steps.map(({ source_kind, ...content }) =>
        postCapture(app, { predicate: 'knows', ...content }, { scope: `storm ${seed}`, source_kind }),
      ),
    )
    expect(statuses(answers)).toEqual([201])
    expect(await countRecordsOfType(app, 'working', `storm ${seed}`)).toBeLessThanOrEqual(2)
    const facts = (await readFacts(`storm ${seed}`)).filter(({ status }) => status === 'active')
    const triples = facts.map(({ payload }) => JSON.stringify([payload.subject, payload.object]))
    expect(new Set(triples).size).toBe(triples.length)
  }
}, 60_000)
