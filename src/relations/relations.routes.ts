import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schemas/schema-ref.ts'
import { formatEtag } from '../http/etag.ts'
import type { Once } from '../http/idempotency/idempotency.ts'
import { sendPage } from '../http/paging/paging.ts'
import { answers } from '../http/problems/problem-responses.ts'
import { RecordPath, WrittenRecord } from '../records/index.ts'
import { EdgePath, NewEdge, RelationEdgePage, RelationsQuery } from './relations.schemas.ts'
import type { RelationsService } from './relations.service.ts'

export type RelationsOptions = { relations: RelationsService; once: Once }

const tags = ['relations']

export const relationsRoutes: FastifyPluginAsyncTypebox<RelationsOptions> = async (
  app,
  { relations, once },
) => {
  app.post(
    '/v1/records/:id/relations',
    {
      config: { permission: 'records:write', singleRecord: true },
      schema: {
        operationId: 'relateRecords',
        tags,
        summary: 'Link a record to another',
        description:
          'Adds a relation from the record to the target. A known predicate, such as `supports`, is stored with its inverse. An existing relation gets the new weight; if it has that weight already, nothing changes. One record gets a new version and an audit entry: the source, if all its readers can see the target or if the key cannot write to the scope of the target, otherwise the target. Only the service writes `supersedes`, `derived_from`, their inverses and `contested_by`.',
        params: RecordPath,
        body: ref(NewEdge),
        response: answers(
          {
            200: {
              schema: ref(WrittenRecord),
              description: 'The relation existed and has the given weight. Returns the source.',
              headers: ['ETag'],
            },
            201: {
              schema: ref(WrittenRecord),
              description: 'The relation was created. Returns the source.',
              headers: ['ETag'],
            },
          },
          ['record_forgotten', 'above_ceiling', 'outside_trust', 'reserved_predicate'],
        ),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) => {
        const { created, record } = await relations.relate(call, request.params.id, request.body)
        return { status: created ? 201 : 200, body: record, headers: { etag: formatEtag(record.version) } }
      }),
  )

  app.get(
    '/v1/records/:id/relations',
    {
      config: { permission: 'records:read' },
      schema: {
        operationId: 'listRelations',
        tags,
        summary: 'List the relations of a record',
        description:
          'Lists the relations that start at the record, or with `direction=in` those that end at it. Relations with records that the key cannot see are left out.',
        params: RecordPath,
        querystring: RelationsQuery,
        response: answers(
          { 200: { schema: ref(RelationEdgePage), description: 'A page of relations.', headers: ['Link'] } },
          ['record_forgotten', 'above_ceiling', 'invalid_cursor'],
        ),
      },
    },
    async (request, reply) =>
      sendPage(request, reply, await relations.list(request.caller, request.params.id, request.query)),
  )

  app.delete(
    '/v1/records/:id/relations/:predicate/:target_id',
    {
      config: { permission: 'records:write', singleRecord: true },
      schema: {
        operationId: 'unrelateRecords',
        tags,
        summary: 'Remove a relation',
        description:
          'Removes the relation and its inverse. Relations that a revision, a derivation or a contest created cannot be removed.',
        params: EdgePath,
        response: answers({ 204: { description: 'The relation was removed.' } }, [
          'relation_not_found',
          'reserved_predicate',
          'record_forgotten',
          'above_ceiling',
          'outside_trust',
        ]),
      },
    },
    (request, reply) =>
      once(request, reply, async (call) => {
        const { id, predicate, target_id: target } = request.params
        await relations.unrelate(call, id, predicate, target)
        return { status: 204 }
      }),
  )
}
