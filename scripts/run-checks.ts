import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readArguments } from './script-arguments.ts'

const usage = `Usage: npm run check -- [--without-tests]

Checks types, architecture, format and OpenAPI, and runs the unit tests unless told otherwise.`

const { values } = readArguments(usage, {
  options: { 'without-tests': { type: 'boolean', default: false } },
})
const tests = values['without-tests'] ? [] : ['test:unit']

/**
 * Side by side, since the compiler alone takes as long as the rest together. Each prints when it has ended. `types` writes the
 * types of the API, which `arch` looks for.
 */
const checks = [
  ['types', 'arch'],
  ['lint', 'openapi:lint', ...tests],
]

async function runScript(name: string): Promise<boolean> {
  const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk))
  const [code] = await once(child, 'close')
  process.stdout.write(`== ${name}: ${code === 0 ? 'ok' : 'FAILED'}\n`)
  if (code !== 0) process.stdout.write(Buffer.concat(output))
  return code === 0
}

async function runInTurn(names: readonly string[]): Promise<boolean> {
  let hasPassed = true
  for (const name of names) hasPassed = (await runScript(name)) && hasPassed
  return hasPassed
}

const passed = await Promise.all(checks.map(runInTurn))
if (passed.includes(false)) process.exitCode = 1
