import { describeProduct } from './openapi-document.ts'
import { readArguments } from './script-arguments.ts'
import { writeOrCheck } from './write-or-check.ts'

const usage = `Usage: node scripts/write-openapi.ts [--check]

Writes openapi/openapi.json from the routes; with --check it only reports whether the file is up to date.`
const { values } = readArguments(usage, { options: { check: { type: 'boolean', default: false } } })

writeOrCheck('openapi/openapi.json', await describeProduct(), values.check, 'npm run openapi')
