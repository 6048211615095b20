import { readConfig } from '../src/config/config.ts'
import { connect } from '../src/db/connection.ts'
import { createApp } from '../src/http/app.ts'
import { systemClock as clock } from '../src/kernel/clock.ts'
import { createIds } from '../src/kernel/ids.ts'
import { createLogger } from '../src/kernel/log.ts'
import { listRoutes } from '../src/routes.ts'
import { createServices } from '../src/services.ts'

/** Returns the OpenAPI document. It needs no database: a pool connects at its first query. */
export async function describeProduct(): Promise<string> {
  const config = readConfig({})
  const ids = createIds(clock)
  const log = createLogger({ level: 'silent', clock, write: () => {} })
  const connection = connect({
    url: 'postgres://nobody@127.0.0.1:1/nowhere',
    poolSize: 1,
    statementTimeoutMs: 1,
    lockTimeoutMs: 1,
    applicationName: 'openapi',
  })
  const services = createServices({ config, db: connection.db, clock, ids, log })
  const app = await createApp({
    config,
    clock,
    ids,
    pool: connection.pool,
    authenticate: services.keys.authenticate,
    checks: {},
    log: { level: 'silent' },
    routes: listRoutes(services),
  })
  await app.ready()
  const document = `${JSON.stringify(app.swagger(), null, 2)}\n`
  await app.close()
  await connection.close()
  return document
}
