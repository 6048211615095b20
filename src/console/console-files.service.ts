import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { formatImportMap, formatPage, formatPolicy, type ImportMap, removeComments } from './console-page.ts'

/** A file that is served: its media type and its content, which is compressed with the first request for an encoding. */
export type ConsoleFile = { type: string; encode(encoding: Encoding): Promise<Buffer> }
export type Encoding = 'br' | 'gzip' | 'identity'

export type ConsoleContent = {
  /** A digest of all files: it is part of their addresses, so that each address always has the same content. */
  version: string
  files: ReadonlyMap<string, ConsoleFile>
  page: string
  policy: string
  /** The names of the pages, which are the first part of an address below /console. */
  pages: ReadonlySet<string>
}

/** Opens the files of the console. They are read once, with the first request for one. */
export function createConsoleFiles() {
  let content: Promise<ConsoleContent> | undefined
  return {
    read: (): Promise<ConsoleContent> => {
      content ??= readContent().catch((error: unknown) => {
        content = undefined
        throw error
      })
      return content
    },
  }
}

export type ConsoleFiles = ReturnType<typeof createConsoleFiles>

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

type PackageFile = { specifier?: string; file: string; neededBy?: string }

/** The files of packages that the browser needs. A package without a specifier is a style sheet. */
const packages: Readonly<Record<string, readonly PackageFile[]>> = {
  preact: [
    { specifier: 'preact', file: 'dist/preact.mjs' },
    { specifier: 'preact/hooks', file: 'hooks/dist/hooks.mjs' },
  ],
  htm: [{ specifier: 'htm', file: 'dist/htm.module.js' }],
  '@preact/signals': [{ specifier: '@preact/signals', file: 'dist/signals.mjs' }],
  '@preact/signals-core': [
    { specifier: '@preact/signals-core', file: 'dist/signals-core.mjs', neededBy: '@preact/signals' },
  ],
  uplot: [{ specifier: 'uplot', file: 'dist/uPlot.esm.js' }, { file: 'dist/uPlot.min.css' }],
  'd3-force': [{ specifier: 'd3-force', file: 'dist/d3-force.mjs' }],
  'd3-quadtree': [{ specifier: 'd3-quadtree', file: 'dist/d3-quadtree.mjs', neededBy: 'd3-force' }],
  'd3-dispatch': [{ specifier: 'd3-dispatch', file: 'dist/d3-dispatch.mjs', neededBy: 'd3-force' }],
  'd3-timer': [{ specifier: 'd3-timer', file: 'dist/d3-timer.mjs', neededBy: 'd3-force' }],
}

/** Plots and graphs are loaded by the pages that draw one. */
const loadedOnDemand = /^packages\/(?:uplot|d3-)|^browser\/(?:pages|plots)\//

async function readContent(): Promise<ConsoleContent> {
  const own = await readOwnFiles()
  const { imports, contents } = await readPackages()
  const texts = new Map([...own, ...contents])
  const version = computeDigest([...texts].flat())
  const base = `/console/files/${version}`
  const importMap = formatImportMap({ base, imports })
  const modules = [...texts.keys()].filter((name) => /\.m?js$/.test(name) && !loadedOnDemand.test(name))
  const styles = [...texts.keys()].filter((name) => name.endsWith('.css'))
  return {
    version,
    files: new Map(Array.from(texts, ([name, text]) => [name, createFile(name, text)])),
    page: formatPage({ base, imports, styles, modules }),
    policy: formatPolicy(createHash('sha256').update(importMap).digest('base64')),
    pages: new Set(
      [...texts.keys()].flatMap((name) => /^browser\/pages\/([a-z]+)\.page\.js$/.exec(name)?.[1] ?? []),
    ),
  }
}

type Texts = readonly (readonly [name: string, text: Buffer])[]

async function readOwnFiles(): Promise<Texts> {
  const folder = join(import.meta.dirname, 'browser')
  const names = (await readdir(folder, { recursive: true })).filter((name) => extname(name) in types).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8')
      return [`browser/${name.replaceAll('\\', '/')}`, Buffer.from(removeComments(text))] as const
    }),
  )
}

async function readPackages(): Promise<{ imports: ImportMap; contents: Texts }> {
  const requested = Object.entries(packages).flatMap(([name, files]) =>
    files.map((file) => ({
      ...file,
      path: `packages/${name}/${file.file}`,
      folder: findPackage(name, file.neededBy),
    })),
  )
  const contents = requested.map(
    async ({ path, folder, file }) => [path, await readFile(join(folder, file))] as const,
  )
  const imports = requested.flatMap(({ specifier, path }) =>
    specifier === undefined ? [] : [[specifier, path] as const],
  )
  return { imports: Object.fromEntries(imports), contents: await Promise.all(contents) }
}

/** A package that another one needs is looked up from there: npm may install it below it. */
function findPackage(name: string, neededBy?: string): string {
  const base =
    neededBy === undefined ? fileURLToPath(import.meta.url) : join(findPackage(neededBy), 'package.json')
  const manifest = findPackageJSON(name, base)
  if (manifest === undefined) throw new Error(`the package ${name} is not installed`)
  return dirname(manifest)
}

const brotli = promisify(brotliCompress)
const gzipAsync = promisify(gzip)
/** Level 11 takes ten times as long for 4 % less. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

const encoders: Readonly<Record<Encoding, (text: Buffer) => Promise<Buffer>>> = {
  br: (text) => brotli(text, brotliOptions),
  gzip: (text) => gzipAsync(text, { level: 9 }),
  identity: async (text) => text,
}

function createFile(name: string, text: Buffer): ConsoleFile {
  const encoded = new Map<Encoding, Promise<Buffer>>()
  return {
    type: types[extname(name)] ?? 'application/octet-stream',
    encode(encoding) {
      const known = encoded.get(encoding) ?? encoders[encoding](text)
      encoded.set(encoding, known)
      return known
    },
  }
}

function computeDigest(parts: readonly (string | Buffer)[]): string {
  const hash = createHash('sha256')
  // The length separates the parts: without it, a letter could move from a name to its content unseen.
  for (const part of parts) hash.update(`${part.length}:`).update(part)
  return hash.digest('base64url').slice(0, 16)
}
