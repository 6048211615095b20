import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { AppError, type ErrorCode } from '../../kernel/errors.ts'
import { isDraining } from '../bodies/request-drain.ts'
import { isSlowRequestAllowed } from '../bodies/streaming.ts'
import { getHttpStatus, problemType, toProblem } from './problems.ts'

const refusals: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The headers are larger than this server accepts.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time.'],
}

type PendingSocket = { _httpMessage?: { headersSent: boolean } }

/**
 * Answers input that never became a request: broken HTTP, headers that are too large, a client slower than the
 * timeout. There is no reply object yet, so the answer is written by hand, and the connection is closed after it.
 */
export function answerBrokenRequest(
  error: Error & { code?: string },
  socket: Socket,
  requestId: string,
): void {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && (isSlowRequestAllowed(socket) || isDraining(socket)))
    return
  const isAnswering = (socket as PendingSocket)._httpMessage?.headersSent ?? false
  if (error.code === 'ECONNRESET' || !socket.writable || isAnswering) return void socket.destroy(error)
  const [code, message] = refusals[error.code ?? ''] ?? ['malformed_request', 'This is not valid HTTP.']
  const body = JSON.stringify(toProblem(new AppError(code, message), requestId))
  const status = getHttpStatus(code)
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${problemType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
}
