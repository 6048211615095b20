import { readFileSync, writeFileSync } from 'node:fs'
import { describeErrors } from './errors-document.ts'
import { readArguments } from './script-arguments.ts'

const usage = `Usage: npm run errors -- [--check]

Writes docs/errors.md from the catalogue; with --check it only reports whether the file is up to date.`
const { values } = readArguments(usage, { options: { check: { type: 'boolean', default: false } } })

const file = new URL('../docs/errors.md', import.meta.url)
const document = describeErrors()

if (!values.check) {
  writeFileSync(file, document)
} else if (readFileSync(file, 'utf8') !== document) {
  process.stderr.write('docs/errors.md is not up to date: run npm run errors\n')
  process.exitCode = 1
}
