import { sql } from 'kysely'
import type { TestApp } from '../test-app.ts'

/** Inserts edges in both directions, as the service does: no client can write edges of descent. */
export async function insertEdges(
  app: TestApp,
  [predicate, inverse]: readonly [string, string],
  pairs: readonly (readonly [string, string])[],
): Promise<void> {
  await sql`
    insert into relations (source_id, predicate, target_id, weight, created_at)
    select source_id, ${predicate}, target_id, 1, ${app.clock.now()}::timestamptz
    from unnest(${pairs.map(([source]) => source)}::uuid[], ${pairs.map(([, target]) => target)}::uuid[]) as pair (source_id, target_id)
    union all
    select target_id, ${inverse}, source_id, 1, ${app.clock.now()}::timestamptz
    from unnest(${pairs.map(([source]) => source)}::uuid[], ${pairs.map(([, target]) => target)}::uuid[]) as pair (source_id, target_id)
  `.execute(app.db)
}
