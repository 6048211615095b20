import type { Body } from './record-requests.ts'
import type { Answer, Asked, TestApp } from './test-app.ts'

/** The lines of an export, as text and as what they hold. */
export async function exportLines(app: TestApp, query = '', asked: Asked = {}) {
  const { status, text, body } = await app.request('GET', `/v1/export${query}`, asked)
  if (status !== 200) throw new Error(`not exported: ${text}`)
  return { text, records: (body ?? []) as Body[] }
}

export type Imported = Answer & { reports: Body[]; summary: Body; loose: Body }

/** Lines given as what they hold, or as text. */
export async function importLines(
  app: TestApp,
  lines: string | readonly unknown[],
  { query = '', ...asked }: Asked & { query?: string } = {},
): Promise<Imported> {
  const text = typeof lines === 'string' ? lines : lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const answer = await app.request('POST', `/v1/import${query}`, {
    ...asked,
    body: text,
    headers: { 'content-type': 'application/x-ndjson', ...asked.headers },
  })
  const reports = Array.isArray(answer.body) ? (answer.body as Body[]) : []
  const last = reports.at(-1)
  return { ...answer, reports: reports.slice(0, -1), summary: last?.summary, loose: last?.loose_relations }
}

/** What became of each line, by its number. */
export function fatesOf({ reports }: Imported): string[] {
  return reports.map(({ line, status, problem }) => `${line} ${status}${problem ? ` ${problem.code}` : ''}`)
}

/** The key that imports an entry is the one thing that an import adds to a log. */
export const withoutImporter = (text: string) =>
  text
    .replaceAll(/,"via":\s*\{"imported_by":\s*\{[^}]*\}\}/g, '')
    .replaceAll(/,\s*"imported_by":\s*\{[^}]*\}/g, '')
