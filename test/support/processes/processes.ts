import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

/**
 * How long a test waits for a process. On a busy machine a new embedded database takes longer than half a minute to
 * start; the tests of processes time out after two minutes.
 */
export const processPatienceMs = 100_000

export type Running = {
  pid: number
  /** The whole output so far, errors included. */
  output(): string
  /** Waits for the first match in the output; fails when the process ends without one. */
  waitForOutput(pattern: RegExp): Promise<RegExpExecArray>
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  kill(signal: NodeJS.Signals): void
}

type Options = { cwd?: string; env?: Record<string, string>; detached?: boolean; uid?: number }

/** Compiling the sources took half of the time that a process needs to start. */
const compileCache = join(tmpdir(), 'membrane-test-compile-cache')

/** Starts a Node process that ends with its test. Its environment has only the given variables. */
export function launch(args: readonly string[], options: Options = {}): Running {
  const child = spawn(process.execPath, args, {
    cwd: options.cwd,
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: compileCache, ...options.env },
    detached: options.detached ?? false,
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const listen = (chunk: Buffer) => {
    output += chunk
  }
  child.stdout.on('data', listen)
  child.stderr.on('data', listen)
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  const kill = (signal: NodeJS.Signals) => {
    child.kill(signal)
  }
  onTestFinished(() => kill('SIGKILL'))
  return {
    pid: child.pid ?? 0,
    output: () => output,
    waitForOutput: (pattern) => untilOutput(pattern, () => output, ended),
    ended,
    kill,
  }
}

async function untilOutput(
  pattern: RegExp,
  output: () => string,
  ended: Promise<unknown>,
): Promise<RegExpExecArray> {
  let over = false
  ended.then(() => {
    over = true
  })
  return until(
    `the output ${pattern}`,
    () => {
      const match = pattern.exec(output())
      if (!match && over) throw new Error(`ended without saying ${pattern}:\n${output()}`)
      return match ?? undefined
    },
    processPatienceMs,
  ).catch((error) => {
    throw new Error(`${error.message}\n${output()}`)
  })
}

/** Calls `look` until it returns something; `what` names in the error what the test waited for. */
export async function until<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  milliseconds = 60_000,
): Promise<NonNullable<T>> {
  const deadline = performance.now() + milliseconds
  for (;;) {
    const seen = await look()
    if (seen) return seen
    if (performance.now() > deadline) throw new Error(`waited ${milliseconds} ms in vain for ${what}`)
    await sleep(20)
  }
}
