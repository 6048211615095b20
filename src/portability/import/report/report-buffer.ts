import { Readable } from 'node:stream'

/** About a hundred thousand lines. */
const maxBufferedBytes = 8 * 1_024 * 1_024

/**
 * Buffers a report for a client that still sends: many clients read nothing before they have sent everything. Its bytes are
 * limited, because a line of many faults takes a hundred times as much as one that was stored.
 */
export function bufferReport(report: AsyncIterable<string>): Readable {
  return Readable.from(report, { objectMode: false, highWaterMark: maxBufferedBytes })
}
