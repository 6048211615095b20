import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import { isVisibleTo } from '../db/fragments/visibility.ts'
import { sendWithNext } from '../db/statements/deferred-statements.ts'
import type { Transaction } from '../db/transaction.ts'
import type { Edge } from '../domain/edges/edges.ts'
import type { Trust } from '../domain/trust/caller.ts'
import { compareTexts } from '../kernel/text-order.ts'

/**
 * An existing edge gets the new weight and keeps its creation time. The edges are sorted, so that two writers of one
 * pair wait for each other instead of deadlocking.
 */
export async function upsertEdges(tx: Transaction, edges: readonly Edge[]): Promise<void> {
  const ordered = [...edges].sort((left, right) => compareTexts(left.source_id, right.source_id))
  const statement = tx
    .insertInto('relations')
    .values(ordered)
    .onConflict((conflict) =>
      conflict.constraint('relations_pkey').doUpdateSet((eb) => ({ weight: eb.ref('excluded.weight') })),
    )
  await sendWithNext(() => statement.execute())
}

export async function findEdge(
  db: Database,
  source: string,
  predicate: string,
  target: string,
): Promise<Edge | undefined> {
  return db
    .selectFrom('relations')
    .where('source_id', '=', source)
    .where('predicate', '=', predicate)
    .where('target_id', '=', target)
    .select(['source_id', 'predicate', 'target_id', 'weight', 'created_at'])
    .executeTakeFirst()
}

/** Whether a contest linked these two records. */
export async function isContestPair(tx: Transaction, one: string, other: string): Promise<boolean> {
  const { rows } = await sql`
    select from descents as d
    where d.kind = 'contest' and (
      d.derived_id = ${one}::uuid and d.source_id = ${other}::uuid
      or d.derived_id = ${other}::uuid and d.source_id = ${one}::uuid
    )
    limit 1
  `.execute(tx)
  return rows.length > 0
}

export async function deleteEdges(tx: Transaction, edges: readonly Edge[]): Promise<void> {
  await tx
    .deleteFrom('relations')
    .where((eb) =>
      eb.or(
        edges.map((edge) =>
          eb.and([
            eb('source_id', '=', edge.source_id),
            eb('predicate', '=', edge.predicate),
            eb('target_id', '=', edge.target_id),
          ]),
        ),
      ),
    )
    .execute()
}

export type EdgePage = {
  direction: 'out' | 'in'
  predicate: string | undefined
  after: { predicate: string; id: string } | undefined
  limit: number
}

/** Sorted by predicate, then by neighbour. Leaves out neighbours that are hidden from the caller or forgotten. */
export async function listEdges(db: Database, id: string, trust: Trust, page: EdgePage): Promise<Edge[]> {
  const [here, there] =
    page.direction === 'out' ? (['source_id', 'target_id'] as const) : (['target_id', 'source_id'] as const)
  const { predicate, after } = page
  return db
    .selectFrom('relations as e')
    .innerJoin('records as r', 'r.id', `e.${there}`)
    .where(`e.${here}`, '=', id)
    .where('r.forgotten_at', 'is', null)
    .where(isVisibleTo(trust))
    .$if(predicate !== undefined, (qb) => qb.where('e.predicate', '=', predicate ?? ''))
    .$if(after !== undefined, (qb) =>
      qb.where(
        sql<boolean>`(e.predicate, ${sql.ref(`e.${there}`)}) > (${after?.predicate}, ${after?.id}::uuid)`,
      ),
    )
    .select(['e.source_id', 'e.predicate', 'e.target_id', 'e.weight', 'e.created_at'])
    .orderBy('e.predicate')
    .orderBy(`e.${there}`)
    .limit(page.limit)
    .execute()
}
