/** Who writes a message, by the role that a client names. Clients have several words for one role. */

/** In lower case. */
export const assistantRoles: readonly string[] = ['assistant', 'ai', 'bot', 'model', 'agent']

export function isAssistant(role: string | undefined): boolean {
  return role !== undefined && assistantRoles.includes(role.toLowerCase())
}

export function isTool(role: string | undefined): boolean {
  return role !== undefined && /^(?:tool|function)$/i.test(role)
}

/** The application that gives a model its instructions. */
export function isSystem(role: string | undefined): boolean {
  return role !== undefined && /^(?:system|developer)$/i.test(role)
}

/** Whether a program wrote it and no person or model. */
export function isToolOrSystem(role: string | undefined): boolean {
  return isTool(role) || isSystem(role)
}
