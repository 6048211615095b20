import { readFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { verifyLoad } from '../support/checks/verify-load.ts'
import { openFaultEnvironment } from '../support/processes/fault-environment.ts'
import { until } from '../support/processes/processes.ts'
import { startLoad } from '../support/requests/client-load.ts'

const slow = 500

it('requests are served while 500 clients send a byte a second and 500 read nothing', async () => {
  const { processes, url } = await openFaultEnvironment({
    apis: 1,
    variables: { MEMBRANE_REQUEST_TIMEOUT: '5s' },
  })
  const [api = ''] = processes.urls
  const { ledger, end } = startLoad(processes.urls, 8)
  await sleep(2_000)
  const before = await measure(api)
  const senders = await openSome(api, 'POST /v1/records HTTP/1.1\r\nhost: here\r\nx-slow: ')
  const readers = await openSome(api, 'GET /openapi.json HTTP/1.1\r\nhost: here\r\n\r\n'.repeat(5))
  for (const reader of readers) reader.pause()
  const dripping = setInterval(() => {
    for (const sender of senders) if (sender.writable) sender.write('a')
  }, 1_000)
  const during = { ...(await measure(api)), megabytes: await processes.memoryOf(0) }
  await until('the slow senders to be sent away', () => senders.every(hasGone), 60_000)
  clearInterval(dripping)
  const began = performance.now()
  await end()
  const left = await until('no open request', () => countOpen(api).then((open) => open === 0), 300_000)
  expect(left).toBe(true)
  const seconds = Math.round((performance.now() - began) / 1_000)
  const after = { ...(await measure(api)), megabytes: await processes.memoryOf(0) }
  expect(during.served).toBe(before.served)
  for (const reader of readers) reader.destroy()
  process.stdout.write(
    `  a read takes ${before.ms} ms, ${during.ms} ms among ${2 * slow} slow clients, ${after.ms} ms after; the API has ${during.megabytes} MB, then ${after.megabytes}; those that read nothing are gone ${seconds} s later\n`,
  )
  await verifyLoad(`${2 * slow} slow clients`, url, processes, ledger)
})

const hasGone = (socket: Socket) => socket.readableEnded || socket.closed

function openSome(url: string, greeting: string): Promise<Socket[]> {
  const port = Number(new URL(url).port)
  return Promise.all(
    Array.from({ length: slow }, async () => {
      const socket = await open(port)
      socket.write(greeting)
      return socket
    }),
  )
}

/** The connections that the server still has open, as the system counts them. */
async function countOpen(url: string): Promise<number> {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0')
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/))
  return lines.filter(([, local, , state]) => local === `0100007F:${port}` && state === '01').length
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.resume()
  await new Promise<void>((resolve) => socket.once('connect', resolve))
  return socket
}

/** The median of some reads in sequence. */
async function measure(url: string): Promise<{ served: number; ms: number }> {
  const times: number[] = []
  for (let nth = 0; nth < 30; nth++) {
    const began = performance.now()
    const answer = await fetch(`${url}/v1/records?limit=10`)
    await answer.text()
    if (answer.ok) times.push(performance.now() - began)
  }
  times.sort((one, other) => one - other)
  return { served: times.length, ms: Math.round(times[times.length >> 1] ?? 0) }
}
