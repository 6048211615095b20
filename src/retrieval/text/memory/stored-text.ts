import type { RecordTraits } from '../../scoring/record-traits.ts'
import type { Group } from './record-groups.ts'

/** A text of the database. */
export type StoredText = Group &
  Omit<RecordTraits, 'isOfAssistant'> & {
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
