import { importFile } from '../files/foreign-files.ts'
import type { Answer, RequestOptions, TestApp } from '../test-app.ts'
import type { Body } from './record-requests.ts'

/** Exports records and returns the text and the parsed lines. */
export async function exportLines(app: TestApp, query = '', options: RequestOptions = {}) {
  const { status, text, body } = await app.request('GET', `/v1/export${query}`, options)
  if (status !== 200) throw new Error(`not exported: ${text}`)
  return { text, records: (body ?? []) as Body[] }
}

export type Imported = Answer & { reports: Body[]; summary: Body; loose: Body }

/** Imports lines, given as values or as text, and returns the answer with its reports. */
export async function importLines(
  app: TestApp,
  lines: string | readonly unknown[],
  options: RequestOptions & { query?: string } = {},
): Promise<Imported> {
  const text = typeof lines === 'string' ? lines : lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const { ending, ...answer } = await importFile(app, text, { ...options, type: 'application/x-ndjson' })
  return { ...answer, summary: ending?.summary, loose: ending?.loose_relations }
}

/** Removes the key that imported an entry: the one thing that an import adds to an audit log. */
export const removeImporter = (text: string) =>
  text
    .replaceAll(/,"via":\s*\{"imported_by":\s*\{[^}]*\}\}/g, '')
    .replaceAll(/,\s*"imported_by":\s*\{[^}]*\}/g, '')
