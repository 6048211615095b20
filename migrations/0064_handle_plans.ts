import { type Kysely, sql } from 'kysely'

/**
 * The statements of `seek_handles` keep one plan. PostgreSQL planned the lock of the entities again at each call, because it
 * counts the elements of an array only then: a third of the time of the function. A plan that is kept must not depend on the
 * size of a table when it was made, so each name is looked up by itself.
 *
 * Locks: none that a reader or a writer waits for.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(rewrite(byJoin, byName)).execute(db)
  await sql.raw(`alter function ${seekHandles} set plan_cache_mode to force_generic_plan`).execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`alter function ${seekHandles} reset plan_cache_mode`).execute(db)
  await sql.raw(rewrite(byName, byJoin)).execute(db)
}

const seekHandles = 'seek_handles(bytea[], bytea[], text[], boolean[], sensitivity)'

const byJoin = `r.id in (
        select h.record_id
        from unnest(digests, scopes) as named (digest, scope)
        join handles as h on h.digest = named.digest and h.scope in (named.scope, '') and h.detail is null
      )`

// The offset keeps the planner from joining the tables as a whole.
const byName = `r.id = any(array(
        select named.record_id
        from generate_subscripts(digests, 1) as i
        cross join lateral (
          select h.record_id from handles as h
          where h.digest = digests[i] and h.scope in (scopes[i], '') and h.detail is null
          offset 0
        ) as named
      ))`

function rewrite(before: string, after: string): string {
  const quote = (text: string) => `'${text.replaceAll("'", "''")}'`
  return `do $do$
    begin
      execute replace(pg_get_functiondef('${seekHandles}'::regprocedure), ${quote(before)}, ${quote(after)});
    end
  $do$`
}
