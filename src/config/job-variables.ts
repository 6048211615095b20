import Type from 'typebox'
import { interval, retention } from './variables.ts'

/** When the jobs run, and what they may read. */
export const jobVariables = {
  MEMBRANE_DECAY_INTERVAL: interval('decay', '1h'),
  MEMBRANE_CONSOLIDATION_INTERVAL: interval('consolidate', '6h'),
  MEMBRANE_COMPRESSION_AGE: retention(
    'Age at which consolidation halves the salience of an episode; `never` to leave it unchanged.',
    '24h',
  ),
  MEMBRANE_DREAM_INTERVAL: interval('dream', '24h'),
  MEMBRANE_DRIFT_ROOTS: Type.Optional(
    Type.String({
      description:
        'Directories in which a dream looks for the files that records mention; `scope=/directory` for one scope. Unset: a dream does not check files.',
      examples: ['/srv/repository,docs=/srv/manual'],
      expects:
        'absolute directories separated by commas, each alone or as scope=/directory; not / itself, and without ..',
    }),
  ),
  MEMBRANE_COMPRESS_INTERVAL: interval('compress', '24h'),
  MEMBRANE_PURGE_INTERVAL: interval('purge', '24h'),
}
