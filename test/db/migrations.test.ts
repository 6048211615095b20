import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Migration, NO_MIGRATIONS, sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { migrations } from '../../migrations/index.ts'
import { writeDatabaseTypes } from '../../scripts/write-db-types.ts'
import type { Database } from '../../src/db/connection.ts'
import { connect } from '../../src/db/connection.ts'
import { listPendingMigrations, migrateUp } from '../../src/db/migrator.ts'
import { openEmptyTestDatabase } from '../support/servers/database.ts'
import { migrateTo } from '../support/servers/migrate-down.ts'

const names = Object.keys(migrations)

const connection = await openEmptyTestDatabase(2)
afterAll(() => connection.close())

/** Lists everything in the schema of the product by kind and name. */
async function listObjects(db: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select 'relation ' || relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relname not like 'kysely%'
    union all select 'type ' || typname from pg_type where typnamespace = 'public'::regnamespace and typtype = 'e'
    union all select 'function ' || proname from pg_proc where pronamespace = 'public'::regnamespace
    union all select 'constraint ' || conname from pg_constraint
      where connamespace = 'public'::regnamespace and conname not like 'kysely%' and contype <> 'n'
    order by name
  `.execute(db)
  return rows.map((row) => row.name)
}

describe('migrations', () => {
  it('run once when 20 migrators start together', async () => {
    expect(await listPendingMigrations(connection.db)).toEqual(names)
    const { url } = connection
    const timeouts = { statementTimeoutMs: 20_000, lockTimeoutMs: 5_000 }
    const others = Array.from({ length: 20 }, () =>
      connect({ url, poolSize: 2, ...timeouts, applicationName: 'test' }),
    )
    try {
      const applied = await Promise.all(others.map(({ db }) => migrateUp(db)))
      expect(applied.flat().sort()).toEqual([...names].sort())
    } finally {
      await Promise.all(others.map((each) => each.close()))
    }
    expect(await listPendingMigrations(connection.db)).toEqual([])
    expect(await migrateUp(connection.db)).toEqual([])
  })

  it('can be reverted and applied again, with the same objects at each of them', async () => {
    const objects = new Map<string, string[]>()
    const observe = ([name, { up, down }]: [string, Migration]): [string, Migration] => [
      name,
      {
        up: async (db: Database) => {
          await up(db)
          expect(await listObjects(db), name).toEqual(objects.get(name))
        },
        down: async (db: Database) => {
          objects.set(name, await listObjects(db))
          await down?.(db)
        },
      },
    ]
    const observed = Object.fromEntries(Object.entries(migrations).map(observe))
    expect(await listObjects(connection.db)).toContain('relation records')
    expect(await migrateTo(connection.db, NO_MIGRATIONS, observed)).toEqual(names.toReversed())
    expect(await listObjects(connection.db)).toEqual([])
    expect(await migrateTo(connection.db, names.at(-1) ?? '', observed)).toEqual(names)
    expect(await listPendingMigrations(connection.db)).toEqual([])
  })

  it('name every index and constraint', async () => {
    const generated = (await listObjects(connection.db)).filter((name) =>
      /_(idx|key|fkey|check)\d*$/.test(name),
    )
    expect(generated).toEqual([])
  })

  it('return the connection with its settings unchanged', async () => {
    const { rows } = await sql<{ statement_timeout: string; lock_timeout: string }>`
      select current_setting('statement_timeout') as statement_timeout, current_setting('lock_timeout') as lock_timeout
    `.execute(connection.db)
    expect(rows).toEqual([{ statement_timeout: '20s', lock_timeout: '5s' }])
  })
})

it('are applied beside a schema that has a history of its own, as that of a tenant or of another application', async () => {
  const { db, close } = await openEmptyTestDatabase(2)
  try {
    await sql`create schema neighbour`.execute(db)
    await sql`create table neighbour.kysely_migration (name varchar(255) primary key)`.execute(db)
    await sql`create table neighbour.kysely_migration_lock (id varchar(255) primary key)`.execute(db)
    expect(await migrateUp(db)).toEqual(names)
  } finally {
    await close()
  }
})

describe('the constraints of the database', () => {
  it('refuse rows that no bug of the product may store', async () => {
    const insert = (changes: Record<string, unknown>) => {
      const row = {
        id: crypto.randomUUID(),
        created_at: 'now',
        updated_at: 'now',
        anchored_at: 'now',
        scope: '',
        salience: 1,
        base_salience: 1,
        last_reinforced_at: 'now',
        half_life_seconds: 1,
        max_age_seconds: 0,
        min_salience: 0,
        reinforcement_gain: 0,
        confidence: 1,
        importance: 0,
        base_importance: 0,
        emotional_valence: 0,
        access_count: 0,
        confirmation_count: 0,
        version: 1,
        type: 'semantic',
        sensitivity: 'low',
        layer: 'semantic',
        memory_kind: 'fact',
        status: 'active',
        source_type: 'ai',
        curve: 'linear',
        deletion_policy: 'never',
        pinned: false,
        ...changes,
      }
      return sql`insert into records (${sql.join(Object.keys(row).map((name) => sql.ref(name)))})
        values (${sql.join(Object.values(row))})`.execute(connection.db)
    }
    await insert({})
    const broken: [string, Record<string, unknown>][] = [
      ['records_salience_range', { salience: 'NaN' }],
      ['records_base_salience_range', { base_salience: 'Infinity' }],
      ['records_confidence_range', { confidence: 1.1 }],
      ['records_min_salience_range', { min_salience: -0.1 }],
      ['records_half_life_range', { half_life_seconds: 0 }],
      ['records_max_salience_range', { max_salience: 0 }],
      ['records_valence_range', { emotional_valence: 2 }],
      ['records_counts', { version: 0 }],
      ['records_prunable', { prune_at: 'now' }],
      ['records_forgotten_whole', { forgotten_at: 'now' }],
      ['records_scope_length', { scope: 'x'.repeat(257) }],
    ]
    for (const [constraint, changes] of broken) {
      await expect(insert(changes), constraint).rejects.toMatchObject({ constraint })
    }
  })
})

describe('the generated table types', () => {
  it('match the migrated database', () => {
    const folder = mkdtempSync(join(tmpdir(), 'membrane-types-'))
    try {
      writeDatabaseTypes(connection.url, join(folder, 'schema.ts'))
      expect(readFileSync(join(folder, 'schema.ts'), 'utf8')).toBe(readFileSync('src/db/schema.ts', 'utf8'))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})
