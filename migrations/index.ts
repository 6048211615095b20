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
import * as vectorCells from './0029_vector_cells.ts'
import * as runRequesters from './0032_run_requesters.ts'
import * as worth from './0033_worth.ts'
import * as budgets from './0035_budgets.ts'
import * as regrets from './0036_regrets.ts'
import * as simulations from './0037_simulations.ts'
import * as runEffects from './0038_run_effects.ts'
import * as plans from './0039_plans.ts'
import * as embeddingWorkers from './0040_embedding_workers.ts'
import * as importSecret from './0042_import_secret.ts'
import * as accessKeys from './0043_access_keys.ts'
import * as planGroups from './0044_plan_groups.ts'
import * as tenants from './0049_tenants.ts'
import * as sizesByKey from './0050_sizes_by_key.ts'
import * as historyPartitions from './0051_history_partitions.ts'
import * as histories from './0052_histories.ts'
import * as tenantServers from './0053_tenant_servers.ts'
import * as shards from './0054_shards.ts'
import * as lz4 from './0056_lz4.ts'
import * as effectsByStatement from './0057_effects_by_statement.ts'
import * as plannedSizes from './0058_planned_sizes.ts'
import * as vectorChanges from './0059_vector_changes.ts'
import * as effectsAtOnce from './0060_effects_at_once.ts'
import * as ascendingIndexes from './0061_ascending_indexes.ts'
import * as messageTimes from './0062_message_times.ts'
import * as textChanges from './0063_text_changes.ts'
import * as handlePlans from './0064_handle_plans.ts'
import * as handleIndexes from './0068_handle_indexes.ts'
import * as revealedRecords from './0069_revealed_records.ts'
import * as boundedReads from './0070_bounded_reads.ts'
import * as messagePlaces from './0071_message_places.ts'
import * as packedEffects from './0072_packed_effects.ts'
import * as fruitlessAttempts from './0073_fruitless_attempts.ts'
import * as erasedWords from './0074_erased_words.ts'
import * as erasesOfBefore from './0075_erases_of_before.ts'
import * as erasePlans from './0076_erase_plans.ts'

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
  '0029_vector_cells': vectorCells,
  '0032_run_requesters': runRequesters,
  '0033_worth': worth,
  '0035_budgets': budgets,
  '0036_regrets': regrets,
  '0037_simulations': simulations,
  '0038_run_effects': runEffects,
  '0039_plans': plans,
  '0040_embedding_workers': embeddingWorkers,
  '0042_import_secret': importSecret,
  '0043_access_keys': accessKeys,
  '0044_plan_groups': planGroups,
  '0049_tenants': tenants,
  '0050_sizes_by_key': sizesByKey,
  '0051_history_partitions': historyPartitions,
  '0052_histories': histories,
  '0053_tenant_servers': tenantServers,
  '0054_shards': shards,
  '0056_lz4': lz4,
  '0057_effects_by_statement': effectsByStatement,
  '0058_planned_sizes': plannedSizes,
  '0059_vector_changes': vectorChanges,
  '0060_effects_at_once': effectsAtOnce,
  '0061_ascending_indexes': ascendingIndexes,
  '0062_message_times': messageTimes,
  '0063_text_changes': textChanges,
  '0064_handle_plans': handlePlans,
  '0068_handle_indexes': handleIndexes,
  '0069_revealed_records': revealedRecords,
  '0070_bounded_reads': boundedReads,
  '0071_message_places': messagePlaces,
  '0072_packed_effects': packedEffects,
  '0073_fruitless_attempts': fruitlessAttempts,
  '0074_erased_words': erasedWords,
  '0075_erases_of_before': erasesOfBefore,
  '0076_erase_plans': erasePlans,
}
