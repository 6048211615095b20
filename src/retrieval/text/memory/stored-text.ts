import type { Group } from './record-groups.ts'

/** A text of the database. */
export type StoredText = Group & {
  id: string
  /** The transactions that last changed the text, and what decides who sees it. */
  version: readonly [text: number, record: number]
  /** When it happened or was stated, in milliseconds. */
  time: number
  /** The words as a tsvector in the binary form of PostgreSQL. */
  search: Buffer
  words: number
  /** As `yyyy-mm-dd`. */
  day: string
  /** Whether it asks something. */
  asks: boolean
  /** Whether it is the name and the kind of an entity, and nothing else. */
  isOnlyName: boolean
  /** Whether it is an episode that states a fact and nothing else. */
  statesOnlyFact: boolean
  /** Whether it is an instruction that holds from now on, a preference, or what a person says of themselves. */
  isGuidance: boolean
  /** Whether it is a message that asks something and says nothing about its writer. */
  onlyAsks: boolean
  /**
   * Only for a message: its conversation, its time in milliseconds, with parts of them, the order of its arrival, the name of who
   * wrote it, and whether that is an assistant.
   */
  message?: {
    conversation: string
    at: number
    arrival: number
    speaker: string | null
    isOfAssistant: boolean
  } | null
}
