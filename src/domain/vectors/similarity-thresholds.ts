/**
 * The same cosine means different things for different embedders: two unrelated messages have about 0.3 by spelling, and 0.5 by the
 * word meanings of the static table. docs/decisions/0015-word-meanings.md has the figures.
 */
export type SimilarityThresholds = {
  /** A record that is at least this similar to another is a repetition. */
  duplicate: number
  /** The mean distance to the nearest records at which surprise is 0.5, and the slope of the surprise there. */
  turningDistance: number
  steepness: number
  /** Records that are more similar can be merged into one summary. */
  group: number
  /** Entities between these may be connected: nearer ones are the same thing, farther ones are unrelated. */
  connected: { least: number; most: number }
}

const ofSpelling: SimilarityThresholds = {
  duplicate: 0.92,
  turningDistance: 0.35,
  steepness: 10,
  group: 0.8,
  connected: { least: 0.75, most: 0.9 },
}

const ofWordMeanings: SimilarityThresholds = {
  duplicate: 0.95,
  turningDistance: 0.18,
  steepness: 20,
  group: 0.9,
  connected: { least: 0.88, most: 0.95 },
}

/** Returns the thresholds for the vectors of a provider. */
export function findThresholds(provider: string): SimilarityThresholds {
  return provider === 'static' ? ofWordMeanings : ofSpelling
}
