import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Config } from '../../config/config.ts'
import { createArgumentsError, readCommandArguments } from '../command-arguments.ts'
import { formatLocalUrl } from '../local-url.ts'
import { exitCodes, OperatorError } from '../operator-error.ts'
import { awaitReady } from '../readiness.ts'
import { bridgeMcp } from './mcp-bridge.ts'

type Resources = { config: Config; args: readonly string[]; entry: string; write(text: string): void }

/** Serves MCP on standard input and output, in front of a running service, or of one that it starts and stops. */
export async function runMcp({ config, args, entry, write }: Resources): Promise<number> {
  const { url: named, profile } = readArguments(args)
  const base = named ?? formatLocalUrl(config.http.host, config.http.port)
  const service = named === undefined && !(await isReachable(base)) ? startService(entry) : undefined
  const failed = service?.ended.then((code) => {
    throw new OperatorError(`The service that was started ended with the code ${code}; see its output above.`)
  })
  const serve = async () => {
    if (service) await awaitReady(base, service.signal)
    const url = `${base.replace(/(\/mcp)?\/?$/, '')}/mcp${profile === undefined ? '' : `?profile=${encodeURIComponent(profile)}`}`
    await bridgeMcp({ url, key: config.auth.rootKey, input: process.stdin, write })
  }
  try {
    await Promise.race([serve(), ...(failed ? [failed] : [])])
  } finally {
    await service?.stop()
  }
  return exitCodes.stopped
}

function readArguments(args: readonly string[]) {
  const options = { url: { type: 'string' }, profile: { type: 'string' } } as const
  const { values } = readCommandArguments({ args: [...args], options })
  if (values.url !== undefined && !/^https?:$/.test(URL.parse(values.url)?.protocol ?? ''))
    throw createArgumentsError('--url must be an http address')
  return values
}

function isReachable(url: string): Promise<boolean> {
  return fetch(`${url}/livez`).then(
    () => true,
    () => false,
  )
}

/** Its output goes to standard error, because standard output carries the messages. */
function startService(entry: string) {
  const stopping = new AbortController()
  const child = spawn(process.execPath, [...process.execArgv, entry, 'all'], {
    stdio: ['ignore', 2, 2, 'ipc'],
    detached: true,
    windowsHide: true,
  })
  const closed = once(child, 'close').then(([code]) => Number(code))
  const ended = closed.finally(() => stopping.abort())
  // The service must not outlive this process, however it ends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => process.stdin.destroy())
  return {
    ended,
    signal: stopping.signal,
    stop: async () => {
      child.kill('SIGTERM')
      await closed
    },
  }
}
