import { sql } from 'kysely'
import type { Database } from '../db/connection.ts'
import type { Spent } from '../llm/spending.ts'

/** Returns what the run has spent before it was resumed. */
export async function findSpent(db: Database, runId: string): Promise<Spent> {
  const { rows } = await sql<Spent>`
    select coalesce((stats ->> 'model_prompt_tokens')::float8, 0) as "promptTokens",
      coalesce((stats ->> 'model_completion_tokens')::float8, 0) as "completionTokens",
      coalesce((stats ->> 'model_cost_micros')::float8, 0) as "costMicros"
    from maintenance_runs where id = ${runId}::uuid
  `.execute(db)
  return rows[0] ?? { promptTokens: 0, completionTokens: 0, costMicros: 0 }
}
