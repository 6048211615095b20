import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { listFiles, readSource, root } from './source-files.ts'

const pages = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'clients/typescript/README.md'].concat(
  listFiles('docs', '.md'),
)

test('every link between the pages leads to a file and to a heading of it', () => {
  const links = pages.flatMap((page) => readLinks(page).map((link) => ({ page, link })))
  expect(links.length).toBeGreaterThan(100)
  expect(links.filter(({ page, link }) => !leadsSomewhere(page, link))).toEqual([])
})

test('the README names every page of docs/', () => {
  const named = readLinks('README.md').map((link) => link.replace(/#.*/, ''))
  const unnamed = listFiles('docs', '.md').filter(
    (page) => !named.includes(page) && !page.startsWith('docs/decisions/') && page !== 'docs/citus.md',
  )
  expect(unnamed).toEqual([])
})

/** The targets of the links to other pages, outside of code. */
function readLinks(page: string): string[] {
  const targets = [...removeCode(readSource(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(
    ([, target]) => target ?? '',
  )
  return targets.filter((target) => !/^(https?|mailto):/.test(target))
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', heading] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(root, target))) return false
  return heading === undefined || !target.endsWith('.md') || listAnchors(target).includes(heading)
}

/** The anchors that GitHub gives to the headings of a page. */
function listAnchors(page: string): string[] {
  const headings = removeCode(readSource(page)).match(/^#+ .*$/gm) ?? []
  return headings.map((heading) =>
    heading
      .replace(/^#+ /, '')
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

function removeCode(text: string): string {
  return text.replace(/^(`{3,}).*\n[\s\S]*?^\1$/gm, '')
}
