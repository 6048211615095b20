import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { JobName } from '../../../src/jobs/job-names.ts'
import { type Body, create, read } from '../requests/record-requests.ts'
import { startTestApp, type TestApp } from '../test-app.ts'
import { noIntervals } from '../workers/idle-jobs.ts'
import { createWorkerFor } from '../workers/worker-setup.ts'
import { shareStore } from './shared-store.ts'

type Hired = Parameters<typeof createWorkerFor>[2]

type Files = Record<string, string>
type DriftApp = Awaited<ReturnType<typeof startDriftApp>>

/**
 * Starts an API whose drift root is a new directory with the given files; `outside` is a directory beside the root.
 */
export async function openDriftApp(files: Files = {}, variables = {}): Promise<DriftApp> {
  const drift = await startDriftApp(variables)
  onTestFinished(drift.close)
  await drift.refill(files)
  return drift
}

/** Returns a function that opens the one such API of a file with an empty store and new files. */
export function shareDriftApp() {
  const open = shareStore(startDriftApp, ({ app }) => app.database.pool)
  return async (files: Files = {}): Promise<DriftApp> => {
    const drift = await open()
    await drift.refill(files)
    return drift
  }
}

async function startDriftApp(variables = {}) {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'drift-')))
  const root = join(base, 'root')
  const outside = join(base, 'outside')
  const app = await startTestApp({ variables: { MEMBRANE_DRIFT_ROOTS: root, ...variables } })
  const close = async () => {
    await app.close()
    await rm(base, { recursive: true, force: true })
  }
  return { close, ...driftOf(app, { base, root, outside }) }
}

function driftOf(app: TestApp, { base, root, outside }: Record<'base' | 'root' | 'outside', string>) {
  const writeRootFile = async (path: string, text = 'text') => {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
  const removeRootFile = (path: string) => rm(join(root, path), { recursive: true })
  async function refill(files: Files): Promise<void> {
    for (const folder of [root, outside]) await rm(folder, { recursive: true, force: true })
    await mkdir(outside, { recursive: true })
    for (const [path, text] of Object.entries({ 'kept.txt': '', ...files })) await writeRootFile(path, text)
  }

  /** Creates a fact one millisecond after the last, which fixes the order of the checks. */
  function createFact(object: unknown, more: object = {}): Promise<Body> {
    app.clock.advance(1)
    const payload = { kind: 'semantic', subject: 's', predicate: 'p', object }
    return create(app, { type: 'semantic', payload, ...more })
  }

  async function requestRun(more: object = {}): Promise<string> {
    const body = { job: 'dream', options: { steps: ['drift'] }, ...more }
    const { body: run } = await app.request('POST', '/v1/maintenance/runs', { body })
    return (run as Body).id
  }
  const readRun = async (id: string): Promise<Body> =>
    (await app.request('GET', `/v1/maintenance/runs/${id}`)).body
  const attend = (signal = new AbortController().signal, hired: Hired = {}) =>
    createWorkerFor(app, noIntervals, hired).runJob('dream' satisfies JobName, signal)

  /** Runs the step once. */
  async function dream(more: object = {}): Promise<Body> {
    const id = await requestRun(more)
    await attend()
    return readRun(id)
  }
  async function check(body: object = {}, key?: string): Promise<Body> {
    const answer = await app.request('POST', '/v1/maintenance/drift/check', {
      body,
      ...(key === undefined ? {} : { key }),
    })
    return answer.body
  }
  const readStatus = async ({ id }: Body): Promise<string> => (await read(app, id)).status
  const readStatusHistory = async ({ id }: Body): Promise<Body[]> =>
    ((await app.request('GET', `/v1/records/${id}/status-history`)).body as Body).items
  const setStatus = ({ id }: Body, status: string) =>
    app.request('POST', `/v1/records/${id}/status`, { body: { status, reason: 'r', actor: 'reviewer' } })
  const readMisses = async (): Promise<Body[]> =>
    (await app.database.pool.query('select * from drift_misses order by record_id')).rows

  return {
    app,
    base,
    root,
    outside,
    refill,
    writeRootFile,
    removeRootFile,
    createFact,
    requestRun,
    readRun,
    attend,
    dream,
    check,
    readStatus,
    readStatusHistory,
    setStatus,
    readMisses,
  }
}
