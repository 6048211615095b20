import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { connect } from '../../src/db/connection.ts'
import { readView, type View } from '../../src/db/memory/seen-changes.ts'
import { createServerFolder, startPostgresServer } from '../support/servers/postgres-server.ts'
import { testDataRoot } from '../support/test-data-root.ts'

/** Restores the part of a dump that the view of a store depends on into a new server. */
async function restore(): Promise<{ view: View; xmin: string | undefined }> {
  const folder = await createServerFolder(await mkdtemp(join(testDataRoot, 'restored-')))
  const { url } = await startPostgresServer(folder)
  const limits = { statementTimeoutMs: 20_000, lockTimeoutMs: 5_000 }
  const { db, close } = connect({ url, poolSize: 1, applicationName: 'membrane test', ...limits })
  onTestFinished(close)
  await sql`create table import_secret as select 'a' as secret`.execute(db)
  const { rows } = await sql<{ xmin: string }>`select xmin::text from import_secret`.execute(db)
  return { view: await readView(db), xmin: rows[0]?.xmin }
}

it('what a process has in memory is not used after a second restore into another new server', async () => {
  const [first, second] = [await restore(), await restore()]
  expect(second.xmin).toBe(first.xmin)
  expect(second.view.origin).not.toBe(first.view.origin)
})
