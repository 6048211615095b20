import { describeHeaders, toRequestPath } from './client.js'
import { rejectKey } from './key.js'
import { readProblem, Unreachable } from './problem.js'

/** @import { CallOptions } from './types.d.ts' */

/**
 * Sends a file of any size and reads the lines of the answer; empty ones say nothing. Not by fetch, which does not tell how
 * much is sent.
 * @param {string} path
 * @param {{ file: Blob, mediaType: string, query?: CallOptions['query'], signal: AbortSignal, onSent: (share: number) => void, onLine: (line: string) => void }} options
 * @returns {Promise<void>} resolves with the end of the answer; an answer that is not a success is thrown as a Problem
 */
export function upload(path, { file, mediaType, query, signal, onSent, onLine }) {
  const request = new XMLHttpRequest()
  const { promise, resolve, reject } = Promise.withResolvers()
  let read = 0
  /** @param {boolean} isOver */
  function readLines(isOver) {
    if (request.status !== 200) return
    const text = request.responseText
    for (let end = text.indexOf('\n', read); end >= 0; end = text.indexOf('\n', read)) {
      if (end > read) onLine(text.slice(read, end))
      read = end + 1
    }
    if (isOver && read < text.length) onLine(text.slice(read))
  }
  request.open('POST', toRequestPath(path, { query }))
  for (const [name, value] of Object.entries(
    describeHeaders('post', { headers: { 'content-type': mediaType } }, true),
  ))
    request.setRequestHeader(name, value)
  request.upload.onprogress = ({ loaded, total }) => onSent(total === 0 ? 1 : loaded / total)
  request.onprogress = () => readLines(false)
  request.onload = () => {
    if (request.status === 200) {
      readLines(true)
      resolve(undefined)
    } else readProblem(new Response(request.responseText, { status: request.status })).then(reject)
    if (request.status === 401) rejectKey()
  }
  request.onerror = () => reject(new Unreachable())
  request.onabort = () => reject(signal.reason)
  signal.addEventListener('abort', () => request.abort(), { once: true })
  request.send(file)
  return promise
}
