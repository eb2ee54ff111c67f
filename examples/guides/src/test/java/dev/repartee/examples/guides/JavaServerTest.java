package dev.repartee.examples.guides;

import dev.repartee.mcp.types.Revision;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncCompletionSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncPromptSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncResourceSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncResourceTemplateSpecification;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.server.McpSyncServer;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.server.transport.HttpServletStreamableServerTransportProvider;
import io.modelcontextprotocol.spec.McpSchema.BlobResourceContents;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.CompleteResult;
import io.modelcontextprotocol.spec.McpSchema.Content;
import io.modelcontextprotocol.spec.McpSchema.GetPromptResult;
import io.modelcontextprotocol.spec.McpSchema.ImageContent;
import io.modelcontextprotocol.spec.McpSchema.LoggingLevel;
import io.modelcontextprotocol.spec.McpSchema.LoggingMessageNotification;
import io.modelcontextprotocol.spec.McpSchema.ProgressNotification;
import io.modelcontextprotocol.spec.McpSchema.Prompt;
import io.modelcontextprotocol.spec.McpSchema.PromptArgument;
import io.modelcontextprotocol.spec.McpSchema.PromptMessage;
import io.modelcontextprotocol.spec.McpSchema.PromptReference;
import io.modelcontextprotocol.spec.McpSchema.ReadResourceResult;
import io.modelcontextprotocol.spec.McpSchema.Resource;
import io.modelcontextprotocol.spec.McpSchema.ResourceContents;
import io.modelcontextprotocol.spec.McpSchema.ResourceTemplate;
import io.modelcontextprotocol.spec.McpSchema.Role;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.TextResourceContents;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;

/** A server of the Java SDK, in a servlet. */
class JavaServerTest extends SdkServerContract {
  private static final String PIXEL = "iVBORw0KGgo=";
  private static final Map<String, Object> NUMBER = Map.of("type", "integer");

  private Server server;
  private McpSyncServer mcp;

  @Override
  String start() throws Exception {
    HttpServletStreamableServerTransportProvider transport =
        HttpServletStreamableServerTransportProvider.builder()
            .mcpEndpoint("/mcp")
            .build();
    mcp = McpServer.sync(transport)
        .serverInfo("java", "1.0")
        .capabilities(ServerCapabilities.builder()
            .completions()
            .logging()
            .resources(false, false)
            .tools(false)
            .prompts(false)
            .build())
        .tools(tools())
        .resources(
            resource("demo://greeting", "text/plain", text("demo://greeting", "Hello")),
            resource(
                "demo://pixel",
                "image/png",
                BlobResourceContents.builder("demo://pixel", PIXEL)
                    .mimeType("image/png")
                    .build()))
        .resourceTemplates(new SyncResourceTemplateSpecification(
            ResourceTemplate.builder("demo://item/{id}", "item")
                .mimeType("text/plain")
                .build(),
            (exchange, request) ->
                result(text(request.uri(), "item " + request.uri().replaceFirst(".*/", "")))))
        .prompts(new SyncPromptSpecification(
            Prompt.builder("review")
                .description("Reviews code")
                .arguments(List.of(
                    PromptArgument.builder("code").required(true).build(),
                    PromptArgument.builder("language").required(false).build()))
                .build(),
            (exchange, request) -> GetPromptResult.builder(List.of(PromptMessage.builder(
                        Role.USER, content("Review " + request.arguments().get("code")))
                    .build()))
                .build()))
        .completions(new SyncCompletionSpecification(
            new PromptReference("review"),
            (exchange, request) -> new CompleteResult(new CompleteResult.CompleteCompletion(
                Stream.of("java", "javascript", "rust")
                    .filter(name -> name.startsWith(request.argument().value()))
                    .toList(),
                2,
                false))))
        .build();
    server = new Server(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    ServletContextHandler context = new ServletContextHandler();
    ServletHolder servlet = new ServletHolder(transport);
    servlet.setAsyncSupported(true);
    context.addServlet(servlet, "/mcp");
    server.setHandler(context);
    server.start();
    return "http://127.0.0.1:" + server.getURI().getPort() + "/mcp";
  }

  private static List<SyncToolSpecification> tools() {
    return List.of(
        tool(
            Tool.builder("add", schema(Map.of("a", NUMBER, "b", NUMBER)))
                .description("Adds two numbers")
                .outputSchema(schema(Map.of("sum", NUMBER)))
                .build(),
            (exchange, request) -> CallToolResult.builder()
                .structuredContent(Map.of("sum", number(request, "a") + number(request, "b")))
                .build()),
        tool(
            Tool.builder("count", schema(Map.of("to", NUMBER)))
                .description("Counts with progress")
                .build(),
            JavaServerTest::count),
        tool(
            Tool.builder("fail", schema(Map.of())).description("Fails").build(),
            (exchange, request) -> CallToolResult.builder()
                .content(List.of(content("sold out")))
                .isError(true)
                .build()),
        tool(
            Tool.builder("picture", schema(Map.of())).description("A picture").build(),
            (exchange, request) ->
                result(ImageContent.builder(PIXEL, "image/png").build())));
  }

  private static CallToolResult count(McpSyncServerExchange exchange, CallToolRequest request) {
    int to = number(request, "to");
    Object token = request.meta() == null ? null : request.meta().get("progressToken");
    for (int step = 1; token != null && step <= to; step++) {
      exchange.progressNotification(ProgressNotification.builder(token, (double) step)
          .total((double) to)
          .message("step " + step)
          .build());
    }
    exchange.loggingNotification(
        LoggingMessageNotification.builder(LoggingLevel.INFO, "counted").build());
    return result(content("counted to " + to));
  }

  private static SyncToolSpecification tool(
      Tool tool, BiFunction<McpSyncServerExchange, CallToolRequest, CallToolResult> handler) {
    return SyncToolSpecification.builder().tool(tool).callHandler(handler).build();
  }

  private static SyncResourceSpecification resource(
      String uri, String type, ResourceContents contents) {
    return new SyncResourceSpecification(
        Resource.builder(uri, uri.replaceFirst(".*/", "")).mimeType(type).build(),
        (exchange, request) -> result(contents));
  }

  private static Map<String, Object> schema(Map<String, Object> properties) {
    return Map.of(
        "type", "object", "properties", properties, "required", List.copyOf(properties.keySet()));
  }

  private static int number(CallToolRequest request, String name) {
    return ((Number) request.arguments().get(name)).intValue();
  }

  private static Content content(String text) {
    return TextContent.builder(text).build();
  }

  private static CallToolResult result(Content content) {
    return CallToolResult.builder().content(List.of(content)).isError(false).build();
  }

  private static ReadResourceResult result(ResourceContents contents) {
    return ReadResourceResult.builder(List.of(contents)).build();
  }

  private static ResourceContents text(String uri, String text) {
    return TextResourceContents.builder(uri, text).mimeType("text/plain").build();
  }

  @Override
  void stop() throws Exception {
    if (server != null) {
      mcp.close();
      server.stop();
    }
  }

  @Override
  Revision revision() {
    return Revision.V2025_11_25;
  }
}
