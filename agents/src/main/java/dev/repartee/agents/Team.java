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
 * The agents of an orchestrator by their names, with the reasons why others are absent. Immutable.
 */
public final class Team implements AutoCloseable {
  private final Map<String, Agent> agents;
  private final Map<String, Failure> absent;

  /**
   * Creates a team.
   *
   * @param absent the failures of agents that cannot be used, by their names. A step that calls
   *     such an agent fails with this failure
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

  /** Returns the failures of the agents that cannot be used, by their names. */
  public Map<String, Failure> absent() {
    return absent;
  }

  /** Returns whether the team knows an agent of that name, also an absent one. */
  public boolean knows(String name) {
    return agents.containsKey(name) || absent.containsKey(name);
  }

  /** Returns the agent of that name; null if there is none or it is absent. */
  public @Nullable Agent find(String name) {
    return agents.get(name);
  }

  /** Returns the agents that declare a skill, in their order. */
  public List<Agent> withSkill(String skill) {
    return agents.values().stream().filter(agent -> agent.has(skill)).toList();
  }

  /** Closes all agents at the same time, and waits until they are closed. */
  @Override
  public void close() {
    List<CompletableFuture<Void>> closing = new ArrayList<>();
    for (Agent agent : agents.values()) {
      closing.add(CompletableFuture.runAsync(agent::close, Workers.ALL));
    }
    closing.forEach(closed -> closed.exceptionally(failure -> null).join());
  }
}
