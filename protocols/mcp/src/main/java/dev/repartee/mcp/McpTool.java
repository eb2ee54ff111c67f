package dev.repartee.mcp;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A public Java method that is a tool; see {@link McpServer.Builder#tools(Object)}. Its parameters are
 * the arguments, by the names and descriptions that {@link dev.repartee.Param} gives them; one may be
 * the {@link McpCall}.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface McpTool {
  /** What it does and when to use it, for a model. */
  String value();

  /** A name for people; none where empty. */
  String title() default "";

  /** Whether it changes nothing. */
  boolean readOnly() default false;

  /** Whether it may destroy something. */
  boolean destructive() default true;

  /** Whether calling it again with the same arguments changes nothing more. */
  boolean idempotent() default false;

  /** Whether it deals with what is outside of a closed domain. */
  boolean openWorld() default true;

  /** Whether its calls become tasks, as {@link Tool.Builder#tasks} has it. */
  Tool.TaskSupport tasks() default Tool.TaskSupport.FORBIDDEN;

  /** Whether it says itself when a call becomes a task, as {@link Tool.Builder#detaching} has it. */
  boolean detaching() default false;
}
