package dev.repartee.cli.agents;

import dev.repartee.agents.Agent;
import dev.repartee.agents.Skill;
import dev.repartee.agents.Team;
import dev.repartee.cli.options.Subcommand;
import dev.repartee.cli.terminal.Exit;
import dev.repartee.cli.terminal.Table;
import dev.repartee.json.Json;
import dev.repartee.json.JsonObjectBuilder;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code repartee agents list}: connects to agents at the same time and lists their skills. */
@Command(description = """
        Connects to agents, or to the agents of a plan, and lists their skills. Connects to all \
        agents at the same time. Reports the agents that are not ready within \
        --connect-timeout.""", footer = """
          repartee agents list plan.yaml
          repartee agents list mcp+exec:'node server.js' json-rpc+tcp://127.0.0.1:7000

        Exit codes: 0 all agents can be used, 2 usage; otherwise the code for the first failed \
        agent:
        1 error response, 3 cannot connect, 4 timeout or connection lost, 5 it broke its \
        protocol.""")
final class AgentsListCommand extends Subcommand {
  @Parameters(arity = "1..*", paramLabel = "URI|PLAN", description = """
          The URIs of agents, or one file with a plan.""")
  List<String> words = new ArrayList<>();

  @Option(names = "--json", description = "Print one JSON object per line, for each agent.")
  boolean json;

  @Mixin
  final AgentOptions agents = new AgentOptions();

  @Override
  public Integer call() {
    Map<String, String> uris = uris();
    try (Team team = agents.team(uris, false, stdio)) {
      Table table = new Table();
      for (Map.Entry<String, String> uri : uris.entrySet()) {
        list(uri.getKey(), uri.getValue(), team, table);
      }
      stdio.table(table);
      return team.absent().values().stream().findFirst().map(AgentOptions::exit).orElse(Exit.OK);
    } finally {
      agents.close();
    }
  }

  private Map<String, String> uris() {
    if (words.size() == 1 && isFile(words.get(0))) {
      return AgentOptions.plan(words.get(0)).agents();
    }
    Map<String, String> uris = new LinkedHashMap<>();
    words.forEach(uri -> uris.put(uri, uri));
    return uris;
  }

  private static boolean isFile(String word) {
    try {
      return Files.isRegularFile(Path.of(word))
          || word.matches("[^:]*\\.(json|ya?ml)"); // a missing plan: report it as a file, not a URI
    } catch (InvalidPathException e) {
      return false;
    }
  }

  private void list(String name, String uri, Team team, Table table) {
    Agent agent = team.find(name);
    if (json) {
      JsonObjectBuilder line = new JsonObjectBuilder().put("name", name).put("uri", uri);
      if (agent == null) {
        line.put("failure", RunLines.failure(team.absent().get(name)));
      } else {
        line.put("skills", agent.skills().stream().map(AgentsListCommand::json).toList());
      }
      stdio.item(line.build());
    } else if (agent != null && agent.skills().isEmpty()) {
      table.row(name, "", "declares no skills; a plan may call any of its methods by name");
    } else if (agent != null) {
      agent.skills().forEach(skill -> table.row(name, skill.name(), skill.description()));
    }
  }

  private static Json json(Skill skill) {
    return new JsonObjectBuilder()
        .put("name", skill.name())
        .put("description", skill.description())
        .put("input", skill.input())
        .put("output", skill.output())
        .build();
  }
}
