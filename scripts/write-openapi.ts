import { readFileSync, writeFileSync } from 'node:fs'
import { describeProduct } from './openapi-document.ts'
import { readArguments } from './script-arguments.ts'

const usage = `Usage: node scripts/write-openapi.ts [--check]

Writes openapi/openapi.json from the routes; with --check it only reports whether the file is up to date.`
const { values } = readArguments(usage, { options: { check: { type: 'boolean', default: false } } })

const file = new URL('../openapi/openapi.json', import.meta.url)
const document = await describeProduct()

if (!values.check) {
  writeFileSync(file, document)
} else if (readFileSync(file, 'utf8') !== document) {
  process.stderr.write('openapi/openapi.json is not up to date: run npm run openapi\n')
  process.exitCode = 1
}
