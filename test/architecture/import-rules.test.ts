import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cruise, type ICruiseResult } from 'dependency-cruiser'
import extractOptions from 'dependency-cruiser/config-utl/extract-depcruise-options'
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { plantedViolations, validFiles } from './planted-violations.ts'
import { root } from './source-files.ts'

const folders = ['src', 'migrations', 'clients/typescript/src']

async function cruiseTree(directory: string): Promise<ICruiseResult> {
  const options = await extractOptions(join(root, '.dependency-cruiser.cjs'))
  const tsConfig = extractTsConfig(join(directory, 'tsconfig.json'))
  const { output } = await cruise(
    folders,
    { ...options, baseDir: directory, validate: true },
    {},
    { tsConfig },
  )
  if (typeof output === 'string') throw new Error('the cruise answered text where a result was asked for')
  return output
}

/** `npm run arch` asks the same of the product. */
describe('a planted violation', () => {
  let tree: string
  let caught: Set<string>
  let rules: string[]

  beforeAll(async () => {
    tree = await mkdtemp(join(tmpdir(), 'arrows-'))
    const files = {
      ...validFiles,
      ...Object.fromEntries(plantedViolations.map(({ file, text }) => [file, text])),
    }
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(tree, file)), { recursive: true })
      await writeFile(join(tree, file), text)
    }
    await symlink(join(root, 'node_modules'), join(tree, 'node_modules'))
    const { summary } = await cruiseTree(tree)
    caught = new Set(summary.violations.map(({ rule, from }) => `${rule.name} in ${from}`))
    rules = (summary.ruleSetUsed?.forbidden ?? []).map((rule) => rule.name ?? '')
  })
  afterAll(() => rm(tree, { recursive: true, force: true }))

  test('of every rule is found in its file', () => {
    const expected = plantedViolations.map(({ rule, file }) => `${rule} in ${file}`)
    expect(expected.filter((entry) => !caught.has(entry))).toEqual([])
  })

  test('exists for every rule', () => {
    expect(rules.length).toBeGreaterThan(20)
    expect(new Set(plantedViolations.map((planting) => planting.rule))).toEqual(new Set(rules))
  })

  test('is the only violation that is found', () => {
    const planted = new Set(plantedViolations.map((planting) => planting.file))
    const blamed = [...caught].map((entry) => entry.split(' in ')[1] ?? '')
    expect(blamed.filter((file) => !planted.has(file))).toEqual([])
  })
})
