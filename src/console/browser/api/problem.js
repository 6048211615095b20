/** @import { ProblemBody } from './types.d.ts' */

/** An answer of the API that is not a success. The texts are the service's own, written for people. */
export class Problem extends Error {
  /** @param {Pick<ProblemBody, 'status' | 'code' | 'title' | 'detail'> & Partial<ProblemBody>} body */
  constructor(body) {
    super(body.detail)
    this.name = 'Problem'
    this.status = body.status
    /** @type {string} */
    this.code = body.code
    this.title = body.title
    this.requestId = body.request_id
    this.faults = body.errors ?? []
  }
}

/** The server cannot be reached, or the connection broke. */
export class Unreachable extends Error {
  constructor() {
    super('The server does not answer. Check that Membrane runs and that this machine reaches it.')
    this.name = 'Unreachable'
  }
}

/**
 * Reads a problem document; a proxy in front of the service may answer something else.
 * @param {Response} response
 */
export async function readProblem(response) {
  const text = await response.text()
  try {
    return new Problem(JSON.parse(text))
  } catch {
    const title = response.statusText || `Status ${response.status}`
    const detail = `The server answered ${response.status} without an explanation.`
    return new Problem({ status: response.status, code: 'internal_error', title, detail })
  }
}

/**
 * Describes a failure to a person: one sentence, and every place that is wrong.
 * @param {unknown} error
 * @returns {string}
 */
export function describeProblem(error) {
  if (error instanceof Problem) {
    // The service speaks of a header, which a person has not written.
    if (error.code === 'version_mismatch') return 'The record has changed. Cancel to see it as it is now.'
    const faults = error.faults.map(({ pointer, message }) => `${pointer.replace(/^[?/]/, '')} ${message}`)
    return [error.message, ...faults].join(' · ')
  }
  return error instanceof Error ? error.message : 'Something went wrong.'
}
