import fc from 'fast-check'
import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { countRuns } from '../support/long-run.ts'
import { capture, captureFact } from '../support/requests/capture-requests.ts'
import { type Body, read } from '../support/requests/record-requests.ts'
import { revise } from '../support/requests/revision-requests.ts'
import { startTestApp } from '../support/test-app.ts'

const app = await startTestApp()
afterAll(() => app.close())

type CapturedFact = { subject: string; predicate: string; object: unknown }

const triples = fc.record({
  subject: fc.constantFrom('Ada', ' ADA', 'ａｄａ', 'Bob'),
  predicate: fc.constantFrom('likes', 'LIKES'),
  object: fc.constantFrom<unknown>('Go', 'go ', 'Rust', 'Ada', 7, ['Go', { a: 'X' }], ['go', { A: 'x' }]),
})
const step = fc.record({
  triple: triples,
  scope: fc.constantFrom('one', 'two'),
  source: fc.constantFrom('a', 'b'),
  sensitivity: fc.constantFrom('low', 'high'),
  revision_policy: fc.constantFrom('replace', 'fork', 'contest', null),
  isRetracted: fc.boolean(),
  note: fc.jsonValue({ maxDepth: 2 }),
})

/** Written a second time on purpose: the check must not share a bug with the code it checks. */
function spell(value: unknown): string {
  const text = JSON.stringify(value).normalize('NFKC').toLowerCase()
  return text.replaceAll(/"\s+|\s+"/g, '"')
}

async function readFacts(): Promise<Body[]> {
  const { rows } = await sql<Body>`
    select r.id, r.scope, r.status, r.sensitivity, r.forgotten_at, c.payload
    from records as r join contents as c on c.record_id = r.id where r.type = 'semantic'
  `.execute(app.db)
  return rows
}

/** Each sensitivity may hold its own copy: a reader of low sensitivity must not learn of a higher one. */
function keyOf({ scope, sensitivity, payload }: Body): string {
  return spell([scope, sensitivity, payload.subject, payload.predicate, payload.object])
}

/** The reference becomes part of the event of the episode; everything else is kept as it was sent. */
function expectKept({ timeline, environment }: Body, input: unknown): void {
  const { ref, ...rest } = Object(input) as { ref?: unknown }
  const isNamed = typeof ref === 'string' && !Array.isArray(input)
  const { content, context } = environment.context.captured
  expect(context).toEqual(asJson({ given: input }))
  if (isNamed) expect(timeline[0].ref).toBe(ref)
  expect(isNamed ? (content ?? {}) : content).toEqual(asJson(isNamed ? rest : input))
}

/** The value after a round trip through JSON, in which minus zero becomes zero. */
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('a random sequence of captured facts', () => {
  it('leaves at most one active record for each fact and loses no evidence', async () => {
    let run = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        run++
        const captures: { id: string; content: object; factId: string }[] = []
        for (const { triple: fact, note, isRetracted, revision_policy, scope, ...more } of steps) {
          const content = { ...fact, note, revision_policy }
          const answer = await captureFact(app, content, { ...more, scope: `${scope} ${run}` })
          const { record_id: factId } = answer.fact
          captures.push({ id: answer.primary_record.id, content, factId })
          app.clock.advance(1)
          if (isRetracted) await revise(app, 'retract', factId)
        }
        const facts = (await readFacts()).filter(({ scope }) => scope.endsWith(` ${run}`))
        const live = facts.filter(({ status }) => status === 'active' || status === 'challenged')
        const keys = live.map((each) => keyOf(each))
        expect(new Set(keys).size).toBe(keys.length)
        for (const { id, content, factId } of captures) {
          const episode = await read(app, id)
          const { content: kept } = episode.payload.environment.context.captured
          expect(kept).toEqual(content)
          const { payload } = facts.find((each) => each.id === factId)
          expect(payload.evidence.map(({ source_id }: Body) => source_id)).toContain(id)
          const { subject, predicate, object } = content as CapturedFact
          expect(spell([payload.subject, payload.predicate, payload.object])).toBe(
            spell([subject, predicate, object]),
          )
        }
      }),
      { numRuns: countRuns(12), seed: 20_260_328 },
    )
  }, 120_000)
})

describe('POST /v1/capture with random content', () => {
  const keys = ['ref', 'text', 'user', 'record_id', 'entity', 'constructor', 'toString', '', 'a.b', '$']
  const json = fc.jsonValue({ maxDepth: 4 })
  const content = fc.oneof(json, fc.dictionary(fc.constantFrom(...keys), json))

  it('stores content that can be read back unchanged, or refuses it with a pointer', async () => {
    let run = 0
    let taken = 0
    await fc.assert(
      fc.asyncProperty(content, async (input) => {
        const more = { scope: `any ${run++}`, context: { given: input } }
        const body = { source: 's', content: input, ...more }
        const answer = await app.request('POST', '/v1/capture', { body })
        if (answer.status !== 201) {
          expect(answer.status, answer.text).toBe(422)
          for (const { pointer } of (answer.body as Body).errors) expect(pointer).toMatch(/^\/con(tent|text)/)
          return
        }
        taken++
        const { primary_record: episode } = answer.body as Body
        const stored = await read(app, episode.id)
        expect(stored).toEqual(episode)
        expectKept(stored.payload, input)
      }),
      { numRuns: countRuns(120), seed: 20_260_328 },
    )
    expect(taken).toBeGreaterThanOrEqual(countRuns(120) / 2)
  }, 120_000)
})

describe('a fact with more than a thousand pieces of evidence', () => {
  it('keeps the first and the newest evidence and can still be confirmed', async () => {
    const { fact } = await captureFact(app, { subject: 's', predicate: 'p', object: 'o' }, { scope: 'many' })
    const first = await read(app, fact.record_id)
    const witness = (n: number) => ({ ...first.payload.evidence[0], source_id: `witness ${n}` })
    const evidence = Array.from({ length: 1_000 }, (_, n) => witness(n))
    await sql`update contents set payload = jsonb_set(payload, '{evidence}', ${JSON.stringify(evidence)}::jsonb)
      where record_id = ${fact.record_id}`.execute(app.db)
    const again = await capture(app, { subject: 's', predicate: 'p', object: 'o' }, { scope: 'many' })
    const { payload } = await read(app, fact.record_id)
    expect(payload.evidence).toHaveLength(1_000)
    expect(payload.evidence.at(0).source_id).toBe('witness 0')
    expect(payload.evidence.at(-1).source_id).toBe(again.primary_record.id)
  })
})
