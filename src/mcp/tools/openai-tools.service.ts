import { isWhole, type RecordsService, requireWhole } from '../../records/index.ts'
import { type createRetrievalService, showHidden } from '../../retrieval/index.ts'
import { requireId } from './arguments.service.ts'
import type { ReadingServices } from './reading-tools.service.ts'
import { markDisputed, notice, writeJson, writeLine, writeStatement } from './shown-text.service.ts'
import { defineTool, reads, type Tool } from './tool.ts'
import { FetchInput, SearchInput } from './tools.schemas.ts'

type Services = Pick<ReadingServices, 'access'> & {
  records: RecordsService
  retrieval: ReturnType<typeof createRetrievalService>
}

const maxResults = 10
const longestTitle = 100
const longestText = 50_000

const shared = { profile: 'openai', permission: 'records:read', hints: reads } as const

/** The two tools that ChatGPT's connectors look for, with the answers that they read. */
export function createOpenAiTools({ records, retrieval, access }: Services): Tool[] {
  const search = defineTool({
    ...shared,
    name: 'search',
    input: SearchInput,
    description: 'Finds memories for a question. Use fetch for the whole text of one.',
    async run({ call, actor, origin, report }, { query }) {
      const limits = { root_limit: maxResults, node_limit: maxResults, max_hops: 0, edge_limit: 0 }
      const { answer, servedIds } = await retrieval.retrieve(call, { task_descriptor: query, ...limits })
      access.noteServed(servedIds, { key_id: call.caller.principal, actor }, report)
      const found = answer.nodes.map(({ record }) => record).filter(isWhole)
      const results = found.map((record) => ({
        id: record.id,
        title: writeLine(record, longestTitle),
        url: buildUrl(origin, record.id),
      }))
      return { texts: [writeJson({ results })] }
    },
  })

  const fetch = defineTool({
    ...shared,
    name: 'fetch',
    input: FetchInput,
    description: 'Returns the whole text of one memory, by its id.',
    async run({ call: { caller }, origin }, { id }) {
      const record = requireWhole(await records.read(caller, requireId(id)))
      const { type, status, created_at, tags, scope } = record
      const text = showHidden(writeStatement(record, longestText))
      const metadata = { notice, type, status, created_at, tags, ...markDisputed(record), scope }
      const fetched = {
        id: record.id,
        title: writeLine(record, longestTitle),
        text,
        url: buildUrl(origin, record.id),
        metadata,
      }
      return { texts: [writeJson(fetched)] }
    },
  })

  return [search, fetch]
}

function buildUrl(origin: string, id: string): string {
  return `${origin}/v1/records/${id}`
}
