package dev.repartee.cli.agents;

import dev.repartee.Options;
import dev.repartee.agents.Team;
import dev.repartee.agents.kinds.AgentConnector;
import dev.repartee.agents.plan.Plan;
import dev.repartee.agents.plan.PlanException;
import dev.repartee.cli.options.HeaderOptions;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.InputFile;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.trace.Trace;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for connections to agents. Reads plans and connects to their agents. */
final class AgentOptions {
  private static final int MOST_BYTES = 4 << 20;

  @Option(names = "--connect-timeout", paramLabel = "TIME", description = """
          The time limit to connect to all agents and to get their skills. Default: 20s.""")
  Duration connectTimeout = AgentConnector.TIMEOUT;

  @Option(names = "--trace", paramLabel = "FILE", description = """
          Record all messages to and from the agents in this file.""")
  @Nullable String traceFile;

  @Option(names = "--header", paramLabel = "HEADER", description = """
          'AGENT:NAME: VALUE' for the HTTP and WebSocket requests to this agent; may be repeated. \
          @FILE reads \
          a header from each line of a file. Use it for secrets, since other users of the machine \
          can see the command line.""")
  List<String> headers = new ArrayList<>();

  private @Nullable Trace trace;

  /** Reads a plan. */
  static Plan plan(String file) {
    String text = InputFile.text(file, MOST_BYTES, "is too large; a plan has at most 1 MiB");
    try {
      return Plan.parse(text);
    } catch (PlanException e) {
      throw Failure.usage("'" + file + "': " + Failure.reason(e));
    }
  }

  /**
   * Connects to agents, and reports the agents that cannot be used.
   *
   * @param hasOthers whether to accept headers for agents of other plans
   */
  Team team(Map<String, String> uris, boolean hasOthers, Stdio stdio) {
    return team(uris, hasOthers, stdio, UnaryOperator.identity());
  }

  /**
   * Connects to agents as {@link #team(Map, boolean, Stdio)} does.
   *
   * @param observed returns the options with telemetry
   */
  Team team(
      Map<String, String> uris, boolean hasOthers, Stdio stdio, UnaryOperator<Options> observed) {
    Map<String, Options> own = headers(uris.keySet(), hasOthers);
    try {
      AgentConnector connector = new AgentConnector(observed.apply(options()), connectTimeout);
      for (Map.Entry<String, Options> agent : own.entrySet()) {
        connector = connector.withHeaders(agent.getKey(), agent.getValue().headers());
      }
      Team team = connector.team(uris);
      team.absent()
          .forEach((name, failure) ->
              stdio.say("the agent '" + name + "' cannot be used: " + failure.message()));
      return team;
    } catch (IllegalArgumentException e) {
      throw Failure.usage(Failure.reason(e));
    }
  }

  /** Returns options with the given headers, by agent. */
  private Map<String, Options> headers(Set<String> agents, boolean hasOthers) {
    Map<String, Options> own = new LinkedHashMap<>();
    for (HeaderOptions.Given header : HeaderOptions.given(headers)) {
      String text = header.text();
      String agent = agents.stream()
          .filter(name -> text.startsWith(name + ":"))
          .max(Comparator.comparing(String::length)) // a name may be a URI with colons
          .orElse(null);
      if (agent == null && hasOthers) {
        continue;
      } else if (agent == null) {
        throw Failure.usage(header.place() + " is not 'AGENT:NAME: VALUE' for one of the agents "
            + String.join(", ", agents));
      }
      own.put(
          agent,
          HeaderOptions.add(
              own.getOrDefault(agent, Options.DEFAULT),
              text.substring(agent.length() + 1),
              header.place() + " is not 'AGENT:NAME: VALUE'"));
    }
    return own;
  }

  /** Returns the options of connections; all teams share the trace. */
  private synchronized Options options() {
    if (traceFile == null) {
      return Options.DEFAULT;
    }
    if (trace == null) {
      try {
        trace = Trace.builder().file(Path.of(traceFile));
      } catch (IOException | InvalidPathException e) {
        throw Failure.usage("--trace: " + Failure.reason(e));
      }
    }
    return Options.DEFAULT.toBuilder().trace(trace).build();
  }

  /** Writes the rest of the trace. */
  synchronized void close() {
    if (trace != null) {
      trace.close();
    }
  }

  /** Returns the exit code for a failure of an agent or a run. */
  static int exit(dev.repartee.agents.Failure failure) {
    return switch (failure.kind()) {
      case UNREACHABLE -> Exit.CANNOT_CONNECT;
      case TIMEOUT, LOST, CANCELLED, UNKNOWN_OUTCOME -> Exit.LOST;
      case PROTOCOL, SCHEMA -> Exit.PROTOCOL;
      case ERROR, REFUSED, INPUT, BUDGET, JOURNAL, INTERNAL -> Exit.ERROR_RESPONSE;
    };
  }
}
