import { readFileSync, writeFileSync } from 'node:fs'
import { describeProduct } from './openapi-document.ts'

/** Writes openapi/openapi.json from the routes; with --check it only reports whether the file is up to date. */
const file = new URL('../openapi/openapi.json', import.meta.url)
const document = await describeProduct()

if (!process.argv.includes('--check')) {
  writeFileSync(file, document)
} else if (readFileSync(file, 'utf8') !== document) {
  process.stderr.write('openapi/openapi.json is not up to date: run npm run openapi\n')
  process.exitCode = 1
}
