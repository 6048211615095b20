import * as servers from '../../../src/tenants/databases/tenant-servers.queries.ts'
import * as tenants from '../../../src/tenants/tenants.queries.ts'
import type { Sample } from './deletion-samples.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const id = '0197b9a0-0000-7000-8000-000000000001'
const reference = 'abcdefghijkl'

const inTransaction =
  (work: (tx: Parameters<typeof tenants.setStatus>[0]) => Promise<unknown>): Sample =>
  (db) =>
    db.transaction().execute(work)

export const tenantSamples: Record<string, Record<string, Sample | Record<string, Sample>>> = {
  'src/tenants/tenants.queries.ts': {
    insertTenant: inTransaction((tx) =>
      tenants.insertTenant(tx, {
        id: 'acme',
        reference,
        status: 'active',
        migration: '0049_tenants',
        created_at: now,
      }),
    ),
    findTenant: (db) => tenants.findTenant(db, 'acme'),
    findTenantByReference: (db) => tenants.findTenantByReference(db, reference),
    lockTenant: inTransaction((tx) => tenants.lockTenant(tx, 'acme')),
    listTenants: {
      'first page': (db) => tenants.listTenants(db, { after: undefined, limit: 51 }),
      'next page': (db) => tenants.listTenants(db, { after: 'acme', limit: 51 }),
    },
    listStoppedTenants: (db) => tenants.listStoppedTenants(db),
    listOutdatedTenants: (db) => tenants.listOutdatedTenants(db, '0049_tenants'),
    setCreated: inTransaction((tx) => tenants.setCreated(tx, 'acme', '0049_tenants')),
    setServer: inTransaction((tx) =>
      tenants.setServer(tx, 'acme', {
        server_url: 'sealed',
        server_host: 'db-7.example',
        server_port: 5432,
        server_database: 'acme',
        server_identity: '1/2',
        migration: '0049_tenants',
      }),
    ),
    setRemoved: inTransaction((tx) => tenants.setRemoved(tx, 'acme', '{"records":1}')),
    setMigration: inTransaction((tx) => tenants.setMigration(tx, 'acme', '0049_tenants')),
    setStatus: inTransaction((tx) => tenants.setStatus(tx, 'acme', 'suspended')),
    deleteTenant: inTransaction((tx) => tenants.deleteTenant(tx, 'acme')),
    insertEvent: inTransaction((tx) =>
      tenants.insertEvent(tx, {
        id,
        tenant_id: 'acme',
        reference,
        at: now,
        action: 'drop',
        actor: 'operations',
        rationale: 'the contract has ended',
        removed: '{"records":1}',
      }),
    ),
    countContents: inTransaction((tx) => tenants.countContents(tx)),
    listTables: inTransaction((tx) => tenants.listTables(tx)),
    countRows: inTransaction((tx) => tenants.countRows(tx, 'records')),
  },
  'src/tenants/databases/tenant-servers.queries.ts': {
    inspectServer: (db) => servers.inspectServer(db),
    hasSchema: (db) => servers.hasSchema(db, `t_${reference}`),
    hasCitus: inTransaction((tx) => servers.hasCitus(tx)),
    isWorker: inTransaction((tx) => servers.isWorker(tx)),
    dropOnCoordinator: inTransaction((tx) => servers.dropOnCoordinator(tx, `t_${reference}`)),
    lockMigrations: inTransaction((tx) => servers.lockMigrations(tx)),
  },
}
