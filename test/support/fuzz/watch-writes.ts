import type pg from 'pg'

/**
 * Every row that is written leaves a note in its own transaction, so that what a refused request wrote is seen
 * and what was rolled back is not. That a key was used may be noted of any request.
 */
const install = `
  create schema fuzz;
  create table fuzz.writes (sign int4 not null, name text not null, content text not null);
  create function fuzz.note() returns trigger language plpgsql as $$
  declare
    name text := regexp_replace(tg_table_name, '_(rest|[0-9]{6})$', '');
  begin
    if name = 'audit_entries' and to_jsonb(new) @> '{"action": "promote", "actor": "cognition"}' then
      name := 'promotions';
    end if;
    if tg_op <> 'INSERT' then
      insert into fuzz.writes values (-1, name, md5((to_jsonb(old) - 'last_used_at')::text));
    end if;
    if tg_op <> 'DELETE' then
      insert into fuzz.writes values (1, name, md5((to_jsonb(new) - 'last_used_at')::text));
    end if;
    return null;
  end $$;
  do $$
  declare found regclass;
  begin
    for found in select oid from pg_class where relnamespace = 'public'::regnamespace
      and relkind in ('r', 'p') and not relispartition
    loop
      execute format('create trigger fuzz_writes after insert or update or delete on %s
        for each row execute function fuzz.note()', found);
    end loop;
  end $$`

/**
 * Records every row that is written, in the transaction of the write: what a refused request wrote is seen, what
 * was rolled back is not. Use of a key is not counted.
 */
export async function watchWrites(pool: pg.Pool) {
  await pool.query(install)
  const { rows } = await pool.query(
    `select count(*)::int as count from pg_trigger where tgname = 'fuzz_writes'`,
  )

  return {
    tables: Number(rows[0]?.count),
    /**
     * The tables that changed since the last call; rows that came and went do not count. Audit entries of layers that
     * rose by use are named `promotions`.
     */
    async drain(): Promise<string[]> {
      const found = await pool.query(
        `with gone as (delete from fuzz.writes returning *),
          left_over as (select name from gone group by name, content having sum(sign) <> 0)
        select distinct name from left_over order by name`,
      )
      return found.rows.map(({ name }) => String(name))
    },
  }
}
