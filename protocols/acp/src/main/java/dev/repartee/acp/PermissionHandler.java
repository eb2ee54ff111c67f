package dev.repartee.acp;

import dev.repartee.acp.types.RequestPermissionOutcome;

/** Decides whether an agent may run a tool. */
@FunctionalInterface
public interface PermissionHandler {
  /**
   * Returns the choice of the user, such as {@link PermissionQuestion#allow} or {@link
   * PermissionQuestion#reject}. Runs on a separate thread and may wait for the user. If the turn is
   * cancelled meanwhile, the agent is answered with {@code cancelled} immediately, and the result
   * is dropped.
   *
   * @throws Exception any failure; the agent gets an internal error without details
   */
  RequestPermissionOutcome ask(PermissionQuestion question) throws Exception;
}
