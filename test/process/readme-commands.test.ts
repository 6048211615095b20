import { execFile } from 'node:child_process'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Body } from '../support/requests/record-requests.ts'
import { createDatabaseFolder } from '../support/servers/database-folder.ts'
import { startTestApp } from '../support/test-app.ts'

const root = resolve(import.meta.dirname, '../..')
const readme = await readFile(join(root, 'README.md'), 'utf8')
const listCalls = (text: string) =>
  [...text.matchAll(/```bash\n(curl [\s\S]*?)```/g)].map((match) => match[1] ?? '')
const calls = listCalls(readme)
const tasks = listCalls(await readFile(join(root, 'docs/tasks.md'), 'utf8'))

const fact = '01980000-0000-7000-8000-000000000001'
const successor = '01980000-0000-7000-8000-000000000002'

/** Puts a replacement for curl at the end of the PATH, so that an installed curl is preferred. */
async function provideCurl(folder: string): Promise<string> {
  const file = join(folder, 'curl')
  await writeFile(
    file,
    `#!/bin/sh\nexec "${process.execPath}" "${root}/test/support/processes/curl.ts" "$@"\n`,
  )
  await chmod(file, 0o755)
  return folder
}

/** Runs commands on a new server. `$ID` in a command is `id`. */
async function createRunner() {
  const path = `${process.env['PATH']}:${await provideCurl(await createDatabaseFolder())}`
  const app = await startTestApp({ variables: { MEMBRANE_API_KEY: '' } })
  onTestFinished(() => app.close())
  return async (call: string, id = ''): Promise<Body> => {
    const command = call.replaceAll('http://127.0.0.1:8080', app.url)
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { env: { PATH: path, ID: id } })
    return JSON.parse(stdout)
  }
}

describe('the curl commands of the README', () => {
  test('are all found, twelve of them', () => {
    expect(calls).toHaveLength(12)
    expect(readme.match(/\bcurl /g)).toHaveLength(12)
  })

  test('answer what the README shows, on a new server', async () => {
    const run = await createRunner()
    const answers: unknown[] = []
    for (const call of calls) answers.push(await run(call))
    expect(answers).toMatchObject([
      { type: 'semantic', scope: 'shop', payload: { subject: 'invoices', predicate: 'note' } },
      {
        text: expect.stringContaining('Invoices are sent on the first working day.'),
        items: [expect.objectContaining({ quoted: true })],
      },
      {
        deduplicated: false,
        fact: { outcome: 'created' },
        primary_record: { type: 'episodic', scope: 'shop' },
      },
      {
        items: [{ status: 'created' }, { status: 'created' }],
        conversation: { id: 'support-4711', messages: 2 },
      },
      { items: [{ payload: { canonical_name: 'shop-api' } }] },
      { id: fact, version: 1, scope: 'shop' },
      { record: { id: successor, scope: 'shop', version: 1 }, sources: [{ id: fact, version: 2 }] },
      {
        root_ids: expect.arrayContaining([successor]),
        nodes: expect.arrayContaining([expect.objectContaining({ root: true })]),
      },
      { results: [{ id: successor, status: 200 }] },
      { edges: [{ source_id: successor, predicate: 'supersedes', target_id: fact }] },
      { id: fact, forgotten: { reason: 'deleted', actor: 'deploy-agent' } },
      { job: 'consolidate', dry_run: true, trigger: 'manual' },
    ])
  })
})

test('the curl commands of docs/tasks.md correct, pin and forget a fact', async () => {
  expect(tasks).toHaveLength(5)
  const run = await createRunner()
  const [remember = '', list = '', supersede = '', pin = '', forget = ''] = tasks
  const { id } = await run(remember)
  expect((await run(list)).items.map((item: Body) => item.id)).toEqual([id])
  const { record } = await run(supersede, id)
  expect(record).toMatchObject({ scope: 'user:ada', payload: { object: 'Ada lives in Rome.' } })
  expect((await run(pin, record.id)).lifecycle.pinned).toBe(true)
  expect(await run(forget, record.id)).toMatchObject({ code: 'record_pinned' })
  expect((await run(forget, id)).forgotten).toMatchObject({ reason: 'deleted', actor: 'shop' })
})
