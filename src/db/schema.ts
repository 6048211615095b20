export type DB = Record<never, never>
