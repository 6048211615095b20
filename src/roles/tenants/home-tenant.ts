import { homeSchema } from '../../db/schema-names.ts'
import type { RequestTenant } from '../../http/auth/tenancy.ts'

/** Stands for the data that belong to no tenant. */
export const homeTenant: RequestTenant = { id: homeSchema, reference: undefined, server_url: null }
