import { randomInt } from 'node:crypto'
import { connect } from '../../../src/db/connection.ts'
import { migrateSchema } from '../../../src/db/migrator.ts'
import { nameSchema } from '../../../src/db/schema-names.ts'
import { createSchema } from '../../../src/db/tenant-schemas.ts'
import { transact } from '../../../src/db/transaction.ts'
import { until } from '../processes/processes.ts'
import type { TestDatabase } from './database.ts'
import { administer } from './postgres-processes.ts'

/** A database on a coordinator of Citus with two workers; docs/citus.md says how to build them. */
export const citusUrl = process.env['TEST_CITUS_URL']

/** Creates a schema as that of a new tenant and distributes it. The URL leads to the node that holds it. */
export async function createDistributedSchema(coordinator: string): Promise<TestDatabase> {
  const letters = 'abcdefghijklmnopqrstuvwxyz234567'
  const schema = nameSchema(Array.from({ length: 12 }, () => letters[randomInt(32)]).join(''))
  await migrate(coordinator, schema)
  await administer(coordinator, `select citus_schema_distribute('${schema}')`)
  const url = await findNode(coordinator, schema)
  await administer(url, ...continueIds)
  return {
    url,
    drop: async () => {
      await administer(coordinator, `drop schema ${schema} cascade`)
    },
  }
}

/** Distributes a schema with rows, by a role without triggers: they would run while rows are copied. Returns the URL of its node. */
export async function distributeRows(coordinator: string, schema: string): Promise<string> {
  const role = `mover_of_${schema}`
  await administer(
    coordinator,
    `create role ${role} superuser login`,
    `alter role ${role} set session_replication_role = replica`,
  )
  const url = new URL(coordinator)
  url.username = role
  await administer(url.href, `select citus_schema_distribute('${schema}')`)
  await administer(coordinator, `drop role ${role}`)
  const node = new URL(await findNode(coordinator, schema))
  node.search = new URL(coordinator).search
  return node.href
}

/** For each node whether it has the schema. */
export async function findOnNodes(coordinator: string, schema: string): Promise<boolean[]> {
  const [found] = await administer(
    coordinator,
    `select result = '1' as has from run_command_on_all_nodes(
      $$select count(*) from pg_namespace where nspname = '${schema}'$$)`,
  )
  return found?.rows.map(({ has }) => has) ?? []
}

/** Moves the schema of a URL to another worker, and returns the URL there. */
export async function moveSchema(coordinator: string, url: string): Promise<string> {
  const schema = schemaIn(url)
  // Citus drops them some seconds later, and fails to move a schema back before it has.
  await until('the shards of the last move to be dropped', async () => {
    const left = `select from pg_dist_cleanup where starts_with(object_name, '${schema}.')`
    return (await administer(coordinator, left))[0]?.rows.length === 0
  })
  await administer(
    coordinator,
    `select citus_schema_move('${schema}', nodename, nodeport, 'block_writes') from pg_dist_node
      where shouldhaveshards and nodeport <> ${new URL(url).port} limit 1`,
  )
  const moved = await findNode(coordinator, schema)
  await administer(moved, ...continueIds)
  return moved
}

/**
 * Each node has a range of ids of its own, and none for ids of 16 or 32 bits. After a move to a node with a lower range new
 * entries of a history would come before the old ones. It does not read pg_class, where Citus fails on an index that another
 * session is dropping.
 */
const continueIds = [
  'set citus.enable_ddl_propagation = off',
  `do $$ declare
    ids record;
    newest bigint;
  begin
    for ids in
      select attrelid::regclass as owner, attname as name, pg_get_serial_sequence(attrelid::regclass::text, attname) as sequence
      from pg_attribute where attidentity <> '' and pg_table_is_visible(attrelid)
    loop
      execute format('select max(%I) from %s', ids.name, ids.owner) into newest;
      execute format('alter sequence %s minvalue 1 no maxvalue', ids.sequence);
      perform setval(ids.sequence, coalesce(newest, 0) + 1, false);
    end loop;
  end $$`,
]

async function migrate(coordinator: string, schema: string): Promise<void> {
  const { db, close } = connect({
    url: coordinator,
    poolSize: 1,
    statementTimeoutMs: 0,
    lockTimeoutMs: 0,
    tenants: true,
    applicationName: 'membrane test setup',
  })
  await transact(db, {}, async (tx) => {
    await createSchema(tx, schema)
    await migrateSchema(tx, schema, new Date())
  })
  await close()
}

async function findNode(coordinator: string, schema: string): Promise<string> {
  const [found] = await administer(
    coordinator,
    `select nodename, nodeport from citus_shards where table_name = '${schema}.records'::regclass`,
  )
  const url = new URL(coordinator)
  url.hostname = String(found?.rows[0]?.nodename)
  url.port = String(found?.rows[0]?.nodeport)
  url.searchParams.set('options', `-c jit=off -c search_path=${schema}`)
  return url.href
}

function schemaIn(url: string): string {
  return /search_path=(\w+)/.exec(new URL(url).searchParams.get('options') ?? '')?.[1] ?? ''
}
