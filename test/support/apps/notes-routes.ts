import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { sql } from 'kysely'
import Type, { type Static } from 'typebox'
import type { Database } from '../../../src/db/connection.ts'
import type { CallContext } from '../../../src/db/transaction.ts'
import { ref } from '../../../src/domain/schemas/schema-ref.ts'
import { closed, Uuid } from '../../../src/domain/schemas/shapes.ts'
import { bindRoutes } from '../../../src/http/app.ts'
import { formatEtag } from '../../../src/http/etag.ts'
import { readCallContext } from '../../../src/http/idempotency/idempotency.ts'
import { answers } from '../../../src/http/problems/problem-responses.ts'
import { AppError } from '../../../src/kernel/errors.ts'
import type { Resources } from '../test-app.ts'

const Note = closed(
  { id: Uuid(), text: Type.String(), version: Type.Integer() },
  { $id: 'Note', examples: [{ id: '0197f3a2-6f6a-7c41-9d52-3f1b8f0f7a11', text: 'a note', version: 1 }] },
)
const NewNote = closed(
  { text: Type.String({ minLength: 1 }), tags: Type.Optional(Type.Array(Type.String())) },
  { $id: 'NewNote', examples: [{ text: 'a note' }] },
)
const Nudge = closed({ reason: Type.Optional(Type.String()) }, { $id: 'Nudge', examples: [{}] })

/** Runs inside the effect of a request, after the note was written. */
export type Hook = (call: CallContext) => Promise<void>
export type Hooks = { now: Hook }

type Options = Resources & { hooks: Hooks }

/** Creates the table of the notes. */
export async function createNotesTable(db: Database): Promise<void> {
  await sql`create table notes (id uuid primary key, text text not null, version integer not null)`.execute(
    db,
  )
}

/** Counts the notes. */
export async function countNotes(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from notes`.execute(db)
  return rows[0]?.count ?? 0
}

/** The routes of notes, for tests of the HTTP mechanisms. */
export const createNotesRoutes = (hooks: Hooks) => (resources: Resources) => [
  bindRoutes(noteRoutes, { ...resources, hooks }),
]

async function insertNote(db: Database, id: string, text: string): Promise<Static<typeof Note>> {
  await sql`insert into notes values (${id}, ${text}, 1)`.execute(db)
  return { id, text, version: 1 }
}

async function findNote(db: Database, id: string): Promise<Static<typeof Note>> {
  const { rows } = await sql<Static<typeof Note>>`select * from notes where id = ${id}`.execute(db)
  if (!rows[0]) throw new AppError('record_not_found', 'There is no such note.')
  return rows[0]
}

const noteRoutes: FastifyPluginAsyncTypebox<Options> = async (app, { db, ids, services, hooks }) => {
  const { once } = services
  const tags = ['Notes']
  const write = { permission: 'records:write' } as const
  const params = Type.Object({ id: Uuid() })
  const documented = (operationId: string) => ({
    operationId,
    tags,
    summary: operationId,
    description: 'For tests.',
  })
  const written = { schema: ref(Note), description: 'The note.', headers: ['ETag'] } as const
  const nudged = { schema: ref(Nudge), description: 'The nudge.' }

  app.route({
    method: 'POST',
    url: '/v1/notes',
    config: write,
    schema: { ...documented('createNote'), body: ref(NewNote), response: answers({ 201: written }) },
    handler: (request, reply) =>
      once(request, reply, async (call) => {
        const note = await insertNote(call.tx ?? db, ids.next(), request.body.text)
        await hooks.now(call)
        return { status: 201, body: note, headers: { etag: formatEtag(1), location: `/v1/notes/${note.id}` } }
      }),
  })

  app.route({
    method: 'GET',
    url: '/v1/notes/:id',
    config: { permission: 'records:read' },
    schema: { ...documented('getNote'), params, response: answers({ 200: written }) },
    handler: async (request, reply) => {
      const note = await findNote(db, request.params.id)
      reply.header('etag', formatEtag(note.version))
      return note
    },
  })

  app.route({
    method: 'DELETE',
    url: '/v1/notes/:id',
    config: { ...write, singleRecord: true },
    schema: { ...documented('deleteNote'), params, response: answers({ 204: { description: 'Gone.' } }) },
    handler: (request, reply) =>
      once(request, reply, async (call) => {
        const note = await findNote(call.tx ?? db, request.params.id)
        if (call.expectedVersions?.includes(note.version) === false) {
          throw new AppError('version_mismatch', 'The note is at another version.')
        }
        await sql`delete from notes where id = ${note.id}`.execute(call.tx ?? db)
        return { status: 204 }
      }),
  })

  app.route({
    method: 'POST',
    url: '/v1/notes/:id/nudge',
    config: { ...write, bodyOptional: true },
    schema: { ...documented('nudgeNote'), params, body: ref(Nudge), response: answers({ 200: nudged }) },
    handler: (request, reply) => once(request, reply, async () => ({ status: 200, body: request.body })),
  })

  app.route({
    method: 'GET',
    url: '/v1/failure',
    config: { permission: 'records:read' },
    schema: { ...documented('fail'), response: answers({ 200: nudged }) },
    handler: async (request) => {
      await hooks.now(readCallContext(request))
      return {}
    },
  })

  app.route({
    method: 'POST',
    url: '/v1/forgetful',
    config: write,
    schema: { ...documented('forgetOnce'), response: answers({ 200: nudged }) },
    handler: async () => ({}),
  })
}
