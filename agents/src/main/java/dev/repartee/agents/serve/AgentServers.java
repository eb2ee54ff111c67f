package dev.repartee.agents.serve;

import dev.repartee.RpcMethod;
import dev.repartee.Service;
import dev.repartee.a2a.server.A2aServer;
import dev.repartee.a2a.types.AgentCard;
import dev.repartee.a2a.types.AgentSkill;
import dev.repartee.acp.AcpAgent;
import dev.repartee.acp.runs.AgentManifest;
import dev.repartee.acp.runs.RunServer;
import dev.repartee.agents.Agent;
import dev.repartee.agents.Skill;
import dev.repartee.json.Json;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Tool;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes servers of an agent:
 *
 * <pre>{@code
 * AgentServers.mcp(orchestrator.agent(plan), "1.0").listen("stdio:").join();
 * Repartee.listen("tcp://127.0.0.1:7000", AgentServers.jsonRpc(agent)).join();
 * }</pre>
 *
 * <p>Cancelling a call cancels its task, and progress of the task is that of the call. A question of
 * the task goes to the caller: as an elicitation of MCP, as required input of A2A, as a question for
 * permission of the Agent Client Protocol, as a run that waits in the Agent Communication Protocol,
 * and over JSON-RPC as a call of {@code agent.ask}, if the transport carries calls in that direction.
 * Otherwise it is refused. Failures are sent with their kind and message, except those of the code of
 * this process.
 */
public final class AgentServers {
  private static final Json OBJECT = Json.of("object");

  private AgentServers() {}

  /**
   * Returns a service with a method for each skill. Its params by name are the input; by position
   * there is one, which is the input.
   */
  public static Service jsonRpc(Agent agent) {
    Service.Builder service = Service.builder();
    for (Skill skill : agent.skills()) {
      RpcCalls calls = new RpcCalls(agent, skill);
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
   * Returns an MCP server with a tool for each skill. If the schema of the input is not that of an
   * object, the tool has one argument, {@code input}.
   *
   * @param version the version of the server, for clients
   * @throws IllegalArgumentException if the name of a skill cannot be that of a tool
   */
  public static McpServer mcp(Agent agent, String version) {
    McpServer.Builder server = McpServer.builder(agent.name(), version);
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
   * Returns an agent of the Agent Client Protocol. A prompt is the input: JSON if it is an object or
   * an array, otherwise a text. The agent has to have one skill.
   *
   * @param version the version of the agent, for clients
   */
  public static AcpAgent acp(Agent agent, String version) {
    return AcpAgent.builder(agent.name(), version, new AcpPrompts(agent)).build();
  }

  /**
   * Returns a server of A2A, in versions 1.0 and 0.3, with streaming. The data of a message, or its
   * text, is the input. The agent has to have one skill. A question makes the task need input; the
   * texts {@code no}, {@code reject}, {@code refuse} and {@code cancel} refuse, others agree.
   *
   * @param version the version of the agent, for clients
   */
  public static A2aServer a2a(Agent agent, String version) {
    AgentCard.Builder card =
        AgentCard.builder(agent.name(), agent.description(), version).streaming();
    for (Skill skill : agent.skills()) {
      String description = description(agent, skill);
      card.skill(AgentSkill.of(
          skill.name(), skill.name(), description == null ? skill.name() : description, "plan"));
    }
    return A2aServer.builder(card.build()).agent(new A2aTurns(agent)).build();
  }

  /**
   * Returns the runs of the Agent Communication Protocol, with an agent for each skill. {@link
   * RunServer#service} has them as methods of JSON-RPC, {@link RunServer#http} as REST. The name of
   * an agent is that of the skill in lower case, with {@code -} in place of other characters, up to
   * 63.
   *
   * <p>The JSON of a message with a single part, or its text, is the input. The states of steps are
   * events of the type {@code generic} with a {@code message}, up to 5,000 in a run. A run goes on
   * without its client.
   *
   * <p>A question makes the run wait, until it is answered or its step ends. The texts {@code no},
   * {@code n}, {@code reject}, {@code refuse} and {@code cancel} refuse, and the JSON {@code false};
   * anything else agrees.
   *
   * @throws IllegalArgumentException if the name of a skill has no letter and no digit, or two skills
   *     get the same name
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

  /** Returns a name as a label of DNS. */
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
