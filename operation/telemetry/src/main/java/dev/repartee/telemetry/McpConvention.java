package dev.repartee.telemetry;

import dev.repartee.Call;
import dev.repartee.RefusedCall;
import dev.repartee.json.Json;
import dev.repartee.transport.ChannelInfo;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.SpanBuilder;
import org.jspecify.annotations.Nullable;

/**
 * The conventions for the Model Context Protocol ({@code docs/gen-ai/mcp.md} of the semantic
 * conventions for generative AI).
 */
final class McpConvention implements Convention {
  private static final AttributeKey<String> METHOD = AttributeKey.stringKey("mcp.method.name");
  private static final AttributeKey<String> SESSION = AttributeKey.stringKey("mcp.session.id");
  private static final AttributeKey<String> REVISION =
      AttributeKey.stringKey("mcp.protocol.version");
  private static final AttributeKey<String> RESOURCE = AttributeKey.stringKey("mcp.resource.uri");
  private static final AttributeKey<String> TOOL = AttributeKey.stringKey("gen_ai.tool.name");
  private static final AttributeKey<String> PROMPT = AttributeKey.stringKey("gen_ai.prompt.name");
  private static final AttributeKey<String> OPERATION =
      AttributeKey.stringKey("gen_ai.operation.name");
  static final AttributeKey<String> TRANSPORT = AttributeKey.stringKey("network.transport");
  private static final AttributeKey<String> PROTOCOL =
      AttributeKey.stringKey("network.protocol.name");

  /** The revision in the {@code _meta} of a request of a stateless revision. */
  private static final String META_REVISION = "io.modelcontextprotocol/protocolVersion";

  private final Names methods;

  /** The tools and prompts that have answered. */
  private final Names targets;

  private final CallFacts facts;

  McpConvention(Names methods, Names targets, CallFacts facts) {
    this.methods = methods;
    this.targets = targets;
    this.facts = facts;
  }

  @Override
  public String durations(boolean served) {
    return served ? "mcp.server.operation.duration" : "mcp.client.operation.duration";
  }

  /** Returns the attribute that names the tool or prompt of a method; null if it has none. */
  private static @Nullable AttributeKey<String> target(String method) {
    return switch (method) {
      case "tools/call" -> TOOL;
      case "prompts/get" -> PROMPT;
      default -> null;
    };
  }

  /** Returns a member of the params that is a string; null if there is none. */
  private static @Nullable String param(Call call, String name) {
    Json params = call.params();
    return params == null ? null : params.string(name);
  }

  @Override
  public String spanName(Call call, boolean served) {
    String method = Names.ofSpan(call, served);
    String target = target(method) == null ? null : param(call, "name");
    return target == null ? method : method + " " + Names.cut(target);
  }

  @Override
  public String spanName(RefusedCall call) {
    return Names.served(call);
  }

  @Override
  public void describe(Call call, boolean served, SpanBuilder span) {
    String method = Names.ofSpan(call, served);
    span.setAttribute(METHOD, method);
    AttributeKey<String> target = target(method);
    String name = target == null ? null : param(call, "name");
    if (target != null && name != null) {
      span.setAttribute(target, Names.cut(name));
    }
    if (target == TOOL) {
      span.setAttribute(OPERATION, "execute_tool");
    }
    if (method.startsWith("resources/") || method.equals("notifications/resources/updated")) {
      set(span, RESOURCE, param(call, "uri"));
    }
    set(span, SESSION, call.header("mcp-session-id"));
    set(span, REVISION, revision(call));
    transport(call.channel(), span);
    facts.describe(call, served, span);
  }

  @Override
  public void describe(RefusedCall call, SpanBuilder span) {
    span.setAttribute(METHOD, Names.served(call));
    set(span, SESSION, call.header("mcp-session-id"));
    transport(call.channel(), span);
    facts.describe(call, span);
  }

  private static void set(SpanBuilder span, AttributeKey<String> key, @Nullable String value) {
    if (value != null) {
      span.setAttribute(key, Names.cut(value));
    }
  }

  private static @Nullable String revision(Call call) {
    Json meta = Propagation.meta(call.params());
    String stated = meta == null ? null : meta.string(META_REVISION);
    return stated == null ? call.header("mcp-protocol-version") : stated;
  }

  private static void transport(ChannelInfo channel, SpanBuilder span) {
    String transport = transport(channel);
    if (transport == null) {
      return;
    }
    span.setAttribute(TRANSPORT, transport);
    switch (channel.transport()) {
      case "http", "https" -> span.setAttribute(PROTOCOL, "http");
      case "ws", "wss" -> span.setAttribute(PROTOCOL, "websocket");
      default -> {
        // The transport has no protocol above it.
      }
    }
  }

  /** Returns the name that OpenTelemetry has for the transport; null if it has none. */
  static @Nullable String transport(ChannelInfo channel) {
    return switch (channel.transport()) {
      case "stdio", "exec", "pipe", "streams" -> "pipe";
      case "http", "https", "ws", "wss", "tcp", "tls" -> "tcp";
      case "unix" -> "unix";
      default -> null;
    };
  }

  @Override
  public Attributes measured(Call call, boolean served, Outcome outcome) {
    String method = served ? Names.served(call) : methods.called(call, outcome);
    AttributesBuilder attributes = Attributes.builder().put(METHOD, method);
    AttributeKey<String> target = target(method);
    String name = target == null ? null : param(call, "name");
    if (target != null && name != null) {
      // The peer has chosen the name: only a result shows that there is such a tool.
      boolean exists = outcome.isAnswered() && outcome.code() == null;
      attributes.put(target, exists ? targets.admit(name) : targets.known(name));
    }
    if (target == TOOL) {
      attributes.put(OPERATION, "execute_tool");
    }
    return facts.with(attributes.build(), outcome);
  }

  @Override
  public Attributes measured(RefusedCall call, Outcome outcome) {
    return facts.with(Attributes.of(METHOD, Names.served(call)), outcome);
  }

  @Override
  public @Nullable String failure(Call call, @Nullable Object result) {
    return call.method().equals("tools/call")
            && result instanceof Json json
            && Json.TRUE.equals(json.get("isError"))
        ? Outcome.TOOL_ERROR
        : null;
  }
}
