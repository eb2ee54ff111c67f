package dev.repartee.agents;

import dev.repartee.agents.internal.Workers;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The agents of an orchestrator by name, and the failures of the absent agents. Immutable.
 */
public final class Team implements AutoCloseable {
  private final Map<String, Agent> agents;
  private final Map<String, Failure> absent;

  /**
   * Creates a team.
   *
   * @param absent the failures of unusable agents, by name. A step that calls an absent agent fails
   *     with the failure of this agent
   * @throws IllegalArgumentException if two agents have the same name
   */
  public Team(Collection<? extends Agent> agents, Map<String, Failure> absent) {
    Map<String, Agent> byName = new LinkedHashMap<>();
    for (Agent agent : agents) {
      if (byName.put(agent.name(), agent) != null || absent.containsKey(agent.name())) {
        throw new IllegalArgumentException(
            "two agents have the name '" + agent.name() + "'; rename one");
      }
    }
    this.agents = Collections.unmodifiableMap(byName);
    this.absent = Collections.unmodifiableMap(new LinkedHashMap<>(absent));
  }

  /**
   * Returns a team of agents.
   *
   * @throws IllegalArgumentException if two agents have the same name
   */
  public static Team of(Agent... agents) {
    return new Team(List.of(agents), Map.of());
  }

  /** Returns the agents in their order. */
  public Collection<Agent> agents() {
    return agents.values();
  }

  /** Returns the failures of the absent agents, by name. */
  public Map<String, Failure> absent() {
    return absent;
  }

  /** Returns whether the team has an agent with this name, usable or absent. */
  public boolean knows(String name) {
    return agents.containsKey(name) || absent.containsKey(name);
  }

  /** Returns the usable agent with this name; null if there is none. */
  public @Nullable Agent find(String name) {
    return agents.get(name);
  }

  /** Returns the agents that declare a skill, in their order. */
  public List<Agent> withSkill(String skill) {
    return agents.values().stream().filter(agent -> agent.has(skill)).toList();
  }

  /** Closes all agents concurrently, and waits until they are closed. */
  @Override
  public void close() {
    List<CompletableFuture<Void>> closing = new ArrayList<>();
    for (Agent agent : agents.values()) {
      closing.add(CompletableFuture.runAsync(agent::close, Workers.ALL));
    }
    closing.forEach(closed -> closed.exceptionally(failure -> null).join());
  }
}
