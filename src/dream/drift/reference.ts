/** Where to look: a path relative to each root, without `..`, and the names that the file must contain. */
export type FileTarget = { path: string; names: readonly string[]; roots: readonly string[] }

/** What a record names, and the words it uses. */
export type Reference = FileTarget & { kind: 'path' | 'symbol' | 'script'; reference: string }

/** `unknown`: the file could not be checked. */
export type Finding = 'found' | 'missing' | 'unknown'
