package dev.repartee.agents.serve;

import dev.repartee.Options;
import dev.repartee.RpcMethod;
import dev.repartee.Service;
import dev.repartee.a2a.server.A2aServer;
import dev.repartee.a2a.types.AgentCard;
import dev.repartee.a2a.types.AgentCardBuilder;
import dev.repartee.a2a.types.AgentSkill;
import dev.repartee.acp.AcpAgent;
import dev.repartee.acp.runs.AgentManifest;
import dev.repartee.acp.runs.RunServer;
import dev.repartee.agents.Agent;
import dev.repartee.agents.Consent;
import dev.repartee.agents.Skill;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Tool;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Serves an agent over MCP, A2A, ACP or JSON-RPC:
 *
 * <pre>{@code
 * AgentServers.mcp(orchestrator.agent(plan), "1.0").listen("stdio:").join();
 * Repartee.listen("tcp://127.0.0.1:7000", AgentServers.jsonRpc(agent)).join();
 * }</pre>
 *
 * <p>Each call is a task. Cancelling the call cancels the task, and the caller receives the
 * progress of the task. The caller also receives the questions of the task:
 *
 * <ul>
 *   <li>MCP: as an elicitation
 *   <li>A2A: as a task in the state input-required
 *   <li>Agent Client Protocol: as a request for permission
 *   <li>Agent Communication Protocol: as a run in the state awaiting
 *   <li>JSON-RPC: as a call of {@code agent.ask}. The question is refused if no answer arrives
 *       within 10 minutes, or if the transport carries no calls to the caller
 * </ul>
 *
 * <p>The caller receives the message of a failure, except the messages of exceptions in this
 * process.
 */
public final class AgentServers {
  private static final Json OBJECT = Json.of("object");

  private AgentServers() {}

  /**
   * Returns a service with a method for each skill. The input is the object of named params, or the
   * only positional param. The data of an error has the kind of the failure.
   */
  public static Service jsonRpc(Agent agent) {
    Service.Builder service = Service.builder();
    Places places = new Places(RpcCalls.MOST);
    for (Skill skill : agent.skills()) {
      RpcCalls calls = new RpcCalls(agent, skill, places);
      RpcMethod.Builder method = RpcMethod.builder(skill.name());
      String description = description(agent, skill);
      if (description != null) {
        method.description(description);
      }
      service.add(method.handler(calls));
    }
    return service.build().described(agent.name(), "1");
  }

  /**
   * Returns an MCP server with a tool for each skill. If the schema of the input is not of the type
   * {@code object}, the tool has a single argument, {@code input}.
   *
   * @param version the version of the server, for clients
   * @throws IllegalArgumentException if the name of a skill is not a valid name of a tool
   */
  public static McpServer mcp(Agent agent, String version) {
    return mcp(McpServer.builder(agent.name(), version), agent);
  }

  /**
   * Returns an MCP server as {@link #mcp(Agent, String)} does.
   *
   * @param options the options of {@link McpServer.Builder#options}
   */
  public static McpServer mcp(Agent agent, String version, Options options) {
    return mcp(McpServer.builder(agent.name(), version).options(options), agent);
  }

  private static McpServer mcp(McpServer.Builder server, Agent agent) {
    for (Skill skill : agent.skills()) {
      Tool.Builder tool = Tool.named(skill.name());
      String description = description(agent, skill);
      if (description != null) {
        tool.description(description);
      }
      Json input = skill.input();
      boolean wrapped = input != null && !OBJECT.equals(input.get("type"));
      if (input != null) {
        tool.input(wrapped ? wrapped(input) : input);
      }
      server.tool(tool.handle(new ToolCalls(agent, skill, wrapped)));
    }
    return server.build();
  }

  /**
   * Returns an agent of the Agent Client Protocol. A prompt is the input: as JSON if it is an
   * object or an array, otherwise as a string. The agent has to have exactly one skill.
   *
   * @param version the version of the agent, for clients
   */
  public static AcpAgent acp(Agent agent, String version) {
    return AcpAgent.builder(agent.name(), version, new AcpPrompts(agent)).build();
  }

  /**
   * Returns a server of A2A, in versions 1.0 and 0.3, with streaming. The input is the data of a
   * message with a single part, otherwise its text. The agent has to have exactly one skill.
   *
   * <p>The answer to a question is a text or a part with data; {@link Consent} decides about
   * consent. After an answer that is not clear the client is asked again, three times in all; then
   * the question counts as refused. If a form has only one field, a text, the text of the answer
   * becomes its value; any other form needs an object. An answer counts only for a question that
   * was sent to a client before the answer arrived; otherwise the client receives the question.
   *
   * @param version the version of the agent, for clients
   */
  public static A2aServer a2a(Agent agent, String version) {
    return a2a(agent, version, Options.DEFAULT);
  }

  /**
   * Returns a server of A2A as {@link #a2a(Agent, String)} does.
   *
   * @param options the options of {@link A2aServer.Builder#options}
   */
  public static A2aServer a2a(Agent agent, String version, Options options) {
    AgentCardBuilder card =
        AgentCard.builder(agent.name(), agent.description(), version).streaming();
    for (Skill skill : agent.skills()) {
      String description = description(agent, skill);
      card.skill(new AgentSkill(
          skill.name(),
          skill.name(),
          description == null ? skill.name() : description,
          List.of("plan")));
    }
    return A2aServer.builder(card.build())
        .agent(new A2aTurns(new OpenTasks(agent)))
        .options(options)
        .build();
  }

  /**
   * Returns a server of the Agent Communication Protocol, with an agent for each skill.
   * {@link RunServer#service} serves the runs as methods of JSON-RPC, {@link RunServer#http} as
   * REST. The name of an agent is the name of its skill in lower case. Each sequence of characters
   * that are neither letters nor digits becomes {@code -}, and the name is cut to 63 characters.
   *
   * <p>The input is the JSON of a message with a single part, otherwise its text. The progress of
   * the task is sent as events of the type {@code generic} with a {@code message}, up to 5,000 in a
   * run. A run continues without its client.
   *
   * <p>A run with a question waits until the answer arrives or the step of the question ends.
   * Answers are read as by {@link #a2a}.
   *
   * @throws IllegalArgumentException if the name of a skill has no letter and no digit, or two
   *     skills get the same name
   */
  public static RunServer acpRuns(Agent agent) {
    RunServer.Builder server = RunServer.builder();
    for (Skill skill : agent.skills()) {
      String description = description(agent, skill);
      String name = label(skill.name());
      server.agent(
          AgentManifest.of(name, description == null ? skill.name() : description),
          new AcpRuns(agent, skill.name(), name));
    }
    return server.build();
  }

  /** Converts a name to a DNS label, the form of names that the protocol requires. */
  private static String label(String name) {
    String label = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    return label.substring(0, Math.min(label.length(), 63)).replaceAll("^-|-$", "");
  }

  private static Json wrapped(Json schema) {
    return Json.of(Map.of(
        "type", "object", "properties", Map.of(ToolCalls.INPUT, schema), "required", new String[] {
          ToolCalls.INPUT
        }));
  }

  private static @Nullable String description(Agent agent, Skill skill) {
    String own = skill.description();
    return own != null ? own : agent.description().isEmpty() ? null : agent.description();
  }
}
