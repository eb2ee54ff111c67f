package dev.repartee.a2a.types;

/**
 * The organization behind an agent (section 4.4.2).
 *
 * @param url its website
 * @param organization its name
 */
public record AgentProvider(String url, String organization) {}
