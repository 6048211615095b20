import { until } from '../processes/processes.ts'
import { launchRole } from '../processes/roles.ts'
import { findFreePort } from '../servers/postgres-processes.ts'

export type CallOptions = { body?: unknown; position?: string | null; method?: string; type?: string }
// biome-ignore lint/suspicious/noExplicitAny: answers are asserted field by field
type Answer = { status: number; position: string | null; body: any }
export type Call = (path: string, options?: CallOptions) => Promise<Answer>

function createCaller(url: string): Call {
  return async (path, options = {}) => {
    const response = await fetch(`${url}${path}`, describeRequest(options))
    const text = await response.text()
    // The answer of an import has a JSON document in each line.
    const isJson = /^application\/(problem\+)?json/.test(response.headers.get('content-type') ?? '')
    return {
      status: response.status,
      position: response.headers.get('membrane-position'),
      body: isJson && text !== '' ? JSON.parse(text) : text,
    }
  }
}

function describeRequest({ body, position, method, type = 'application/json' }: CallOptions): RequestInit {
  const headers = position ? { 'membrane-position': position } : {}
  if (body === undefined) return { method: method ?? 'GET', headers }
  return {
    method: method ?? 'POST',
    headers: { ...headers, 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }
}

/** Starts an API on a migrated database, as an operator does, with only these variables. */
export async function startApi(variables: Record<string, string>) {
  const port = await findFreePort()
  const running = launchRole('api', { MEMBRANE_REGRET_SAMPLE: '1', ...variables, PORT: String(port) })
  const call = createCaller(`http://127.0.0.1:${port}`)
  const untilReady = () =>
    until('the API to be ready', () =>
      call('/readyz').then(
        ({ status }) => status === 200,
        () => false,
      ),
    )
  await untilReady()
  const metric = async (requested: string) => {
    const { body } = await call('/metrics')
    const line = String(body)
      .split('\n')
      .find((each) => each.startsWith(`${requested} `))
    return Number(line?.split(' ').at(-1))
  }
  const untilUsed = (replica: number, isUsed: boolean) =>
    until(`replica ${replica} to be ${isUsed ? 'used' : 'left out'}`, async () => {
      return (await metric(`membrane_replica_used{replica="${replica}"}`)) === Number(isUsed) || undefined
    })
  return { running, call, metric, untilUsed, untilReady }
}
