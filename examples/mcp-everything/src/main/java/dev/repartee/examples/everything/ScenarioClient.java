package dev.repartee.examples.everything;

import dev.repartee.json.Json;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.client.RemotePrompt;
import dev.repartee.mcp.client.RemoteTool;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Elicitation;
import dev.repartee.mcp.types.Resource;
import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.types.Root;
import dev.repartee.mcp.types.Sampling;
import dev.repartee.mcp.types.ToolResult;
import java.net.URI;
import java.util.List;
import java.util.Map;

/**
 * A client that plays the scenarios of the official conformance suite, which names the scenario,
 * the revision and a context in environment variables, and the address of its server in the last
 * argument. Without a scenario it lists the tools of any server.
 */
@SuppressWarnings("deprecation") // of the specification, and still supported
public final class ScenarioClient {
  private ScenarioClient() {}

  /** Runs the client against the address in the last argument. */
  public static void main(String[] args) throws Exception {
    if (args.length == 0) {
      System.err.println("usage: client URL\nPlays the scenario in MCP_CONFORMANCE_SCENARIO, or"
          + " lists the tools of the server.");
      System.exit(2);
    }
    String scenario = System.getenv().getOrDefault("MCP_CONFORMANCE_SCENARIO", "");
    String uri = args[args.length - 1];
    McpClient.Builder settings = settings();
    if (scenario.startsWith("auth/")) {
      settings.authorization(ScenarioLogin.of(scenario, URI.create(uri), context()));
    }
    try (McpClient client = settings.connect(uri)) {
      play(scenario, client);
    }
  }

  private static McpClient.Builder settings() {
    McpClient.Builder builder = McpClient.builder("repartee-everything-client", "1.0")
        .onElicitation(form -> new Elicitation.Answer("accept", null))
        .onSampling(question ->
            new Sampling.Answer("assistant", Content.text("A reply.").json(), "none", "endTurn"))
        .roots(() -> List.of(new Root("file:///tmp", "scratch")));
    Revision revision =
        Revision.of(System.getenv().getOrDefault("MCP_CONFORMANCE_PROTOCOL_VERSION", ""));
    return revision == null ? builder : builder.revisions(revision);
  }

  private static void play(String scenario, McpClient client) {
    List<RemoteTool> tools = client.tools().toList();
    switch (scenario) {
      case "tools_call" -> show(client.call("add_numbers", Map.of("a", 5, "b", 3)));
      case "http-custom-headers" ->
        calls().forEach(call -> show(client.call(text(call, "name"), call.get("arguments"))));
      case "http-standard-headers" -> readAll(client, tools);
      case "json-schema-2020-12-preservation" -> echo(client, tools);
      case "initialize", "request-metadata", "json-schema-ref-no-deref" ->
        System.out.println(tools.size() + " tools");
      case "" -> tools.forEach(tool -> System.out.println(tool.json()));
      default -> tools.forEach(tool -> show(client.call(tool.name(), Map.of())));
    }
  }

  /** Returns the calls that the context of the suite asks for. */
  private static List<Json> calls() {
    Json calls = context().get("toolCalls");
    return calls == null ? List.of() : calls.elements();
  }

  private static Json context() {
    return Json.parse(System.getenv().getOrDefault("MCP_CONFORMANCE_CONTEXT", "{}"));
  }

  private static String text(Json object, String member) {
    Json value = object.get(member);
    return value == null ? "" : value.as(String.class);
  }

  private static void readAll(McpClient client, List<RemoteTool> tools) {
    tools.forEach(tool -> show(client.call(tool.name(), Map.of())));
    client.resources().map(Resource::uri).forEach(uri -> System.out.println(client.read(uri)));
    client
        .prompts()
        .map(RemotePrompt::name)
        .forEach(name -> System.out.println(client.prompt(name, Map.of())));
  }

  /** Sends the schema of each tool back to the tool that compares it. */
  private static void echo(McpClient client, List<RemoteTool> tools) {
    tools.stream()
        .filter(tool -> !tool.name().equals("json_schema_echo"))
        .forEach(tool -> show(client.call("json_schema_echo", Map.of("schema", tool.input()))));
  }

  private static void show(ToolResult result) {
    for (Content content : result.content()) {
      System.out.println(content instanceof Content.Text text ? text.text() : content.json());
    }
  }
}
