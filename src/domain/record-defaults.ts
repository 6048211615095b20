import type { Layer } from './importance/importance.ts'
import type { MemoryKind, RecordType } from './schemas/vocabulary.ts'

export const defaultConfidence = 1
export const defaultSalience = 1

export const defaultLayers: Record<RecordType, Layer> = {
  working: 'working',
  episodic: 'episodic',
  semantic: 'semantic',
  entity: 'semantic',
  competence: 'procedural',
  plan_graph: 'procedural',
}

export const defaultKinds: Record<RecordType, MemoryKind> = {
  working: 'narrative',
  episodic: 'narrative',
  semantic: 'fact',
  entity: 'fact',
  competence: 'procedure',
  plan_graph: 'procedure',
}
