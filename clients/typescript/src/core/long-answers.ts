import type { Schemas } from './operations.ts'
import { ConnectionError } from './problem.ts'
import { readEvents, readLines, type ServerEvent } from './streams.ts'
import type { OutgoingRequest, Transport } from './transport.ts'

type Run = Schemas['MaintenanceRun']

/** The values of an answer in lines. One that breaks is not started again: what was read of it would come twice. */
export async function* streamValues(
  send: Transport,
  request: OutgoingRequest,
): AsyncGenerator<unknown, void> {
  const lines = await openLines(send, request)
  for await (const line of lines) if (line.trim() !== '') yield JSON.parse(line)
}

/**
 * The states of a run until it ends. Where a stream ends or breaks before that, a new one continues; no state comes twice in a
 * row.
 */
export async function* followRun(
  send: Transport,
  request: OutgoingRequest & { retries: number },
): AsyncGenerator<Run, void> {
  let shown: string | undefined
  for (let broken = 0; broken <= request.retries; broken++) {
    const lines = await openLines(send, request)
    for await (const { event, data } of untilBroken(readEvents(lines))) {
      if (data !== shown) yield JSON.parse(data)
      if (event === 'finished') return
      // A stream that brings something new is a working one.
      if (data !== shown) broken = 0
      shown = data
    }
  }
  throw new ConnectionError(request.operation, new Error('the stream ended before the run'))
}

async function* untilBroken(events: AsyncIterable<ServerEvent>): AsyncGenerator<ServerEvent, void> {
  try {
    yield* events
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error
  }
}

/** A failure before the first line is thrown here, a later one by the generator. */
async function openLines(send: Transport, request: OutgoingRequest): Promise<AsyncGenerator<string, void>> {
  const { response, deadline } = await send(request, async (response, deadline) => ({ response, deadline }))
  return (async function* () {
    try {
      yield* readLines(response, deadline)
    } catch (error) {
      if (request.signal?.aborted) throw request.signal.reason
      throw new ConnectionError(request.operation, deadline.signal.aborted ? deadline.signal.reason : error)
    } finally {
      deadline.end()
    }
  })()
}
