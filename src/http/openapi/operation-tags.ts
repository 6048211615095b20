/** In the order in which a reader wants them. */
export const operationTags = [
  { name: 'capture', description: 'Store what happened or what is known, with its entities and facts.' },
  {
    name: 'retrieval',
    description: 'Find the memories that help with a task, as records or as a text for a prompt.',
  },
  { name: 'conversations', description: 'Store, read and remove the messages of conversations.' },
  { name: 'records', description: 'Create, read, change, forget, restore and erase records.' },
  {
    name: 'revision',
    description: 'Replace, contest, retract and merge facts, and take these changes back.',
  },
  { name: 'relations', description: 'Relate records to each other.' },
  { name: 'entities', description: 'Look named things up, and merge duplicates.' },
  { name: 'lifecycle', description: 'Reinforce, pin and promote records, and see why they fade.' },
  { name: 'policies', description: 'Set how records fade, and how much a scope may hold.' },
  { name: 'maintenance', description: 'Run, plan, undo, schedule and simulate the jobs.' },
  { name: 'portability', description: 'Export and import records.' },
  { name: 'keys', description: 'Create and revoke API keys.' },
  { name: 'tombstones', description: 'List and lift the tombstones of erased content.' },
  { name: 'tenants', description: 'Create, suspend, move and drop tenants. Only for the root key.' },
  { name: 'metrics', description: 'Figures of the memory and of the process.' },
  { name: 'health', description: 'Whether a process runs and can serve.' },
]
