import type { Migration } from 'kysely'
import * as records from './0001_records.ts'
import * as access from './0002_access.ts'
import * as departures from './0003_departures.ts'
import * as maintenance from './0004_maintenance.ts'
import * as knowledge from './0005_knowledge.ts'
import * as text from './0006_text.ts'
import * as accessLog from './0008_access_log.ts'
import * as embeddings from './0009_embeddings.ts'
import * as consolidation from './0010_consolidation.ts'
import * as windows from './0012_windows.ts'
import * as importance from './0013_importance.ts'
import * as layers from './0014_layers.ts'
import * as surprise from './0015_surprise.ts'
import * as drift from './0016_drift.ts'
import * as dream from './0017_dream.ts'
import * as cards from './0018_cards.ts'
import * as imports from './0019_imports.ts'
import * as tallies from './0020_tallies.ts'
import * as descent from './0022_descent.ts'
import * as outdatedTexts from './0023_outdated_texts.ts'
import * as apart from './0024_apart.ts'
import * as salienceBounds from './0025_salience_bounds.ts'
import * as via from './0026_via.ts'
import * as messages from './0027_messages.ts'

/** Append only: a migration that has run somewhere never changes and never moves. */
export const migrations: Record<string, Migration> = {
  '0001_records': records,
  '0002_access': access,
  '0003_departures': departures,
  '0004_maintenance': maintenance,
  '0005_knowledge': knowledge,
  '0006_text': text,
  '0008_access_log': accessLog,
  '0009_embeddings': embeddings,
  '0010_consolidation': consolidation,
  '0012_windows': windows,
  '0013_importance': importance,
  '0014_layers': layers,
  '0015_surprise': surprise,
  '0016_drift': drift,
  '0017_dream': dream,
  '0018_cards': cards,
  '0019_imports': imports,
  '0020_tallies': tallies,
  '0022_descent': descent,
  '0023_outdated_texts': outdatedTexts,
  '0024_apart': apart,
  '0025_salience_bounds': salienceBounds,
  '0026_via': via,
  '0027_messages': messages,
}
