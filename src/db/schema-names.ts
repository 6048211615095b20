/** The schema of a service without tenants, and of data that belong to no tenant. */
export const homeSchema = 'public'

/** Twelve characters that say nothing about the tenant. The schema and the keys of the tenant contain them. */
export const tenantReference = '[a-z2-7]{12}'

/** Never used again, because a reference is random: what still knows a dropped tenant finds nothing. */
export function nameSchema(reference: string): string {
  return `t_${reference}`
}
