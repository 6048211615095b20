/** @import { ImportReport, ProblemBody, SeenRecord } from '../../api/types.d.ts' */

/** @typedef {{ created: number, unchanged: number, conflict: number, invalid: number }} Tally */
/** @typedef {Extract<ImportReport, { line: number }>} Line */

/**
 * @typedef {object} Report
 * @property {Tally | undefined} tally undefined until the last line
 * @property {Line[]} refused the first of them, with their reasons
 * @property {readonly SeenRecord[]} sample
 * @property {string | undefined} format
 * @property {number} looseRelations
 * @property {ProblemBody | undefined} problem what ended the import early
 */

const maxRefused = 200

/** @returns {Report} */
export function createEmptyReport() {
  return {
    refused: [],
    sample: [],
    looseRelations: 0,
    tally: undefined,
    format: undefined,
    problem: undefined,
  }
}

/** Adds a line of the answer. @param {Report} report @param {string} text */
export function addLine(report, text) {
  /** @type {ImportReport} */
  const entry = JSON.parse(text)
  if ('summary' in entry) {
    const { summary, format, sample = [], loose_relations: loose } = entry
    report.tally = summary
    report.format = format
    report.sample = sample.flatMap((record) => ('type' in record ? [record] : []))
    report.looseRelations = loose?.count ?? 0
  } else if ('line' in entry) {
    if (report.refused.length < maxRefused) report.refused.push(entry)
  } else report.problem = entry.problem
}

/** @param {Tally} tally */
export function countLines(tally) {
  return tally.created + tally.unchanged + tally.conflict + tally.invalid
}
