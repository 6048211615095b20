import fc from 'fast-check'
import { sql } from 'kysely'
import { transact } from '../../../src/db/transaction.ts'
import { sensitivities } from '../../../src/domain/trust/caller.ts'
import { createConversationRequests, say } from '../requests/conversation-requests.ts'
import { perform } from '../requests/plan-requests.ts'
import type { Body } from '../requests/record-requests.ts'
import { auditFields, buildClaim, mergeRecords, revise } from '../requests/revision-requests.ts'
import { testPoolSize } from '../servers/database.ts'
import type { TestApp } from '../test-app.ts'

/** Changes of a store in any order, as clients and workers make them. */

export const vocabulary = ['tea', 'coffee', 'cups', 'running', 'blue', 'kettle', 'shop', 'deploy']
export const scopes = [undefined, 'red', 'red tea', 'blue'] as const
const jobs = ['decay', 'consolidate', 'dream', 'refresh_importance', 'embed', 'purge'] as const

const words = fc
  .array(fc.constantFrom(...vocabulary), { minLength: 1, maxLength: 4 })
  .map((list) => list.join(' '))
const place = { scope: fc.constantFrom(...scopes), sensitivity: fc.constantFrom(...sensitivities) }
const call = fc.constantFrom('forget', 'restore', 'erase', 'pin', 'retract', 'supersede', 'fork', 'revert')

/** `nth`: which of the records, whatever their number. */
const changes = {
  create: fc.record({ change: fc.constant('create'), text: words, ...place }),
  say: fc.record({ change: fc.constant('say'), text: words, talk: fc.nat(1), at: fc.nat(5_000), ...place }),
  patch: fc.record({ change: fc.constant('patch'), nth: fc.nat(), text: words, ...place }),
  revise: fc.record({ change: fc.constant('revise'), nth: fc.nat(), call, text: words }),
  merge: fc.record({ change: fc.constant('merge'), nth: fc.nat(), text: words }),
  work: fc.record({ change: fc.constant('work'), job: fc.constantFrom(...jobs), days: fc.nat(40) }),
  undo: fc.record({ change: fc.constant('undo'), nth: fc.nat(2) }),
  /** A transaction that began before what happens next, and writes after it. */
  begin: fc.record({ change: fc.constant('begin'), nth: fc.nat(), reveals: fc.boolean() }),
  end: fc.record({ change: fc.constant('end') }),
} as const

export type Change = {
  [Kind in keyof typeof changes]: { change: Kind } & Omit<Drawn<(typeof changes)[Kind]>, 'change'>
}[keyof typeof changes]
type Drawn<T> = T extends fc.Arbitrary<infer Value> ? Value : never

export const anyChange = fc.oneof(
  { weight: 4, arbitrary: changes.create },
  { weight: 4, arbitrary: changes.say },
  { weight: 4, arbitrary: changes.patch },
  { weight: 6, arbitrary: changes.revise },
  changes.merge,
  changes.work,
  changes.work,
  changes.undo,
  changes.begin,
  changes.end,
) as fc.Arbitrary<Change>

/** Each open transaction has a connection of the pool, and the service needs some as well. */
const maxOpen = testPoolSize - 2

/** Makes the changes; those that the service refuses are left out. */
export function createStoreChanges(app: TestApp) {
  const { append } = createConversationRequests(() => app)
  const runs: Body[] = []
  const open: (() => Promise<void>)[] = []

  async function idAt(nth: number): Promise<string> {
    const { rows } = await sql<{ id: string }>`select id from records order by id`.execute(app.db)
    return rows[nth % Math.max(1, rows.length)]?.id ?? app.ids.next()
  }

  const makers = {
    create: ({ text, ...more }) => app.request('POST', '/v1/records', { body: buildClaim(text, more) }),
    say: ({ text, talk, at, ...more }) => {
      const time = new Date(app.clock.now().getTime() - 10_000_000 + at * 1_000).toISOString()
      const message = say(app.ids.next(), text, { at: time.replace('Z', `${at % 10}00Z`) })
      return append(talk ? 'tea room' : 'room', [message], more)
    },
    patch: async ({ nth, text, scope, sensitivity }) => {
      const body = nth % 2 ? { tags: text.split(' '), scope: scope ?? null } : { sensitivity }
      return app.request('PATCH', `/v1/records/${await idAt(nth)}`, { body })
    },
    revise: async ({ nth, call, text }) => {
      const id = await idAt(nth)
      if (call === 'forget') return app.request('DELETE', `/v1/records/${id}?actor=a&rationale=b`)
      const more = {
        revert: { to_version: 1 },
        supersede: { record: buildClaim(text) },
        fork: { record: buildClaim(text) },
      }
      return revise(app, call, id, more[call as keyof typeof more])
    },
    merge: async ({ nth, text }) =>
      mergeRecords(app, [await idAt(nth), await idAt(nth + 1)], buildClaim(text)),
    work: async ({ job, days }) => {
      app.clock.advance(days * 86_400_000)
      runs.push(await perform(app, job))
    },
    undo: async ({ nth }) => {
      const run = runs.at(-1 - nth)
      const undoable = run && !['embed', 'purge'].includes(run.job)
      if (undoable) runs.push(await perform(app, 'undo', auditFields, `/v1/maintenance/runs/${run.id}/undo`))
    },
    begin: async ({ nth, reveals }) => {
      if (open.length === maxOpen) await open.shift()?.()
      open.push(await beginLate(app, await idAt(nth), reveals))
    },
    end: async () => open.shift()?.(),
  } satisfies { [Kind in Change['change']]: (change: Extract<Change, { change: Kind }>) => unknown }

  async function make(change: Change): Promise<void> {
    app.clock.advance(1_000)
    await (makers[change.change] as (given: Change) => unknown)(change)
  }

  async function end(): Promise<void> {
    for (const each of open.splice(0)) await each()
  }

  return { make, end }
}

/** Returns what lets the transaction write and ends it. */
async function beginLate(app: TestApp, id: string, reveals: boolean): Promise<() => Promise<void>> {
  const begun = Promise.withResolvers<void>()
  const may = Promise.withResolvers<void>()
  const done = transact(app.db, {}, async (tx) => {
    await sql`select pg_current_xact_id()`.execute(tx)
    begun.resolve()
    await may.promise
    await (reveals
      ? sql`update records set sensitivity = 'low' where id = ${id}::uuid`
      : sql`update contents set search = search || to_tsvector('english', 'kettle') where record_id = ${id}::uuid`
    ).execute(tx)
  })
  await begun.promise
  return () => {
    may.resolve()
    return done
  }
}
