import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

function runScript(script: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], {
    cwd: root,
    encoding: 'utf8',
  })
  return { code: status, stdout, stderr }
}

const scripts = [
  'bench/run.ts',
  'bench/quality/run.ts',
  'scripts/build-token-table.ts',
  'scripts/import.ts',
  'scripts/run-checks.ts',
  'scripts/write-client.ts',
  'scripts/write-openapi.ts',
]

it('a script prints how it is used', () => {
  const helped = runScript('scripts/fuzz.ts', '--help')
  expect(helped).toEqual({ code: 0, stdout: expect.stringMatching(/^Usage: n\w+ /), stderr: '' })
})

/** One function reads the options and prints the usage. The other scripts are below. */
it.each(scripts)('%s refuses an unknown option in one line', (script) => {
  const refused = runScript(script, '--no-such-option')
  const stderr = "Unknown option '--no-such-option'; --help lists the arguments.\n"
  expect(refused).toEqual({ code: 2, stdout: '', stderr })
})

it.each([
  ['bench/run.ts', ['records', 'nothing'], "No benchmark has a name that starts with 'nothing'"],
  ['bench/quality/run.ts', ['other'], "Unknown command 'other'"],
  ['bench/quality/run.ts', ['life'], 'life needs --data FILE'],
  ['scripts/fuzz.ts', ['--seed'], "Option '--seed <value>' argument missing"],
  ['scripts/write-errors.ts', ['check'], "Unexpected argument 'check'"],
])('%s %j says in one line what is wrong', (script, args, reason) => {
  const stderr = `${reason}; --help lists the arguments.\n`
  expect(runScript(script, ...args)).toEqual({ code: 2, stdout: '', stderr })
})

it('an import of a file that does not exist names the file', () => {
  const stderr = 'The file no-such-file.json does not exist or cannot be read.\n'
  expect(runScript('scripts/import.ts', 'no-such-file.json')).toEqual({ code: 1, stdout: '', stderr })
})
