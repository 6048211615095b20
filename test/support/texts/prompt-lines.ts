import type { Body } from '../requests/record-requests.ts'

/** The lines of records in the text of a prompt, without references: `2026-05-20 Orion (Service)`. */
export const listRecordLines = ({ text }: Body): string[] =>
  text.split('\n').flatMap((line: string) => /^- \[m:\w+\] (.*)$/.exec(line)?.slice(1) ?? [])

/** The same without dates. */
export const listStatements = (context: Body): string[] =>
  listRecordLines(context).map((line) => line.replace(/^[\d-]+ /, ''))
