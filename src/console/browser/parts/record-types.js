export const recordTypes = /** @type {const} */ ([
  'episodic',
  'working',
  'entity',
  'semantic',
  'competence',
  'plan_graph',
])
