/** For each room the tests that go through most of its SQL: what must hold on every server that is supported. */
export const roomJourneys: Readonly<Record<string, readonly string[]>> = {
  capture: ['test/capture/captured-facts.test.ts', 'test/capture/contradicting-facts.test.ts'],
  checking: ['test/checking/store-laws.test.ts'],
  consolidation: ['test/consolidation/consolidation-without-model.test.ts'],
  conversations: ['test/conversations/messages.test.ts'],
  dream: ['test/dream/clustering.test.ts'],
  embeddings: ['test/embeddings/embedding-job.test.ts'],
  entities: ['test/entities/entity-merges.test.ts'],
  http: ['test/http/idempotency.test.ts'],
  keys: ['test/keys/key-management.test.ts'],
  lifecycle: ['test/lifecycle/decay-sweep.test.ts'],
  maintenance: ['test/maintenance/purge-job.test.ts'],
  metrics: ['test/metrics/metrics-summary.test.ts'],
  plans: ['test/plans/decay-plans.test.ts'],
  policies: ['test/records/creation/default-lifecycle.test.ts'],
  portability: ['test/portability/round-trip.test.ts'],
  records: ['test/records/deletion/deletion-and-restoration.test.ts'],
  regrets: ['test/regrets/regrets.test.ts'],
  relations: ['test/records/relations.test.ts'],
  retrieval: ['test/retrieval/text/text-search.test.ts'],
  revision: ['test/revision/supersede-and-fork.test.ts', 'test/revision/refused-revisions.test.ts'],
  simulation: ['test/simulation/simulations.test.ts'],
  effects: ['test/maintenance/effect-replay.test.ts'],
  undo: ['test/undo/undo.test.ts'],
  tenants: ['test/tenants/tenants.test.ts'],
}

/** Journeys that alter tables or create some, which Citus allows on its coordinator only. */
export const notOnCitus: ReadonlySet<string> = new Set(['checking', 'http', 'lifecycle', 'tenants'])
