import { sql } from 'kysely'
import { isNamed } from '../db/fragments/named-changes.ts'
import type { Transaction } from '../db/transaction.ts'
import type { Payload } from '../domain/payloads/payloads.ts'

type Portion = {
  runId: string
  targetId: string
  only: readonly string[] | null
  after: string
  limit: number
}

export type ForgottenContent = {
  id: string
  scope: string
  payload: Payload
  /** Whether this undo lists the record already. */
  is_listed: boolean
}

/** Reads the contents of the next records that a run forgot, only where something was erased from their scope. */
export async function findForgottenContents(
  tx: Transaction,
  { runId, targetId, only, after, limit }: Portion,
): Promise<ForgottenContent[]> {
  const { rows } = await sql<ForgottenContent>`
    with due as materialized (
      select c.record_id as id, bool_or(${isNamed(only)}) as is_selected
      from maintenance_changes as c
      where c.run_id = ${targetId}::uuid and c.record_id > ${after}::uuid
      group by c.record_id order by c.record_id limit ${limit}
    )
    select r.id, r.scope, content.payload, exists (
      select from maintenance_changes as d where d.run_id = ${runId}::uuid and d.record_id = r.id offset 0
    ) as is_listed
    from due join records as r on r.id = due.id join contents as content on content.record_id = r.id
    where due.is_selected and r.forgotten_run_id = ${targetId}::uuid and r.scope in (select scope from tombstones)
  `.execute(tx)
  return rows
}
