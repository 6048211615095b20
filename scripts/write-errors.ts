import { describeErrors } from './errors-document.ts'
import { readArguments } from './script-arguments.ts'
import { writeOrCheck } from './write-or-check.ts'

const usage = `Usage: npm run errors -- [--check]

Writes docs/errors.md from the catalogue; with --check it only reports whether the file is up to date.`
const { values } = readArguments(usage, { options: { check: { type: 'boolean', default: false } } })

writeOrCheck('docs/errors.md', describeErrors(), values.check, 'npm run errors')
