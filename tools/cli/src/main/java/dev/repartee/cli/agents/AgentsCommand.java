package dev.repartee.cli.agents;

import dev.repartee.cli.options.CommandGroup;
import picocli.CommandLine.Command;

/** {@code repartee agents}: the commands for plans of several agents. */
@Command(description = """
        Runs plans of several agents: MCP servers, agents of A2A and of ACP, and JSON-RPC \
        services, each as a child process or a remote endpoint.

        The URI of an agent has its protocol before the endpoint: mcp+exec:COMMAND, \
        mcp+https://HOST/PATH, a2a+https://HOST, acp+exec:COMMAND, acp-runs+http://HOST:PORT/, \
        json-rpc+tcp://HOST:PORT. The default protocol is JSON-RPC.

        A run with --durable is stored in a PostgreSQL database and survives a crash. The \
        commands submit, worker, runs, resume, cancel and resolve are for durable \
        runs.""", footer = """
          repartee agents list mcp+exec:'node server.js' tcp://127.0.0.1:7000
          repartee agents run plan.yaml --input 'the text'
          repartee agents serve plan.yaml --as mcp --listen stdio:
          repartee agents worker --durable postgresql://me@127.0.0.1/runs

        Run 'repartee agents COMMAND --help' for details.""")
public final class AgentsCommand extends CommandGroup {
  public AgentsCommand() {
    add("run", () -> AgentsRunCommand.class);
    add("list", () -> AgentsListCommand.class);
    add("serve", () -> AgentsServeCommand.class);
    add("submit", () -> AgentsSubmitCommand.class);
    add("worker", () -> AgentsWorkerCommand.class);
    add("runs", () -> AgentsRunsCommand.class);
    add("resume", () -> AgentsResumeCommand.class);
    add("cancel", () -> AgentsCancelCommand.class);
    add("resolve", () -> AgentsResolveCommand.class);
  }
}
