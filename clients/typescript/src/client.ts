import { followRun, streamValues } from './core/long-answers.ts'
import type { Input, ItemOf, Method, OperationName, PagedName } from './core/operations.ts'
import {
  type Body,
  type CallOptions,
  type ClientOptions,
  createTransport,
  type OutgoingRequest,
} from './core/transport.ts'
import { routes } from './generated/routes.ts'

/** One method for each operation of the API, named by its operation id. */
export type Client = { readonly [N in OperationName]: Method<N> } & {
  /** Every item of a list, page after page. */
  each<N extends PagedName>(operation: N, input?: Input<N>): AsyncGenerator<ItemOf<N>, void>
}

type AnyInput = CallOptions & {
  path?: Readonly<Record<string, string>>
  query?: Readonly<Record<string, unknown>>
  body?: unknown
  mediaType?: string
  idempotencyKey?: string
  ifMatch?: number
}

export function createClient(options: ClientOptions): Client {
  const send = createTransport(options)
  const readText = (request: OutgoingRequest) =>
    send(request, async (response, deadline) => {
      const text = await response.text()
      deadline.end()
      return text
    })
  const readJson = async (request: OutgoingRequest): Promise<unknown> => {
    const text = await readText(request)
    return text === '' ? undefined : JSON.parse(text)
  }
  const call = (name: OperationName, input: AnyInput = {}) => {
    const request = prepare(name, input)
    switch (routes[name][2]) {
      case 'events':
        return followRun(send, { ...request, retries: request.retries ?? options.retries ?? 3 })
      case 'lines':
        return streamValues(send, request)
      case 'text':
        return readText(request)
      default:
        return readJson(request)
    }
  }
  const names = Object.keys(routes) as OperationName[]
  const methods = Object.fromEntries(names.map((name) => [name, (input?: AnyInput) => call(name, input)]))
  // The methods and their types come from one document.
  const client = { ...methods, each } as Client

  async function* each<N extends PagedName>(operation: N, input?: Input<N>) {
    const list = client[operation] as (
      input: AnyInput,
    ) => Promise<{ items: ItemOf<N>[]; next_cursor?: string }>
    const given: AnyInput = { ...input }
    for (let cursor: string | undefined; ; ) {
      const page = await list({
        ...given,
        query: { ...given.query, ...(cursor === undefined ? {} : { cursor }) },
      })
      yield* page.items
      cursor = page.next_cursor
      if (cursor === undefined) return
    }
  }

  return client
}

function prepare(name: OperationName, input: AnyInput): OutgoingRequest {
  const [method, path, , takesKey] = routes[name]
  const { body, mediaType = name === 'importRecords' ? 'application/x-ndjson' : 'application/json' } = input
  const key = input.idempotencyKey ?? (takesKey ? crypto.randomUUID() : undefined)
  const { signal, timeoutMs, retries } = input
  return {
    operation: name,
    method,
    path: fillPath(path, input),
    signal,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(retries === undefined ? {} : { retries }),
    headers: {
      ...(body === undefined ? {} : { 'content-type': mediaType }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...(input.ifMatch === undefined ? {} : { 'if-match': `"${input.ifMatch}"` }),
    },
    body: writeBody(name, body),
  }
}

/** Only an import has a body that is sent as it is. */
function writeBody(name: OperationName, body: unknown): Body | undefined {
  if (body === undefined) return undefined
  return name === 'importRecords' ? (body as Body) : JSON.stringify(body)
}

function fillPath(template: string, { path = {}, query = {} }: AnyInput): string {
  const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = path[name]
    if (value === undefined || value === '') throw new TypeError(`the path lacks its parameter ${name}`)
    // It would be taken as a step to another path, also if it were encoded.
    if (value === '.' || value === '..') throw new TypeError(`the path cannot contain ${value}`)
    return encodeURIComponent(value)
  })
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== undefined) parameters.append(name, String(each))
    }
  }
  const text = parameters.toString()
  return text === '' ? filled : `${filled}?${text}`
}
