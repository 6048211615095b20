import { type WorthPart, type WorthWeights, worthParts } from './worth-parts.ts'

/**
 * How much each part of a text counts. Printed by `npm run eval -- fit-worth`: a logistic regression of whether a
 * message is needed by a later question, over the development conversations of LoCoMo (0, 1 and 3) and of our own
 * corpora. docs/quality.md says what it keeps.
 */
export const shippedWorthWeights: WorthWeights = {
  basis: -2.783,
  information: 2.297,
  novelty: 1.154,
  figures: 1.342,
  times: 2.463,
  names: 1.49,
  identifiers: 0.236,
  people: 0.436,
  first_person: 0.33,
  answer: 0.774,
  question: -0.38,
  greeting: -0.369,
  decision: 0.236,
  preference: 0.496,
  correction: 0.496,
  outcome: 0.296,
  role: 0.393,
  machine: 0.236,
  distilled: 1.178,
  detail: 0,
  advice: -2.042,
  request: -2,
  wish: 1,
  repeated: -1.5,
}

/**
 * In a conversation about work, the part `detail` shows better than the other parts which messages are needed later. Its weight
 * is chosen on the development conversations of our own corpora. The other parts count less than in a chat, so that the sums of
 * both kinds of conversation are spread alike. Otherwise one kind would push the other out of a budget.
 */
const shareOfTalk = 0.5
const detail = 12

export const workWorthWeights: WorthWeights = {
  ...(Object.fromEntries(
    worthParts.map((part) => [part, Number((shareOfTalk * shippedWorthWeights[part]).toFixed(3))]),
  ) as Record<WorthPart, number>),
  basis: Number((shareOfTalk * shippedWorthWeights.basis - detail / 2).toFixed(3)),
  detail,
  advice: 0,
  request: 0,
}

/** Other weights get another id, and the time at which they were fitted. */
export const shippedWorthModel = { id: 'shipped-6', created_at: '2026-11-28T19:20:00.000Z' }
