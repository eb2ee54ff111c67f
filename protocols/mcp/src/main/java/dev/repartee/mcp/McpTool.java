package dev.repartee.mcp;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a public Java method as a tool; see {@link McpServer.Builder#tools(Object)}. The parameters
 * of the method are the arguments of the tool, with the names and descriptions of {@link
 * dev.repartee.Param}. A parameter of type {@link McpCall} receives the call. {@link
 * dev.repartee.access.Allow} restricts the callers of the tool; {@code tools/list} shows the tool to
 * all clients.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface McpTool {
  /** The description for the model: the purpose of the tool, and when to use it. */
  String value();

  /** The display name; empty for none. */
  String title() default "";

  /** {@code readOnlyHint}: true if the tool makes no changes. */
  boolean readOnly() default false;

  /** {@code destructiveHint}: true if the changes of the tool may be destructive. */
  boolean destructive() default true;

  /**
   * {@code idempotentHint}: true if a repeated call with the same arguments has no further effect.
   */
  boolean idempotent() default false;

  /** {@code openWorldHint}: true if the tool deals with an open world, such as the web. */
  boolean openWorld() default true;

  /** Whether calls become tasks; see {@link Tool.Builder#tasks}. */
  Tool.TaskSupport tasks() default Tool.TaskSupport.FORBIDDEN;

  /** True if the method decides when a call becomes a task; see {@link Tool.Builder#detaching}. */
  boolean detaching() default false;
}
