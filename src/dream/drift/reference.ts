/** Where to look: a path beneath each of the roots, never absolute and without `..`, and what the file must have. */
export type FileTarget = { path: string; names: readonly string[]; roots: readonly string[] }

/** What a record says there is beneath the roots, and how it puts it. */
export type Reference = FileTarget & { kind: 'path' | 'symbol' | 'script'; reference: string }

/** `unknown`: it could not be looked at, which says nothing about it. */
export type Finding = 'found' | 'missing' | 'unknown'
