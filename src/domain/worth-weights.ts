import { type WorthPart, type WorthWeights, worthParts } from './worth-parts.ts'

/**
 * How much each part of a text counts. Printed by `npm run eval -- fit-worth`: a logistic regression of whether a
 * message is needed by a later question, over the development conversations of LoCoMo (0, 1 and 3) and of our own
 * corpora. docs/quality.md says what it keeps.
 */
export const shippedWorthWeights: WorthWeights = {
  basis: -2.767,
  information: 2.242,
  novelty: 1.129,
  figures: 1.312,
  times: 2.405,
  names: 1.457,
  identifiers: 0.23,
  people: 0.426,
  first_person: 0.323,
  answer: 0.756,
  question: -0.37,
  greeting: -0.361,
  decision: 0.23,
  preference: 0.953,
  correction: 0.53,
  outcome: 0.133,
  role: 0.384,
  machine: 0.23,
  distilled: 1.151,
  detail: 0,
}

/**
 * In a conversation about work everybody writes densely, and how much a message says tells more than what a chat
 * teaches. The weight is chosen by the development conversations of our own corpora. The other parts count less, so
 * that the sums of both kinds of conversation are spread alike and one does not push the other out of a budget.
 */
const shareOfTalk = 0.5
const detail = 12

export const workWorthWeights: WorthWeights = {
  ...(Object.fromEntries(
    worthParts.map((part) => [part, Number((shareOfTalk * shippedWorthWeights[part]).toFixed(3))]),
  ) as Record<WorthPart, number>),
  basis: Number((shareOfTalk * shippedWorthWeights.basis - detail / 2).toFixed(3)),
  detail,
}

/** Other weights get another id, and the time at which they were fitted. */
export const shippedWorthModel = { id: 'shipped-2', created_at: '2026-11-24T10:33:00.000Z' }
