import { spawn } from 'node:child_process'
import { once } from 'node:events'

const tests = process.argv.includes('--without-tests') ? [] : ['test:unit']

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
