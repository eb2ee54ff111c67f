package dev.repartee.mcp.types;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Marks records that {@link McpBinder} writes in the form of the MCP schemas. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@interface Wired {}
