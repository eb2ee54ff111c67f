package dev.repartee.mcp;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A record with a form of its own on the wire, which {@link McpBinder} writes. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@interface Wired {}
