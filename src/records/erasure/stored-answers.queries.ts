import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '../../db/transaction.ts'

const texts = (ids: readonly string[]) => sql`any(${sql.val([...ids])}::text[])`

/**
 * Answers stored for idempotency contain whole records. An answer that is one record is deleted: when the request is
 * repeated it runs again and gets the error for erased content. This reads every stored answer, because an erase is rare
 * and a missed copy would stay.
 */
export async function deleteAnswersAbout(tx: Transaction, ids: readonly string[]): Promise<void> {
  await sql`
    delete from idempotency_keys
    where body::jsonb ->> 'id' = ${texts(ids)} or body::jsonb -> 'record' ->> 'id' = ${texts(ids)}
      or body::jsonb -> 'primary_record' ->> 'id' = ${texts(ids)}
  `.execute(tx)
}

/** An answer about several records stays, without the erased ones: run again, the request would store the others twice. */
export async function removeFromBatchAnswers(tx: Transaction, ids: readonly string[]): Promise<void> {
  await sql`
    update idempotency_keys
    set body = jsonb_set(body::jsonb, '{results}', (
      select jsonb_agg(
        case when result -> 'record' ->> 'id' = ${texts(ids)}
          then result - 'record' || '{"status": 410}' else result end
        order by place
      )
      from jsonb_array_elements(body::jsonb -> 'results') with ordinality as each (result, place)
    ))::text
    where exists (
      select from jsonb_array_elements(
        case when jsonb_typeof(body::jsonb -> 'results') = 'array' then body::jsonb -> 'results' end
      ) as result
      where result -> 'record' ->> 'id' = ${texts(ids)}
    )
  `.execute(tx)
}

/** Kept records have changed, so stored answers keep only their id and version, as for a key that may not read. */
export async function reduceAnswersAbout(tx: Transaction, ids: readonly string[]): Promise<void> {
  const brief = (record: RawBuilder<unknown>) =>
    sql`jsonb_build_object('id', ${record} -> 'id', 'version', ${record} -> 'version')`
  const body = sql`body::jsonb`
  await sql`
    update idempotency_keys
    set body = (case
      when ${body} ? 'payload' then ${brief(body)}
      when ${body} ? 'record'
        then jsonb_set(${body}, '{record}', ${brief(sql`(${body} -> 'record')`)})
      else jsonb_set(${body}, '{primary_record}', ${brief(sql`(${body} -> 'primary_record')`)}) end)::text
    where (${body} ->> 'id' = ${texts(ids)} and ${body} ? 'payload') or ${body} -> 'record' ->> 'id' = ${texts(ids)}
      or ${body} -> 'primary_record' ->> 'id' = ${texts(ids)}
  `.execute(tx)
}

/** The stored answer of a capture stays, without the erased records, for the same reason. */
export async function removeFromCaptureAnswers(tx: Transaction, ids: readonly string[]): Promise<void> {
  await sql`
    update idempotency_keys
    set body = jsonb_set(body::jsonb, '{created_records}', coalesce((
      select jsonb_agg(record order by place)
      from jsonb_array_elements(body::jsonb -> 'created_records') with ordinality as each (record, place)
      where record ->> 'id' <> all(${sql.val([...ids])}::text[])
    ), '[]'))::text
    where exists (
      select from jsonb_array_elements(
        case when jsonb_typeof(body::jsonb -> 'created_records') = 'array' then body::jsonb -> 'created_records' end
      ) as record
      where record ->> 'id' = ${texts(ids)}
    )
  `.execute(tx)
}
