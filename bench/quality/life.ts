import type { BenchContext } from '../bench-context.ts'
import { assert } from '../load.ts'
import type { Conversation } from './corpus.ts'
import { formatShare } from './figures.ts'
import { askService, listRecords, type Sender, storeConversation } from './service.ts'
import { type SimulatedService, startSimulatedService } from './simulated-service.ts'

/**
 * A year of conversations with decay, a budget and dreams without a model, at the end of which the questions are asked of
 * what is left. Beside it the same store in which nothing was forgotten.
 */

const weekMs = 7 * 86_400_000
const weeks = 52
const weeksBetweenDreams = 4
/** The share of the messages of each conversation that may stay. */
const budgetShare = 0.25
const depth = 10
const start = new Date('2025-01-06T00:00:00.000Z')

/** Long enough that the budget decides what stays, and not the age alone. */
const policy = {
  decay: {
    curve: 'exponential',
    half_life_seconds: 90 * 86_400,
    min_salience: 0,
    max_age_seconds: 0,
    reinforcement_gain: 0.1,
    max_salience: 1,
  },
  deletion_policy: 'auto_prune',
}

/** Which messages are left, and which of them each question finds among its first ten. */
type Outcome = { left: Set<string>; found: string[][] }

export type Life = {
  needed: number
  kept: number
  messages: number
  left: number
  /** Pairs of a question and a needed message that is left: all of them, and those found, now and in the full store. */
  pairs: number
  foundLeft: number
  foundFull: number
}

export async function measureLife(
  context: BenchContext,
  conversations: readonly Conversation[],
): Promise<Life> {
  const shifted = conversations.map(shiftToStart)
  const full = await live(context, shifted, false)
  const left = await live(context, shifted, true)
  const life = { needed: 0, kept: 0, messages: 0, left: 0, pairs: 0, foundLeft: 0, foundFull: 0 }
  for (const { id, messages, questions } of shifted) {
    const inFull = outcomeOf(full, id)
    const inLeft = outcomeOf(left, id)
    const needed = new Set(questions.flatMap(({ evidence }) => evidence))
    life.needed += needed.size
    life.kept += [...needed].filter((each) => inLeft.left.has(each)).length
    life.messages += messages.length
    life.left += inLeft.left.size
    for (const [place, { evidence }] of questions.entries()) {
      const pairs = evidence.filter((each) => inLeft.left.has(each))
      life.pairs += pairs.length
      life.foundLeft += pairs.filter((each) => inLeft.found[place]?.includes(each)).length
      life.foundFull += pairs.filter((each) => inFull.found[place]?.includes(each)).length
    }
  }
  return life
}

function outcomeOf(outcomes: ReadonlyMap<string, Outcome>, id: string): Outcome {
  return outcomes.get(id) ?? { left: new Set(), found: [] }
}

/** Every conversation begins with the year. */
function shiftToStart(conversation: Conversation): Conversation {
  const first = Math.min(...conversation.messages.map(({ at }) => Date.parse(at)))
  const shift = (at: string) => new Date(Date.parse(at) - first + start.getTime()).toISOString()
  return { ...conversation, messages: conversation.messages.map((each) => ({ ...each, at: shift(each.at) })) }
}

async function live(
  { withDatabase, note }: BenchContext,
  conversations: readonly Conversation[],
  forgets: boolean,
): Promise<Map<string, Outcome>> {
  return withDatabase(async ({ url }) => {
    note(forgets ? 'a year of forgetting' : 'a year without forgetting')
    const service = await startSimulatedService(url, start)
    try {
      const messageIds = await passYear(service, conversations, forgets)
      const outcomes = new Map<string, Outcome>()
      for (const each of conversations) outcomes.set(each.id, await examine(service, each, messageIds))
      return outcomes
    } finally {
      await service.stop()
    }
  })
}

async function passYear(
  service: SimulatedService,
  conversations: readonly Conversation[],
  forgets: boolean,
): Promise<Map<string, string>> {
  if (forgets) await setLimits(service, conversations)
  const messageIds = new Map<string, string>()
  for (let week = 1; week <= weeks; week++) {
    const stored = await passWeek(service, conversations, week)
    for (const [record, message] of stored) messageIds.set(record, message)
    if (forgets) await service.runJob('decay')
    if (forgets && week % weeksBetweenDreams === 0) await service.runJob('dream')
  }
  return messageIds
}

async function setLimits(service: Sender, conversations: readonly Conversation[]): Promise<void> {
  await put(service, '/v1/policies/episodic', policy)
  for (const { id, messages } of conversations) {
    const budget = { max_records: Math.round(budgetShare * messages.length) }
    await put(service, `/v1/policies/budgets/${encodeURIComponent(id)}`, budget)
  }
}

async function put(service: Sender, path: string, body: object): Promise<void> {
  const { status, text } = await service.send('PUT', path, JSON.stringify(body))
  assert(status === 200, `${path} was answered ${status}: ${text}`)
}

/** Stores what was said in the week, at its end. What was said after the year is stored in the last week. */
async function passWeek(
  service: SimulatedService,
  conversations: readonly Conversation[],
  week: number,
): Promise<Map<string, string>> {
  const [from, until] = [week - 1, week].map((each) => start.getTime() + each * weekMs)
  const stored = new Map<string, string>()
  service.setTime(new Date(until ?? 0))
  for (const conversation of conversations) {
    const messages = conversation.messages.filter(({ at }) => {
      const time = Math.min(Date.parse(at), start.getTime() + weeks * weekMs - 1)
      return time >= (from ?? 0) && time < (until ?? 0)
    })
    if (messages.length === 0) continue
    for (const [record, message] of await storeConversation(service, { ...conversation, messages }))
      stored.set(record, message)
  }
  return stored
}

async function examine(
  service: Sender,
  conversation: Conversation,
  messageIds: ReadonlyMap<string, string>,
): Promise<Outcome> {
  const { answered } = await askService(service, conversation, messageIds)
  const found = answered.map((each) => each.found.slice(0, depth))
  return { left: await listLeft(service, conversation, messageIds), found }
}

async function listLeft(
  service: Sender,
  conversation: Conversation,
  messageIds: ReadonlyMap<string, string>,
): Promise<Set<string>> {
  const left = new Set<string>()
  for await (const { id } of listRecords(service, conversation)) {
    const message = messageIds.get(id)
    if (message !== undefined) left.add(message)
  }
  return left
}

export function renderLife(name: string, life: Life): string {
  return [
    `\n${name}: a year with decay, a budget of ${100 * budgetShare} % and dreams without a model`,
    `  ${life.left} of ${life.messages} messages are left, ${life.kept} of ${life.needed} needed ones: ${formatShare(life.kept, life.needed)}`,
    `  of ${life.pairs} needed messages that are left, their questions find ${formatShare(life.foundLeft, life.pairs)} among the first ${depth};`,
    `  when nothing is forgotten, ${formatShare(life.foundFull, life.pairs)}`,
  ].join('\n')
}
