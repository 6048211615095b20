import { rootKey, startTestApp, type TestApp } from '../../../../test/support/test-app.ts'
import { type Client, type ClientOptions, createClient } from '../../src/index.ts'

export type Service = TestApp & { client: Client; connect(options?: Partial<ClientOptions>): Client }

/** The real service on a socket, and a client of it. */
export async function startService(): Promise<Service> {
  const app = await startTestApp()
  const connect = (options: Partial<ClientOptions> = {}) =>
    createClient({ baseUrl: app.url, apiKey: rootKey, ...options })
  return { ...app, client: connect(), connect }
}
