import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Body } from '../requests/record-requests.ts'
import type { Answer, RequestOptions, TestApp } from '../test-app.ts'

export function readFixture(name: string): Promise<Buffer> {
  return readFile(fileURLToPath(new URL(`../../portability/fixtures/${name}`, import.meta.url)))
}

export type ForeignImport = Answer & { reports: Body[]; ending: Body }

/** Imports a file of another program and returns the report. */
export async function importFile(
  app: TestApp,
  file: string | Uint8Array,
  {
    query = '',
    type = 'application/octet-stream',
    ...options
  }: RequestOptions & { query?: string; type?: string } = {},
): Promise<ForeignImport> {
  const answer = await app.request('POST', `/v1/import${query}`, {
    ...options,
    body: file,
    headers: { 'content-type': type, ...options.headers },
  })
  const lines = Array.isArray(answer.body) ? (answer.body as Body[]) : []
  return { ...answer, reports: lines.slice(0, -1), ending: lines.at(-1) }
}

/** The result of each line with its number, such as `3 invalid validation_failed`. */
export function listLineResults({ reports }: Pick<ForeignImport, 'reports'>): string[] {
  return reports.map(({ line, status, problem }) => `${line} ${status}${problem ? ` ${problem.code}` : ''}`)
}
