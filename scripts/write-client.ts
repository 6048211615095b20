import { readFileSync } from 'node:fs'
import openapiTs, { astToString, type OpenAPI3 } from 'openapi-typescript'
import { readArguments } from './script-arguments.ts'
import { writeOrCheck } from './write-or-check.ts'

const usage = `Usage: npm run client -- [--check]

Writes the types and the routes of the client from openapi/openapi.json; with --check it only reports whether the files
are up to date.`
const { values } = readArguments(usage, { options: { check: { type: 'boolean', default: false } } })

type Response = { description: string; content?: Record<string, { schema: unknown }> }
type Operation = {
  operationId: string
  parameters?: { in: string; name: string }[]
  responses: Record<string, Response>
}
type Document = OpenAPI3 & { paths: Record<string, Paths> }
type Paths = Record<string, Operation>
type Operations = { method: string; path: string; operation: Operation }[]

const document: Document = JSON.parse(
  readFileSync(new URL('../openapi/openapi.json', import.meta.url), 'utf8'),
)
const notice = '// Written by `npm run client` from openapi/openapi.json. Do not edit.\n\n'

function listOperations({ paths }: Document): Operations {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method, path, operation })),
  )
}

/** Every refusal is one problem document, which the client throws: only what succeeds needs a type for each operation. */
function keepSuccesses({ responses, ...operation }: Operation): Operation {
  const kept = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, { description, content }]) => [status, { description, ...(content ? { content } : {}) }])
  return { ...operation, responses: Object.fromEntries(kept) }
}

async function renderTypes(): Promise<string> {
  const paths = Object.entries(document.paths).map(([path, operations]) => [
    path,
    Object.fromEntries(Object.entries(operations).map(([method, each]) => [method, keepSuccesses(each)])),
  ])
  const reduced = { ...document, paths: Object.fromEntries(paths) }
  // What a request may leave out stays optional, also where the document names a default.
  const nodes = await openapiTs(structuredClone(reduced), { defaultNonNullable: false })
  const used = nodes.filter((node) =>
    /^export (?:interface (?:components|operations))\b/.test(astToString(node)),
  )
  return notice + astToString(used)
}

const answersByType: Readonly<Record<string, string>> = {
  'application/json': 'json',
  'application/x-ndjson': 'lines',
  'text/event-stream': 'events',
  'text/plain': 'text',
}

function describeRoute({ method, path, operation }: Operations[number]): string {
  const [success] = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, response]) => response)
  const [mediaType] = Object.keys(success?.content ?? {})
  const answer = mediaType === undefined ? 'nothing' : answersByType[mediaType]
  if (answer === undefined) throw new Error(`${operation.operationId} answers ${mediaType}`)
  const takesKey = operation.parameters?.some(({ name }) => name === 'Idempotency-Key') ?? false
  const route = [method.toUpperCase(), path, answer].map((text) => `'${text}'`).join(', ')
  return `  ${operation.operationId}: [${route}, ${takesKey}],\n`
}

function renderRoutes(): string {
  const lines = listOperations(document).map(describeRoute).join('')
  return `${notice}/** The method, the path, the kind of the answer, and whether an Idempotency-Key is heeded. */
export const routes = {\n${lines}} as const\n`
}

const files = { 'api.ts': await renderTypes(), 'routes.ts': renderRoutes() }
for (const [name, text] of Object.entries(files))
  writeOrCheck(`clients/typescript/src/generated/${name}`, text, values.check, 'npm run client')
