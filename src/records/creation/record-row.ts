import type { Seal } from '../../domain/identity/tombstone-seal.ts'
import { extractWords } from '../../domain/words/word-extraction.ts'
import type { Draft } from '../stored-record.ts'

/** An imported record with its own audit log needs no first entry. */
export type InsertableDraft = Omit<Draft, 'audit' | 'namedSources'> & { audit: Draft['audit'] | null }

/** The rows of a record in `records` and `contents` as JSON. */
export function writeRow(
  { row, worth, searchText, audit, hasClientId }: Omit<InsertableDraft, 'written'>,
  seal: Seal,
): string {
  const digest = seal.digest(row.scope, row.payload)
  const earlierDigest = seal.earlierDigest(row.scope, row.payload)
  const { text, count } = extractWords(searchText)
  return JSON.stringify({
    ...row,
    searchText: text,
    words: count,
    audit,
    hasClientId,
    digest: digest && asHex(digest),
    earlierDigest: earlierDigest && asHex(earlierDigest),
    worth: worth && asHex(worth),
  })
}

export function asHex(digest: Buffer): string {
  return `\\x${digest.toString('hex')}`
}
