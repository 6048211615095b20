import type { Layer } from '../cognition/importance.ts'
import type { MemoryKind } from '../db/schema.ts'
import type { Decay } from './lifecycle.ts'
import type { RecordType } from './vocabulary.ts'

/** A plain create without a lifecycle gets this whatever its type; policies are for records born inside. */
export const defaultDecay: Decay = {
  curve: 'exponential',
  half_life_seconds: 86_400,
  min_salience: 0,
  max_age_seconds: 0,
  reinforcement_gain: 0,
  max_salience: 1,
}

export const defaultConfidence = 1
export const defaultSalience = 1
export const defaultImportance = 0.5

export const layerOf: Record<RecordType, Layer> = {
  working: 'working',
  episodic: 'episodic',
  semantic: 'semantic',
  entity: 'semantic',
  competence: 'procedural',
  plan_graph: 'procedural',
}

export const kindOf: Record<RecordType, MemoryKind> = {
  working: 'narrative',
  episodic: 'narrative',
  semantic: 'fact',
  entity: 'fact',
  competence: 'procedure',
  plan_graph: 'procedure',
}
