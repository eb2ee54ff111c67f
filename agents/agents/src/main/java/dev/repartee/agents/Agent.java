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
  /** Returns the name of this agent in plans. */
  String name();

  /** Returns a description for people and models; empty if there is none. */
  String description();

  /**
   * Returns the declared skills, in the order of the agent. An agent without declared skills may
   * still accept tasks.
   */
  List<Skill> skills();

  /**
   * Starts a task without waiting for it. Cancelling the future cancels the task at the agent.
   *
   * @return the future output. It fails with {@link AgentException} or with an exception of the
   *     protocol; {@link Failure#of} converts both
   */
  CompletableFuture<Json> run(Task task);

  /**
   * Cancels the running tasks, and ends the connections and processes of this agent. Waits for
   * their end for a bounded time.
   */
  @Override
  default void close() {}

  /** Returns whether the agent declares a skill with this name. */
  default boolean has(String skill) {
    return skills().stream().anyMatch(declared -> declared.name().equals(skill));
  }
}
