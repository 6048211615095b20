import { sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'
import type { Identifier } from '../stored-record.ts'

export async function deleteIdentifiers(tx: Transaction, id: string): Promise<void> {
  await tx.deleteFrom('entity_identifiers').where('record_id', '=', id).execute()
}

export async function insertIdentifiers(
  tx: Transaction,
  id: string,
  identifiers: readonly Identifier[],
): Promise<void> {
  await sql`
    insert into entity_identifiers (record_id, scope, sensitivity, namespace, value)
    select ${id}::uuid, scope, sensitivity, namespace, value
    from unnest(
      ${identifiers.map(({ scope }) => scope)}::text[],
      ${identifiers.map(({ sensitivity }) => sensitivity)}::sensitivity[],
      ${identifiers.map(({ namespace }) => namespace)}::text[], ${identifiers.map(({ value }) => value)}::text[]
    ) as identifier (scope, sensitivity, namespace, value)
  `.execute(tx)
}
