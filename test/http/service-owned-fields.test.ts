import { afterAll, describe, expect, it } from 'vitest'
import { type Operation as Documented, operations as documented } from '../support/http/openapi-operations.ts'
import { type Body, create } from '../support/requests/record-requests.ts'
import { type Answer, startTestApp } from '../support/test-app.ts'
import { uuid } from '../support/texts/uuid.ts'
import { createEmbeddingWorker } from '../support/workers/embedding-workers.ts'

/**
 * Clients cannot set what the service computes: each service-owned field is added to every object of every body that the
 * published document describes. A new operation is included without a change here.
 */

const long = '2001-02-03T04:05:06.000Z'

const forged: Record<string, unknown> = {
  status: 'merged',
  importance: 0.123456789,
  access_count: 4_242,
  served_count: 4_242,
  last_accessed_at: long,
  confirmation_count: 4_242,
  surprise: { score: 1, delta: 1, base_before: 0, neighbours: [] },
  demoted_at: long,
  version: 4_242,
}

type Operation = Documented & { example: Body }
type Place = readonly (string | number)[]

/** Each operation with a body, once for each of its examples, or with an empty body. */
const operations: Operation[] = documented
  .filter(({ body }) => body?.mediaType === 'application/json')
  .flatMap((each) => {
    const examples = each.body?.examples ?? []
    return (examples.length > 0 ? examples : [{}]).map((example) => ({ ...each, example }))
  })

/** Lists every object of a body, the body itself included. */
function placesIn(value: Body, place: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return []
  const inside = Object.entries<Body>(value).flatMap(([name, each]) => placesIn(each, [...place, name]))
  return Array.isArray(value) ? inside : [place, ...inside]
}

function put(body: Body, place: Place, name: string, value: unknown): Body {
  const changed = structuredClone(body)
  const target = place.reduce((inside: Body, step) => inside[step], changed)
  target[name] = value
  return changed
}

const app = await startTestApp({ variables: { MEMBRANE_TOMBSTONE_KEY: 'a key of the forging tests' } })
afterAll(() => app.close())

let createdCount = 0
/** Creates a record for each id that an operation names. */
async function own({ path }: Operation): Promise<string> {
  const name = `thing number ${++createdCount}`
  const payload = path.startsWith('/v1/entities')
    ? { kind: 'entity', canonical_name: name, primary_type: 'Service' }
    : { kind: 'semantic', subject: name, predicate: 'is', object: 'here' }
  return (await create(app, { type: payload.kind, payload })).id
}

async function address(operation: Operation): Promise<{ path: string; body: Body }> {
  const named = JSON.stringify(operation.example)
  const ids = await Promise.all((named.match(uuid) ?? []).map(() => own(operation)))
  const target = await own(operation)
  const path = operation.path
    .replace('{id}', await own(operation))
    .replace('{target_id}', target)
    .replace('{predicate}', 'supports')
    .replace('{type}', 'semantic')
  return { path, body: JSON.parse(named.replace(uuid, () => ids.shift() ?? target)) }
}

const send = ({ method }: Operation, path: string, body: Body): Promise<Answer> =>
  app.request(method, path, { body })

/** Finds records with a forged value, and records with a status that no transition led to. */
async function findForged(status: unknown): Promise<object> {
  const { rows } = await app.database.pool.query(
    `select
       (select count(*)::int from records where importance = $1 or access_count >= 4242 or served_count >= 4242
         or confirmation_count >= 4242 or version >= 4242 or last_accessed_at = $2 or demoted_at = $2) as figures,
       (select count(*)::int from importance_history where new = $1) as history,
       (select count(*)::int from access_log where at = $2) as accesses,
       (select count(*)::int from surprises) as surprises,
       (select count(*)::int from status_changes where new = $3) as moves,
       (select count(*)::int from records as r where r.status <> coalesce((
         select s.new from status_changes as s where s.record_id = r.id order by s.id desc limit 1
       ), 'active')) as untold`,
    [forged['importance'], long, status],
  )
  return rows[0]
}

const untouched = { figures: 0, history: 0, accesses: 0, surprises: 0, moves: 0, untold: 0 }

/** The names of the fields of an object that the answer refuses as unknown. */
function listUnknownFields({ body }: Answer, place: Place): Set<string> {
  const start = ['', ...place].join('/')
  const errors: Body[] = (body as Body)?.errors ?? []
  const unknown = errors.filter(({ message }) => message.startsWith('unknown field'))
  return new Set(unknown.map(({ pointer }) => pointer.slice(start.length + 1)))
}

/**
 * Puts all values into every object of the body. One that is refused hides what the others would do, so those that a refusal
 * does not name are tried alone.
 */
async function forge(operation: Operation, figures: Record<string, unknown>): Promise<void> {
  let addressed: Awaited<ReturnType<typeof address>> | undefined
  const attempt = async (place: Place, values: [string, unknown][]): Promise<Answer> => {
    addressed ??= await address(operation)
    const { path, body } = addressed
    const forgedBody = values.reduce((changed, [name, value]) => put(changed, place, name, value), body)
    const answer = await send(operation, path, forgedBody)
    expect([place, answer.status]).not.toContain(500)
    if (answer.status < 300) addressed = undefined
    return answer
  }
  for (const place of placesIn(operation.example)) {
    const together = await attempt(place, Object.entries(figures))
    if (together.status < 300) continue
    const refused = listUnknownFields(together, place)
    const others = Object.entries(figures).filter(([name]) => !refused.has(name))
    for (const each of others) await attempt(place, [each])
  }
}

describe('a field that the service computes', () => {
  it.each(operations)('cannot be set through $name', async (operation) => {
    // A merge does set the status merged, so invalidated is tried there.
    const status = operation.name.startsWith('merge') ? 'invalidated' : 'merged'
    const { status: _, ...figures } = forged
    // The status route is the one place that may set a status.
    await forge(operation, operation.path.endsWith('/status') ? figures : { ...figures, status })
    expect(await findForged(status)).toEqual(untouched)
  })

  it('does change through the same calls when they are valid', async () => {
    const answers = await Promise.all(
      operations.map(async (operation) => {
        const { path, body } = await address(operation)
        return [operation.name, (await send(operation, path, body)).status] as const
      }),
    )
    const well = answers.filter(([, status]) => status < 300).map(([name]) => name)
    expect(well).toEqual(expect.arrayContaining(['noteAccess', 'createRecord', 'patchRecord', 'capture']))
    expect(well.length).toBeGreaterThan(20)
  })

  it('is not taken from the text of a record', async () => {
    const payload = { kind: 'semantic', subject: 'x', predicate: 'says', object: forged }
    const { id } = await create(app, { type: 'semantic', payload })
    await createEmbeddingWorker(app).run()
    const row = await app.db.selectFrom('records').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    expect(row).toMatchObject({ status: 'active', access_count: 0, confirmation_count: 0, version: 1 })
  })
})

it('the forged fields are tried on many operations', () => {
  expect(operations.length).toBeGreaterThan(25)
  expect(operations.map(({ name }) => name)).toContain('previewSurprise')
})
