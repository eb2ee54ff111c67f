package dev.repartee.spring;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The properties {@code repartee.*}.
 *
 * @param listen URIs of further endpoints for the beans with @RpcService, such as
 *     tcp://127.0.0.1:4000. Their transports have to be on the class path.
 * @param hosts Values of the header field Host that are served, such as shop.example.com. If empty,
 *     only names of this machine are served to clients of this machine.
 * @param origins Origins of other web pages that may call, such as https://shop.example.com.
 * @param subprotocol Subprotocol that a WebSocket client may request.
 * @param notificationStatus HTTP status of a request that needs no answer.
 * @param closeTimeout Time that running calls have when the application stops.
 * @param limits Limits of each connection and request.
 * @param mcp Server of the Model Context Protocol.
 */
@ConfigurationProperties("repartee")
public record ReparteeProperties(
    @DefaultValue List<String> listen,
    @DefaultValue List<String> hosts,
    @DefaultValue List<String> origins,
    @Nullable String subprotocol,
    @DefaultValue("204") int notificationStatus,
    @DefaultValue("20s") Duration closeTimeout,
    @DefaultValue Limits limits,
    @DefaultValue Mcp mcp) {
  /**
   * The properties {@code repartee.limits.*}; see {@link dev.repartee.limits.Limits}.
   *
   * @param message Size of a message, and of the body of an HTTP request.
   * @param handlerTimeout Time until a running call is answered with an error and cancelled.
   * @param runningCalls Number of calls of one connection that run at the same time.
   * @param connections Number of connections of one endpoint.
   */
  public record Limits(
      @Nullable DataSize message,
      @Nullable Duration handlerTimeout,
      @Nullable Integer runningCalls,
      @Nullable Integer connections) {}

  /**
   * The properties {@code repartee.mcp.*}.
   *
   * @param path Path at which beans with @McpTool are served as an MCP server. Without it they are
   *     not served.
   * @param name Name of the server for MCP clients. Default is spring.application.name.
   * @param version Version of the server for MCP clients.
   */
  public record Mcp(
      @Nullable String path,
      @Nullable String name,
      @DefaultValue("1") String version) {}
}
