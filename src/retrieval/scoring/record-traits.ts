/** What a record is that counts in its score, beside its words, its salience and its importance. */
export type RecordTraits = {
  /** Whether it is a message of an assistant. */
  isOfAssistant: boolean
  /** Whether it is an instruction that holds from now on, a preference, or what a person says of themselves. */
  isGuidance: boolean
  /** Whether it is a message that asks something and says nothing about its writer. */
  onlyAsks: boolean
  /** Whether it is an entity of which only the name and the kind are known. */
  isOnlyName: boolean
  /** Whether it is an episode that states a fact and nothing else. */
  statesOnlyFact: boolean
}

export type KnownText = RecordTraits & {
  /** When it happened or was stated. */
  created_at: Date
  /** The stems of a short text; null for a long one and for an entity, which states nothing. */
  words: readonly string[] | null
  /** The writer of a message with a name. */
  speaker: string | null
}
