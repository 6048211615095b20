import { createHash } from 'node:crypto'
import { assert } from '../load.ts'
import type { Conversation } from './corpus.ts'
import { listRecords, type Sender } from './service.ts'
import { storeInForm } from './stored-forms.ts'

/** How much of what questions need is left when only a share of each conversation may stay, by several orders. */

const shares = [0.1, 0.25, 0.5] as const

/** One number for each message; the highest stay. */
type Order = (conversation: Conversation, importances: ReadonlyMap<string, number>) => number[]

const orders: Readonly<Record<string, Order>> = {
  importance: ({ messages }, importances) => messages.map(({ id }) => importances.get(id) ?? 0),
  recency: ({ messages }) => messages.map(({ at }) => Date.parse(at)),
  'word information': sumWordInformation,
}

/** The share of the needed messages that stay, over all conversations, for each share of messages that may. */
export type Retention = { needed: number; messages: number; kept: Map<string, number[]> }

export async function measureRetention(
  client: Sender,
  conversations: readonly Conversation[],
  { form, settle }: { form: string; settle: () => Promise<void> },
): Promise<Map<string, Retention>> {
  const bySplit = new Map<string, Retention>()
  const stored = new Map<string, Map<string, string>>()
  for (const each of conversations) stored.set(each.id, await storeInForm(client, form, each))
  await settle()
  for (const conversation of conversations) {
    const importances = await readImportances(client, conversation, stored.get(conversation.id) ?? new Map())
    for (const label of new Set([conversation.split, 'all'])) {
      const retention = bySplit.get(label) ?? { needed: 0, messages: 0, kept: new Map() }
      bySplit.set(label, retention)
      countKept(retention, conversation, importances)
    }
  }
  return bySplit
}

function countKept(
  retention: Retention,
  conversation: Conversation,
  importances: ReadonlyMap<string, number>,
): void {
  const needed = new Set(conversation.questions.flatMap(({ evidence }) => evidence))
  retention.needed += needed.size
  retention.messages += conversation.messages.length
  for (const [name, order] of Object.entries(orders)) {
    const ranked = rank(conversation, order(conversation, importances))
    const before = retention.kept.get(name) ?? shares.map(() => 0)
    const kept = shares.map((share, at) => {
      const staying = ranked.slice(0, Math.round(share * ranked.length))
      return (before[at] ?? 0) + staying.filter((id) => needed.has(id)).length
    })
    retention.kept.set(name, kept)
  }
}

/** Equal numbers are in an order that depends on nothing. */
function rank({ messages }: Conversation, numbers: readonly number[]): string[] {
  return messages
    .map(({ id }, index) => ({ id, number: numbers[index] ?? 0, lot: drawLot(id) }))
    .sort((one, other) => other.number - one.number || (one.lot < other.lot ? -1 : 1))
    .map(({ id }) => id)
}

function drawLot(id: string): string {
  return createHash('sha256').update(id).digest('hex')
}

async function readImportances(
  client: Sender,
  conversation: Conversation,
  messageIds: ReadonlyMap<string, string>,
): Promise<Map<string, number>> {
  const importances = new Map<string, number>()
  for await (const { id, importance } of listRecords(client, conversation)) {
    const message = messageIds.get(id)
    if (message !== undefined) importances.set(message, Math.max(importance, importances.get(message) ?? 0))
  }
  assert(importances.size === conversation.messages.length, 'not every message is listed')
  return importances
}

/** The sum of the inverse document frequencies of the words of a message in its conversation. */
function sumWordInformation({ messages }: Conversation): number[] {
  const words = messages.map(({ content }) => new Set(content.toLowerCase().match(/[\p{L}\p{N}']+/gu)))
  const counts = new Map<string, number>()
  for (const word of words.flatMap((each) => [...each])) counts.set(word, (counts.get(word) ?? 0) + 1)
  return words.map((each) =>
    [...each].reduce(
      (sum, word) => sum + Math.log((messages.length + 1) / ((counts.get(word) ?? 0) + 0.5)),
      0,
    ),
  )
}

export function renderRetention(name: string, bySplit: ReadonlyMap<string, Retention>): string {
  const lines = [...bySplit].flatMap(([split, { needed, messages, kept }]) => [
    `${name}, ${split}: ${needed} of ${messages} messages are needed`,
    ...Array.from(kept, ([order, counts]) =>
      renderLine(
        order,
        counts.map((count) => count / needed),
      ),
    ),
    renderLine('chance', shares),
  ])
  return ['', ''.padEnd(20) + shares.map((share) => `${100 * share} %`.padStart(8)).join(''), ...lines].join(
    '\n',
  )
}

function renderLine(order: string, figures: readonly number[]): string {
  return `  ${order.padEnd(18)}${figures.map((figure) => figure.toFixed(3).padStart(8)).join('')}`
}
