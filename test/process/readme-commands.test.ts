import { execFile } from 'node:child_process'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDataDir } from '../support/data-dir.ts'
import { startTestApp } from '../support/test-app.ts'

const root = resolve(import.meta.dirname, '../..')
const readme = await readFile(join(root, 'README.md'), 'utf8')
const calls = [...readme.matchAll(/```bash\n(curl [\s\S]*?)```/g)].map((match) => match[1] ?? '')

const fact = '01980000-0000-7000-8000-000000000001'
const successor = '01980000-0000-7000-8000-000000000002'

/** Puts a replacement for curl at the end of the PATH, so that an installed curl is preferred. */
async function provideCurl(folder: string): Promise<string> {
  const file = join(folder, 'curl')
  await writeFile(file, `#!/bin/sh\nexec "${process.execPath}" "${root}/test/support/curl.ts" "$@"\n`)
  await chmod(file, 0o755)
  return folder
}

describe('the curl commands of the README', () => {
  test('are twelve', () => {
    expect(calls).toHaveLength(12)
    expect(readme.match(/\bcurl /g)).toHaveLength(12)
  })

  test('answer what the README shows, on a new server', async () => {
    const path = `${process.env['PATH']}:${await provideCurl(await createDataDir())}`
    const app = await startTestApp({ variables: { MEMBRANE_API_KEY: '' } })
    onTestFinished(() => app.close())
    const answers: unknown[] = []
    for (const call of calls) {
      const command = call.replaceAll('http://127.0.0.1:8080', app.url)
      const { stdout } = await promisify(execFile)('sh', ['-c', command], { env: { PATH: path } })
      answers.push(JSON.parse(stdout))
    }
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
