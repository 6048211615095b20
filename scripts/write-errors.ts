import { readFileSync, writeFileSync } from 'node:fs'
import { describeErrors } from './errors-document.ts'

/** Writes docs/errors.md from the catalogue; with --check it only reports whether the file is up to date. */
const file = new URL('../docs/errors.md', import.meta.url)
const document = describeErrors()

if (!process.argv.includes('--check')) {
  writeFileSync(file, document)
} else if (readFileSync(file, 'utf8') !== document) {
  process.stderr.write('docs/errors.md is not up to date: run npm run errors\n')
  process.exitCode = 1
}
