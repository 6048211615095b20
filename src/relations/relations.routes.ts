import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { ref } from '../domain/schema-ref.ts'
import { formatEtag } from '../http/etag.ts'
import type { Once } from '../http/idempotency.ts'
import { sendPage } from '../http/paging.ts'
import { answers } from '../http/problem-responses.ts'
import { WrittenRecord } from '../records/index.ts'
import { EdgePath, NewEdge, RelationEdgePage, RelationsQuery, SourcePath } from './relations.schemas.ts'
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
          'A known predicate is stored in both directions. An existing edge gets the new weight; if it has that weight already, nothing changes. The source gets a new version and the target does not; if not every reader of the source may see the target, the target gets it instead. Only the service writes `supersedes`, `derived_from`, their inverses and `contested_by`.',
        params: SourcePath,
        body: ref(NewEdge),
        response: answers(
          {
            200: {
              schema: ref(WrittenRecord),
              description: 'The edge existed and has the given weight.',
              headers: ['ETag'],
            },
            201: { schema: ref(WrittenRecord), description: 'The edge was created.', headers: ['ETag'] },
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
        summary: "Page through a record's edges",
        description:
          'Lists the edges that start at the record, or with `direction=in` those that end at it. Edges to records that the key may not see are left out.',
        params: SourcePath,
        querystring: RelationsQuery,
        response: answers(
          { 200: { schema: ref(RelationEdgePage), description: 'One page.', headers: ['Link'] } },
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
        summary: 'Remove an edge',
        description:
          'Removes the inverse edge too. Edges that a revision, a derivation or a contest created cannot be removed.',
        params: EdgePath,
        response: answers({ 204: { description: 'The edge was removed.' } }, [
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
