import Type from 'typebox'
import { sensitivities } from '../domain/trust/caller.ts'
import { retention, share, text } from './variables.ts'

/** The defaults of new records, the search for records, and how long they are kept. */
export const recordVariables = {
  MEMBRANE_DEFAULT_SENSITIVITY: Type.Enum([...sensitivities], {
    description: 'Sensitivity of a new record that has none.',
    default: 'low',
    expects: `one of ${sensitivities.join(', ')}`,
  }),
  MEMBRANE_TEXT_LANGUAGE: Type.String({
    description: 'PostgreSQL text search configuration for stemming; `simple` for no stemming.',
    default: 'english',
    pattern: '^[a-z_]{1,63}$',
    expects: 'the lower-case name of a text search configuration, such as english or simple',
  }),
  MEMBRANE_CONVERSATION_GAP: retention(
    'Pause between two messages that ends a session. Messages before the pause do not count as context of messages after it.',
    '1h',
  ),
  MEMBRANE_SELECTION_CONFIDENCE_THRESHOLD: share(
    'Confidence of a selection below which a retrieval says that it needs more information.',
    '0.7',
  ),
  MEMBRANE_REGRET_SAMPLE: share(
    'Share of the questions that are asked again in the background over forgotten records, to judge what was forgotten; 0 for none.',
    '0.1',
  ),
  MEMBRANE_FORGOTTEN_RETENTION: retention(
    'How long a forgotten record can be restored before it is purged; 0 to purge at once, `never` to purge nothing.',
    '30d',
  ),
  MEMBRANE_REVISED_RETENTION: retention(
    'How long a superseded, merged or retracted record is kept before it is forgotten; `never` to keep it.',
    '90d',
  ),
  MEMBRANE_HISTORY_RETENTION: retention(
    'How long the audit log and the history of importance are kept, by whole months; `never` to drop nothing. A value below 90 days, MEMBRANE_REVISED_RETENTION or MEMBRANE_FORGOTTEN_RETENTION is raised to the largest of these.',
    'never',
  ),
  MEMBRANE_PLAN_RETENTION: retention('How long a plan of a job can be applied.', '7d'),
  MEMBRANE_TOMBSTONE_KEY: Type.Optional(
    text(
      'Secret for the tombstones of erased content, at least 16 characters, the same for every process. Keep it outside the database. `npm start` creates one in MEMBRANE_DATA_DIR. Unset in any other role: erasing is refused; after any process has erased something, storing content is refused too.',
      { minLength: 16 },
    ),
  ),
  MEMBRANE_RETENTION_MODE: Type.Enum(['l2', 'huber', 'elastic'], {
    description: 'Curve by which the retention score of a record falls after its last access.',
    default: 'huber',
    expects: 'one of l2, huber, elastic',
  }),
  MEMBRANE_RETENTION_HUBER_DELTA: Type.String({
    description: 'Half-lives after which the curve `huber` continues as a straight line.',
    default: '0.5',
    pattern: '^([0-9]|[1-5][0-9]|6[0-3])(\\.[0-9]{1,6})?$',
    expects: 'a number from 0 to less than 64 such as 0.5',
  }),
  MEMBRANE_RETENTION_ELASTIC_RHO: share(
    'Share of the curve `elastic` that falls in a straight line and ends after two half-lives.',
    '0.3',
  ),
}
