/** The name under which a module imports a package, and the file that it gets. */
export type ImportMap = Readonly<Record<string, string>>

export type PageParts = {
  /** Where the files of this version are served, without a slash at the end. */
  base: string
  imports: ImportMap
  styles: readonly string[]
  /** Modules that every page needs: the browser loads them at once, not one import after the other. */
  modules: readonly string[]
}

/** The import map as the page contains it. The policy of the page allows this text and no other inline script. */
export function formatImportMap({ base, imports }: Pick<PageParts, 'base' | 'imports'>): string {
  const addresses = Object.entries(imports).map(([name, file]) => [name, `${base}/${file}`])
  return JSON.stringify({ imports: Object.fromEntries(addresses) })
}

/** The page is the same for every address below /console and for every reader: it holds no content. */
export function formatPage(parts: PageParts): string {
  const { base, styles, modules } = parts
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Membrane</title>
<link rel="icon" type="image/svg+xml" href="${base}/browser/icon.svg">
${styles.map((file) => `<link rel="stylesheet" href="${base}/${file}">`).join('\n')}
<script type="importmap">${formatImportMap(parts)}</script>
${modules.map((file) => `<link rel="modulepreload" href="${base}/${file}">`).join('\n')}
<script type="module" src="${base}/browser/main.js"></script>
</head>
<body>
<noscript>The console needs JavaScript. Everything that it shows is in the API: see /docs.</noscript>
</body>
</html>
`
}

/**
 * Scripts, styles, pictures and requests of this server only. Memory content is text for the page: even if a mistake made
 * it markup, the policy runs no script in it, and trusted types refuse the assignment.
 */
export function formatPolicy(importMapDigest: string): string {
  return [
    "default-src 'none'",
    "base-uri 'none'",
    "connect-src 'self'",
    "font-src 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "img-src 'self'",
    "object-src 'none'",
    `script-src 'self' 'sha256-${importMapDigest}'`,
    "style-src 'self'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

/**
 * Comments that have lines of their own are a fifth of what would be sent. Their lines stay, empty, so that an error in
 * the browser names the line of the file. Of the others, only those that name a type are removed.
 */
export function removeComments(text: string): string {
  return text
    .replace(/^[ \t]*\/\*(?:(?!\*\/)[\s\S])*\*\/[ \t]*$/gm, (comment) =>
      '\n'.repeat(comment.split('\n').length - 1),
    )
    .replace(/^[ \t]*\/\/.*$/gm, '')
    .replace(/\/\*\* @type \{.{1,300}?\} \*\/ ?/g, '')
}
