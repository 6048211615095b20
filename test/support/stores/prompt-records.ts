import type { MemoryRecord } from '../../../src/records/index.ts'
import type { Found } from '../../../src/retrieval/prompt/prompt-writing.ts'

/** Records for the text of a prompt, with only the fields that it reads. */

export const idOf = (number: number) => `0197b9a0-0000-7000-8000-${String(number).padStart(12, '0')}`
export const record = (number: number, payload: object) =>
  ({
    id: idOf(number),
    created_at: '2026-03-01T12:00:00.000Z',
    type: (payload as { kind: string }).kind,
    payload,
  }) as unknown as MemoryRecord

export const fact = (number: number, object: unknown, more: object = {}, subject = 'billing') => {
  const payload = {
    kind: 'semantic',
    subject,
    predicate: 'runs in',
    object,
    evidence: [],
    validity: { mode: 'global' },
  }
  return record(number, { ...payload, ...more })
}
export const message = (number: number, content: string, more: object = {}) => {
  const at = new Date(Date.UTC(2026, 2, 1, 9, number)).toISOString()
  const conversation = { id: 'talk', message_id: `${number}`, at, role: 'user', ...more }
  const timeline = [{ t: at, event_kind: 'message', ref: 'r', summary: content }]
  return record(number, { kind: 'episodic', conversation, timeline, tool_graph: [], artifacts: [] })
}

export const captured = (number: number, content: unknown) => {
  const timeline = [{ t: '2026-03-01T12:00:00.000Z', event_kind: 'event', ref: 'r' }]
  const environment = { context: { captured: { content } } }
  return record(number, { kind: 'episodic', timeline, environment, tool_graph: [], artifacts: [] })
}

type Given = Partial<Omit<Found, 'records' | 'answer'>> & { selected?: string[] }

/** The records as if retrieval had found them in this order. */
export function find(records: readonly MemoryRecord[], { selected, ...more }: Given = {}): Found {
  return {
    answer: {
      nodes: records.map((each) => ({ record: each, root: true, hop: 0, score: 1 })),
      edges: [],
      root_ids: records.map(({ id }) => id),
      ...(selected ? { selection: { selected, confidence: 1, needs_more: false, scores: {} } } : {}),
    },
    records: new Map(records.map((each) => [each.id, each])),
    profileIds: [],
    messagesAround: new Map(),
    disputes: [],
    newerStates: [],
    names: new Map(),
    ...more,
  }
}
