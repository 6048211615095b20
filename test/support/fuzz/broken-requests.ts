import type { Operation } from '../http/openapi-operations.ts'
import type { FuzzTargets } from './compose-request.ts'
import type { HostileRequest } from './hostile-request.ts'

type Broken = { bytes: string; hangsUp?: boolean }

/**
 * Builds a request that no client library sends: two lengths, no host, a line that ends early, a wrong chunk size.
 */
export function buildBrokenRequest({ name, method, path }: Operation, ground: FuzzTargets): HostileRequest {
  const { random } = ground
  const target = path.replaceAll(/\{\w+\}/g, () => ground.id())
  const head = `Host: localhost\r\nConnection: close\r\nAuthorization: Bearer ${ground.key()}\r\nContent-Type: application/json\r\n`
  const { bytes, hangsUp = false } = random.pick(waysToBreak)(`${method} ${target}`, head)
  return { operation: name, method, target, headers: [], broken: Buffer.from(bytes, 'latin1'), hangsUp }
}

const waysToBreak: readonly ((line: string, head: string) => Broken)[] = [
  (line, head) => ({
    bytes: `${line} HTTP/1.1\r\n${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  }),
  (line, head) => ({ bytes: `${line} HTTP/1.1\r\n${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{} ` }),
  (line, head) => ({ bytes: `${line} HTTP/1.1\r\n${head}Content-Length: -1\r\n\r\n{}` }),
  (line, head) => ({
    bytes: `${line} HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
  }),
  (line, head) => ({ bytes: `${line} HTTP/1.1\r\n${head}Transfer-Encoding: gzip\r\n\r\n{}` }),
  (line, head) => ({ bytes: `${line} HTTP/1.1\r\n${head}Bad Name: x\r\n\r\n` }),
  (line, head) => ({ bytes: `${line} HTTP/1.1\r\n${head}X-Split: a\rb\r\n\r\n` }),
  (line, head) => ({ bytes: `${line} HTTP/1.1\r\n${head}X-Nul: a\0b\r\n\r\n` }),
  (line, head) => ({ bytes: `${line} HTTP/9.9\r\n${head}\r\n` }),
  (line) => ({ bytes: `${line} HTTP/1.1\r\nConnection: close\r\n\r\n` }),
  (line) => ({ bytes: `${line}\r\n\r\n` }),
  (line, head) => ({ bytes: `${line} with spaces HTTP/1.1\r\n${head}\r\n` }),
  (_, head) => ({ bytes: `BREW /coffee HTTP/1.1\r\n${head}\r\n` }),
  (_, head) => ({ bytes: `TRACE / HTTP/1.1\r\n${head}\r\n` }),
  (_, head) => ({
    bytes: `GET http://elsewhere.example/v1/records HTTP/1.1\r\n${head}\r\n`,
  }),
  // Node closes the connection without an answer.
  (_, head) => ({ bytes: `CONNECT elsewhere.example:443 HTTP/1.1\r\n${head}\r\n`, hangsUp: true }),
  (_, head) => ({ bytes: `OPTIONS * HTTP/1.1\r\n${head}\r\n` }),
  () => ({ bytes: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' }),
  () => ({ bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' }),
  () => ({ bytes: '\0'.repeat(2_000) }),
  (line, head) => ({ bytes: `${line} HTTP/1.1\r\n${head}Content-Length: 4000\r\n\r\n{"a":`, hangsUp: true }),
  (line, head) => ({
    bytes: `${line} HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a"`,
    hangsUp: true,
  }),
  (line) => ({ bytes: `${line} HTTP/1.1\r\nHost: loc`, hangsUp: true }),
]
