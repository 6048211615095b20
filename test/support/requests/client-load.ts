import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

type Body = Record<string, unknown>

/** The acknowledged writes. Clients repeat a request under the same Idempotency-Key until it is acknowledged. */
export type Ledger = {
  /** The text of each record, and how often it was changed. */
  facts: Map<string, { marker: string; changes: number; isForgotten: boolean }>
  /** The summaries of captured episodes. */
  episodes: Set<string>
  /** Answers by status, and `lost` for requests without an answer. */
  answers: Map<string, number>
  /** When the last request was acknowledged. */
  at: number
}

export type Load = { ledger: Ledger; end(): Promise<void> }

const patienceMs = 90_000

/** Starts clients that create and change records of their own, one request at a time. */
export function startLoad(urls: readonly string[], clients: number): Load {
  const ledger: Ledger = { facts: new Map(), episodes: new Set(), answers: new Map(), at: 0 }
  let isOver = false
  const run = Date.now().toString(36)
  const working = Array.from({ length: clients }, async (_, client) => {
    const own: string[] = []
    for (let nth = 0; !isOver; nth++) await act(ledger, urls, { name: `${run}-${client}-${nth}`, nth, own })
  })
  // Rejections are reported by `end`; until then nothing awaits them.
  for (const each of working) each.catch(() => {})
  return {
    ledger,
    end: async () => {
      isOver = true
      await Promise.all(working)
    },
  }
}

type Turn = { name: string; nth: number; own: string[] }

const why = { actor: 'load', rationale: 'it is asked for' }

/** Creates a record and then changes it, over and over. */
async function act(ledger: Ledger, urls: readonly string[], { name, nth, own }: Turn): Promise<void> {
  const insist = (method: string, path: string, body?: Body) => ask(ledger, urls, { method, path, body })
  const id = own.at(-1)
  const entry = id === undefined ? undefined : ledger.facts.get(id)
  const turn = nth % 6
  if (turn === 0 || !id || !entry || entry.isForgotten) {
    const created = await insist('POST', '/v1/records', fact(name))
    ledger.facts.set(String(created['id']), { marker: name, changes: 0, isForgotten: false })
    own.push(String(created['id']))
  } else if (turn === 1 || turn === 2) {
    await insist('POST', `/v1/records/${id}/reinforce`, why)
    entry.changes++
  } else if (turn === 3) {
    await insist('POST', '/v1/capture', episode(name))
    ledger.episodes.add(name)
  } else if (turn === 4) {
    const [target] = own
    if (target === undefined || target === id || ledger.facts.get(target)?.isForgotten) return
    await insist('POST', `/v1/records/${id}/relations`, { predicate: 'supports', target_id: target })
    entry.changes++
  } else if (nth % 4 === 1) {
    await insist('DELETE', `/v1/records/${id}?actor=load&rationale=over`)
    entry.changes++
    entry.isForgotten = true
  } else {
    await insist('POST', '/v1/retrieve', { task_descriptor: name })
  }
}

function fact(marker: string): Body {
  const decay = { half_life_seconds: 1e9, reinforcement_gain: 0.001, max_salience: null }
  return {
    type: 'semantic',
    lifecycle: { decay },
    payload: { kind: 'semantic', subject: 'load', predicate: 'says', object: marker },
  }
}

function episode(summary: string): Body {
  const tools = ['search', 'edit', 'test'].map((tool, index) => ({ id: String(index), tool, depends_on: [] }))
  return { source: 'load', summary, content: { text: summary, outcome: 'success', tool_graph: tools } }
}

type Wish = { method: string; path: string; body: Body | undefined }

/** Repeats a request on any server until it is acknowledged. */
async function ask(ledger: Ledger, urls: readonly string[], wish: Wish): Promise<Body> {
  const key = randomUUID()
  const deadline = performance.now() + patienceMs
  for (let attempt = 0; performance.now() < deadline; attempt++) {
    const url = urls[(attempt + key.charCodeAt(0)) % urls.length] ?? ''
    const { status, body } = await send(url, wish, key)
    ledger.answers.set(status, (ledger.answers.get(status) ?? 0) + 1)
    if (status.startsWith('2')) {
      ledger.at = performance.now()
      return body
    }
    if (!isPassing(status, body)) throw new Error(`${wish.path} was refused: ${JSON.stringify(body)}`)
    await sleep(50 + 50 * Math.min(attempt, 5))
  }
  throw new Error(`${wish.method} ${wish.path} was never acknowledged`)
}

async function send(url: string, { method, path, body }: Wish, key: string) {
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        'idempotency-key': key,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      signal: AbortSignal.timeout(20_000),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: String(response.status), body: JSON.parse(text) as Body }
  } catch {
    return { status: 'lost', body: {} }
  }
}

/** The first attempt may still be running when the second arrives. */
function isPassing(status: string, body: Body): boolean {
  return status === 'lost' || status === '503' || status === '429' || body['code'] === 'request_in_progress'
}

/** Describes the ledger in one line. */
export function describeLedger({ facts, episodes, answers }: Ledger): string {
  const changes = [...facts.values()].reduce((sum, each) => sum + each.changes, 0)
  const counts = [...answers].sort().map(([status, times]) => `${times} × ${status}`)
  return `${facts.size} records, ${changes} changes, ${episodes.size} captures; answers ${counts.join(', ')}`
}
