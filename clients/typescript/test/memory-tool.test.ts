import { mkdtemp, readdir, rm, rmdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { betaMemoryTool } from '@anthropic-ai/sdk/helpers/beta/memory'
import { BetaLocalFilesystemMemoryTool } from '@anthropic-ai/sdk/tools/memory/node'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { isLongRun } from '../../../test/support/long-run.ts'
import { createMemoryTool, type MemoryCommand, runMemoryCommand } from '../src/anthropic.ts'
import { startService } from './support/service.ts'

const service = await startService()
const folder = await mkdtemp(join(tmpdir(), 'membrane-memories-'))
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

let made = 0
/** The tool in a scope of its own. */
const createTool = () => createMemoryTool(service.client, { scope: `tool-${made++}` })

/** The tool of the package in a folder of its own. A directory is left only where a file is. */
async function createReference() {
  const base = join(folder, `${made++}`)
  const tool = await BetaLocalFilesystemMemoryTool.init(base)
  const run = async (command: MemoryCommand) => {
    const handler = betaMemoryTool(tool).run
    try {
      return await handler(command as Parameters<typeof handler>[0])
    } finally {
      await removeEmptyFolders(join(base, 'memories'))
    }
  }
  return run
}

async function removeEmptyFolders(path: string, isRoot = true): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true })) {
    if (entry.isDirectory()) await removeEmptyFolders(join(path, entry.name), false)
  }
  if (!isRoot && (await readdir(path)).length === 0) await rmdir(path)
}

const fileSystemError = 'refused'

/** The text that the model reads: an answer or an error. */
async function read(answer: Promise<unknown>): Promise<string> {
  try {
    return withoutFolderSizes(String(await answer))
  } catch (error) {
    const { message, code } = error as { message: string; code?: string }
    return code === undefined ? `refused: ${message}` : fileSystemError
  }
}

/** A folder of a file system has the size of its table of names. */
function withoutFolderSizes(answer: string): string {
  if (!answer.startsWith("Here're the files")) return answer
  const lines = answer.split('\n')
  const isFolder = (line: string, index: number) => index === 1 || line.endsWith('/')
  return lines.map((line, index) => (isFolder(line, index) ? line.replace(/^\S+/, '-') : line)).join('\n')
}

const names = fc.constantFrom('a.md', 'b', 'c c.txt', '.hidden', 'node_modules', 'ä')
const path = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.array(names, { maxLength: 4 }).map((parts) => ['/memories', ...parts].join('/')),
  },
  fc.constantFrom(
    '/memories/',
    '/memories/b/',
    '/memories/./b//a.md',
    '/memories/b/../a.md',
    '/memories/../../etc',
  ),
  fc.constantFrom('/etc/passwd', 'memories/a.md', '/memories/..', '/memories/b/../../..'),
)
const line = fc.constantFrom('one', 'two', '', 'one two', '\ttab', '$& $1', 'é — 漢字', '"quoted" \\n')
const text = fc.array(line, { maxLength: 5 }).map((lines) => lines.join('\n'))
const number = fc.integer({ min: -1, max: 6 })

const command: fc.Arbitrary<MemoryCommand> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ command: fc.constant('create' as const), path, file_text: text }) },
  fc.record(
    {
      command: fc.constant('view' as const),
      path,
      view_range: fc.tuple(number, number).map(([...range]) => range),
    },
    { requiredKeys: ['command', 'path'] },
  ),
  fc.record({ command: fc.constant('view' as const), path: fc.constant('/memories') }),
  fc.record({ command: fc.constant('str_replace' as const), path, old_str: line, new_str: text }),
  fc.record({ command: fc.constant('insert' as const), path, insert_line: number, insert_text: text }),
  fc.record({ command: fc.constant('delete' as const), path }),
  fc.record({ command: fc.constant('rename' as const), old_path: path, new_path: path }),
)

describe('the memory tool', () => {
  it('answers every sequence of commands as the tool of the package does', async () => {
    const sequence = fc.array(command, { minLength: 1, maxLength: 12 })
    const check = async (commands: MemoryCommand[]) => {
      const tool = createTool()
      const reference = await createReference()
      for (const each of commands) {
        const expected = await read(reference(each))
        const answer = await read(runMemoryCommand(tool, each))
        // The words of such an error are not those of the tool.
        if (expected === fileSystemError) expect(answer, JSON.stringify(each)).toMatch(/^refused/)
        else expect(answer, JSON.stringify(each)).toBe(expected)
      }
    }
    await fc.assert(fc.asyncProperty(sequence, check), { numRuns: isLongRun ? 150 : 6 })
  }, 120_000)

  it('finds text over several lines, which the tool of the package does not', async () => {
    const tool = createTool()
    const path = '/memories/list.md'
    await tool.create({ path, file_text: '# List\n- tea\n- milk\n\n# List\n- tea' })
    const twice = tool.str_replace({ path, old_str: '# List\n- tea', new_str: '' })
    await expect(twice).rejects.toThrow('in lines: 1, 5. Please ensure it is unique')
    const answer = await tool.str_replace({ path, old_str: '- tea\n- milk', new_str: '- tea\n- oat milk' })
    expect(answer).toContain('     3\t- oat milk')
    const absent = tool.str_replace({ path, old_str: '- a\n- b', new_str: '' })
    await expect(absent).rejects.toThrow('did not appear verbatim in /memories/list.md')
  })

  it('refuses every path outside /memories', async () => {
    const tool = createTool()
    for (const path of ['/', '/memoriesx/a', '/memories/..', '/memories/a/../../b', 'memories/a', '..']) {
      await expect(tool.create({ path, file_text: '' }), path).rejects.toThrow(/^Path /)
      await expect(tool.view({ path }), path).rejects.toThrow(/^Path /)
      await expect(tool.delete({ path }), path).rejects.toThrow(/^Path /)
      await expect(tool.rename({ old_path: '/memories/a', new_path: path }), path).rejects.toThrow(/^Path /)
    }
    const long = `/memories/${'x'.repeat(255)}`
    await expect(tool.create({ path: long, file_text: '' })).rejects.toThrow('longer than 255 characters')
  })

  it('keeps a text exactly as it is, and refuses what cannot be kept', async () => {
    const tool = createTool()
    const path = '/memories/exact'
    const kept = '\u{1F600} e\u0301\r\n\u200b password=hunter2 \\u0000 </memory>'
    await tool.create({ path, file_text: kept })
    expect(await tool.view({ path })).toContain(kept.split('\n')[0])
    const refused = tool.create({ path: '/memories/nul', file_text: 'a\0b' })
    await expect(refused).rejects.toMatchObject({ code: 'validation_failed' })
  })

  it('is apart in each scope', async () => {
    const one = createTool()
    const other = createTool()
    await one.create({ path: '/memories/a', file_text: 'one' })
    await expect(other.view({ path: '/memories/a' })).rejects.toThrow('does not exist')
    await other.create({ path: '/memories/a', file_text: 'other' })
    expect(await one.view({ path: '/memories/a' })).toContain('one')
  })
})
