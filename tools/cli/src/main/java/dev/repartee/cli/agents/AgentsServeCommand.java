package dev.repartee.cli.agents;

import dev.repartee.Options;
import dev.repartee.Repartee;
import dev.repartee.Service;
import dev.repartee.acp.AcpAgent;
import dev.repartee.agents.Agent;
import dev.repartee.agents.Team;
import dev.repartee.agents.durable.Journal;
import dev.repartee.agents.plan.Plan;
import dev.repartee.agents.postgres.DurableRuns;
import dev.repartee.agents.run.Orchestrator;
import dev.repartee.agents.serve.AgentServers;
import dev.repartee.cli.options.Listening;
import dev.repartee.cli.options.Subcommand;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.transport.Lenience;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code repartee agents serve}: serves a plan as an agent. */
@Command(description = """
        Serves a plan as one agent, until end of input or a signal: as a tool of an MCP server \
        (mcp), as an agent of A2A (a2a), of the Agent Client Protocol for editors (acp) or of the \
        Agent Communication Protocol (acp-runs), or as a method of a JSON-RPC service (json-rpc). \
        Each call is a run. The caller gets the questions of the run.

        acp-runs has the methods agents/list, runs/create, runs/get, runs/resume and runs/cancel. \
        The agent has the name of the plan in lower case. A run with a question is in the state \
        awaiting, and runs/resume sends the answer.""", footer = """
          repartee agents serve plan.yaml
          repartee agents serve plan.yaml --as mcp --listen http://127.0.0.1:8646/mcp
          repartee agents serve plan.yaml --as a2a --listen http://127.0.0.1:8080/
          repartee agents serve plan.yaml --as acp-runs --listen http://127.0.0.1:8000/
          repartee agents serve plan.yaml --as json-rpc --listen tcp://127.0.0.1:7000
          repartee agents serve plan.yaml --durable postgresql://me@127.0.0.1/runs

        Exit codes: 0 end of input or a signal, 2 usage or an invalid plan, 3 cannot listen
        or use the database.""")
final class AgentsServeCommand extends Subcommand {
  private static final List<String> PROTOCOLS =
      List.of("mcp", "a2a", "acp", "acp-runs", "json-rpc");
  private static final String DEFAULT_ENDPOINT = "stdio:";

  @Parameters(index = "0", paramLabel = "PLAN", description = "The file of the plan: JSON or YAML.")
  String file = "";

  @Option(names = "--as", paramLabel = "PROTOCOL", description = """
          The protocol: mcp, a2a (over HTTP), acp, acp-runs or json-rpc. Default: mcp.""")
  String protocol = "mcp";

  @Option(names = "--durable", paramLabel = "URL", description = """
          Store the runs in this PostgreSQL database: \
          postgresql://USER:PASSWORD@HOST:PORT/DATABASE. If this process ends, a 'repartee agents \
          worker' finishes them.""")
  @Nullable String durable;

  @Mixin
  final Listening listening = new Listening();

  @Mixin
  final AgentOptions agents = new AgentOptions();

  @Override
  public Integer call() throws InterruptedException {
    if (!PROTOCOLS.contains(protocol)) {
      throw Failure.usage(
          "--as: a plan is served as mcp, a2a, acp, acp-runs or json-rpc, not '" + protocol + "'");
    }
    Plan plan = AgentOptions.plan(file);
    return listening.serve(stdio, DEFAULT_ENDPOINT, () -> served(plan));
  }

  private Listening.Served served(Plan plan) {
    DurableRuns runs = durable == null ? null : DurableOption.connect(durable);
    Team team = agents.team(plan.agents(), false, stdio, listening::backend);
    Orchestrator orchestrator = Orchestrator.builder(team)
        .journal(runs == null ? Journal.inMemory() : runs)
        .build();
    Runnable close = () -> {
      orchestrator.close();
      if (runs != null) {
        runs.close();
      }
      team.close();
      agents.close();
    };
    try {
      return Listening.Served.of(served(orchestrator.agent(plan)), close);
    } catch (IllegalArgumentException e) {
      close.run();
      throw Failure.usage("'" + file + "': " + Failure.reason(e));
    }
  }

  private Listening.Served served(Agent agent) {
    String version = Repartee.version();
    switch (protocol) {
      case "mcp" -> {
        Options lenient = Options.builder().lenience(Lenience.values()).build();
        return AgentServers.mcp(agent, version, listening.guardedMcp(lenient, stdio))::listen;
      }
      case "a2a" -> {
        return AgentServers.a2a(agent, version, listening.guarded(Options.DEFAULT, stdio))::listen;
      }
      case "acp" -> {
        AcpAgent acp = AgentServers.acp(agent, version);
        Options options = listening.guarded(AcpAgent.options().build(), stdio);
        return uri -> acp.listen(uri, options);
      }
      default -> {
        Service service = protocol.equals("acp-runs")
            ? AgentServers.acpRuns(agent).service()
            : AgentServers.jsonRpc(agent);
        Options options = listening.guarded(Options.DEFAULT, stdio);
        return uri -> Repartee.listen(uri, service, options);
      }
    }
  }
}
