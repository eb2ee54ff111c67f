package dev.repartee.agents;

import dev.repartee.json.Json;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Does tasks: an MCP server, a JSON-RPC service, a Java lambda, or a plan of other agents.
 *
 * <p>Implementations are thread-safe, and any number of tasks may run at the same time.
 */
public interface Agent extends AutoCloseable {
  /** Returns the name by which plans call this agent. */
  String name();

  /** Returns a description for people and models; empty if there is none. */
  String description();

  /**
   * Returns the declared skills, in the order of the agent. Empty if the agent declares none: then
   * it may still accept tasks.
   */
  List<Skill> skills();

  /**
   * Starts a task and does not wait for it. Cancelling the future cancels the task at the agent.
   *
   * @return the future output. It fails with {@link AgentException}, or with the exception of the
   *     protocol, which {@link Failure#of} explains
   */
  CompletableFuture<Json> run(Task task);

  /**
   * Ends the connections and processes of this agent, and its running tasks. Waits until they have
   * ended, for a bounded time.
   */
  @Override
  default void close() {}

  /** Returns whether the agent declares a skill of that name. */
  default boolean has(String skill) {
    return skills().stream().anyMatch(declared -> declared.name().equals(skill));
  }
}
