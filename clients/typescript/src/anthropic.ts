import { type File, renderDirectory } from './anthropic/listing.ts'
import { createDirectoryTag, listParents, resolvePath, root } from './anthropic/paths.ts'
import { insertLine, renderText, replaceOnce } from './anthropic/text.ts'
import type { Client } from './client.ts'
import { createNamedRecords, type Draft, type Named, type NamedOptions } from './named/named-records.ts'

export type MemoryToolOptions = NamedOptions

export type MemoryCommand =
  | { command: 'view'; path: string; view_range?: number[] }
  | { command: 'create'; path: string; file_text: string }
  | { command: 'str_replace'; path: string; old_str: string; new_str: string }
  | { command: 'insert'; path: string; insert_line: number; insert_text: string }
  | { command: 'delete'; path: string }
  | { command: 'rename'; old_path: string; new_path: string }

/** A handler for each command of `memory_20250818`. What a command refuses it throws, with a text for the model. */
export type MemoryToolHandlers = {
  [K in MemoryCommand['command']]: (
    command: Omit<Extract<MemoryCommand, { command: K }>, 'command'>,
  ) => Promise<string>
}

const source = 'memory_20250818'
const predicate = 'contains'

/** Files of the memory tool: each is the newest revision of a fact, whose subject is the path and whose object is the text. */
export function createMemoryTool(client: Client, options: MemoryToolOptions): MemoryToolHandlers {
  const records = createNamedRecords(client, source, options)

  async function findFile(path: string): Promise<(Named & File) | undefined> {
    const record = await records.find(path)
    return record && toFile(record)
  }

  async function listFiles(directory: string): Promise<(Named & File)[]> {
    const files = new Map<string, Named & File>()
    for await (const record of records.list(createDirectoryTag(directory))) {
      const file = toFile(record)
      // A file that is edited while the pages are read may be listed twice; the newest comes first.
      if (file?.path.startsWith(createDirectoryTag(directory)) && !files.has(file.path))
        files.set(file.path, file)
    }
    return [...files.values()]
  }

  async function isDirectory(path: string): Promise<boolean> {
    return path === root || (await records.findAny(createDirectoryTag(path))) !== undefined
  }

  async function requireFile(path: string): Promise<Named & File> {
    const resolved = resolvePath(path)
    const file = await findFile(resolved)
    if (file) return file
    if (await isDirectory(resolved)) throw new Error(`The path ${path} is not a file.`)
    throw new Error(`The path ${path} does not exist. Please provide a valid path.`)
  }

  async function requireDirectories(path: string): Promise<void> {
    const parents = listParents(path).filter((parent) => parent !== root)
    const files = await Promise.all(parents.map(findFile))
    const file = files.find((found) => found !== undefined)
    if (file) throw new Error(`The path ${file.path} is not a directory.`)
  }

  async function edit(file: Named & File, text: string, shownPath: string, rationale: string): Promise<void> {
    const isDone = await records.replace(file, draftFile(file.path, text), rationale)
    if (!isDone) throw createRaceError(shownPath)
  }

  async function move(file: Named & File, path: string, shownPath: string): Promise<void> {
    const outcome = await records.rename(file, draftFile(path, file.text), `renamed from ${file.path}`)
    if (outcome === 'taken') throw createTakenError(shownPath)
    if (outcome === 'changed') throw createRaceError(file.path)
  }

  return {
    async view({ path, view_range: range }) {
      const resolved = resolvePath(path)
      const file = resolved === root ? undefined : await findFile(resolved)
      if (file) return renderText(path, file.text, range)
      const files = await listFiles(resolved)
      if (files.length > 0 || resolved === root) return renderDirectory(resolved, path, files)
      throw new Error(`The path ${path} does not exist. Please provide a valid path.`)
    },

    async create({ path, file_text: text }) {
      const resolved = resolvePath(path)
      const [isTaken] = await Promise.all([isDirectory(resolved), requireDirectories(resolved)])
      if (isTaken || !(await records.create(draftFile(resolved, text)))) {
        throw new Error(`File ${path} already exists`)
      }
      return `File created successfully at: ${path}`
    },

    async str_replace({ path, old_str: old, new_str: replacement }) {
      const file = await requireFile(path)
      const { text, answer } = replaceOnce(path, file.text, old, replacement)
      await edit(file, text, path, 'edited with str_replace')
      return answer
    },

    async insert({ path, insert_line: line, insert_text: inserted }) {
      const file = await requireFile(path)
      const { text, answer } = insertLine(path, file.text, line, inserted)
      await edit(file, text, path, 'edited with insert')
      return answer
    },

    async delete({ path }) {
      const resolved = resolvePath(path)
      if (resolved === root) throw new Error(`Cannot delete the ${root} directory itself`)
      const file = await findFile(resolved)
      const files = file ? [file] : await listFiles(resolved)
      if (files.length === 0) throw new Error(`The path ${path} does not exist`)
      for (const each of files) {
        if (!(await records.retract(each, 'deleted'))) throw createRaceError(each.path)
      }
      return `Successfully deleted ${path}`
    },

    async rename({ old_path: oldPath, new_path: newPath }) {
      const from = resolvePath(oldPath)
      const to = resolvePath(newPath)
      if (from === root) throw new Error(`Cannot rename the ${root} directory itself`)
      if (to.startsWith(createDirectoryTag(from))) throw new Error(`Cannot move ${oldPath} into itself`)
      const [existing, file] = await Promise.all([findFile(to), findFile(from), requireDirectories(to)])
      if (existing || (await isDirectory(to))) throw createTakenError(newPath)
      const files = file ? [file] : await listFiles(from)
      if (files.length === 0) throw new Error(`The path ${oldPath} does not exist`)
      for (const each of files) await move(each, to + each.path.slice(from.length), newPath)
      return `Successfully renamed ${oldPath} to ${newPath}`
    },
  }
}

/** Runs a command by its name, for tools that pass the whole command to one function. */
export async function runMemoryCommand(
  handlers: MemoryToolHandlers,
  command: MemoryCommand,
): Promise<string> {
  switch (command.command) {
    case 'view':
      return handlers.view(command)
    case 'create':
      return handlers.create(command)
    case 'str_replace':
      return handlers.str_replace(command)
    case 'insert':
      return handlers.insert(command)
    case 'delete':
      return handlers.delete(command)
    case 'rename':
      return handlers.rename(command)
    default:
      throw new Error(
        `${String((command as { command: unknown }).command)} is not a command of the memory tool`,
      )
  }
}

function draftFile(path: string, text: string): Draft {
  return {
    tags: [path, ...listParents(path).map(createDirectoryTag)],
    subject: path,
    predicate,
    object: text,
  }
}

function toFile(record: Named): (Named & File) | undefined {
  const { subject, object } = record
  return typeof object === 'string' ? { ...record, path: subject, text: object } : undefined
}

function createTakenError(path: string): Error {
  return new Error(`The destination ${path} already exists`)
}

function createRaceError(path: string): Error {
  return new Error(
    `The file ${path} was changed or deleted by another client at the same moment, and this command changed nothing in it. View it and try again.`,
  )
}
