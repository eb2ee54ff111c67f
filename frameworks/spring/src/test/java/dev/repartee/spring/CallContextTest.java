package dev.repartee.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Call;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.mcp.McpTool;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Revision;
import io.micrometer.tracing.TraceContext;
import io.micrometer.tracing.Tracer;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;

/** The contexts of a request on the threads of an executor, and its trace. */
@SpringBootTest(
    webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
    properties = {"repartee.listen[0]=mem:call-context", "repartee.mcp.path=/mcp"})
class CallContextTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String SPAN = "b7ad6b7169203331";

  private static final ThreadLocal<String> TENANT = new ThreadLocal<>();
  private static final ExecutorService WORKERS = Executors.newCachedThreadPool();

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @Import({OpenSecurity.class, Spy.class})
  static class App {
    @Bean
    Filter tenants() {
      return (request, response, chain) -> {
        String tenant = ((HttpServletRequest) request).getHeader("X-Tenant");
        MDC.put("tenant", tenant);
        TENANT.set(tenant);
        try {
          chain.doFilter(request, response);
        } finally {
          MDC.remove("tenant");
          TENANT.remove();
        }
      };
    }

    @Bean
    CallerContext tenantOfCaller() {
      return () -> {
        String tenant = TENANT.get();
        return () -> {
          String before = TENANT.get();
          TENANT.set(tenant);
          return () -> TENANT.set(before);
        };
      };
    }

    @Bean
    RpcServerCustomizer workers() {
      return options -> options.executor(WORKERS);
    }
  }

  /** Another service, which is this application. */
  @RpcClient(uri = "http://127.0.0.1:${local.server.port}/spy")
  interface Next {
    String traceparent();
  }

  @Component
  @RpcService("/spy")
  static class Spy {
    private final ObjectProvider<Next> next;
    private final Tracer tracer;

    Spy(ObjectProvider<Next> next, Tracer tracer) {
      this.next = next;
      this.tracer = tracer;
    }

    @Rpc
    @McpTool("Returns the contexts of the call")
    public String contexts() {
      return MDC.get("tenant") + " " + TENANT.get();
    }

    @Rpc
    public String span() {
      TraceContext span = tracer.currentSpan().context();
      return span.traceId() + " " + span.parentId() + " " + MDC.get("traceId");
    }

    @Rpc
    public String traceparent(Call call) {
      return call.header("traceparent");
    }

    @Rpc
    public String relay() {
      return next.getObject().traceparent();
    }
  }

  @LocalServerPort
  private int port;

  @AfterAll
  static void end() {
    WORKERS.shutdown();
  }

  private static Options options() {
    return Options.builder()
        .header("X-Tenant", "acme")
        .header("traceparent", "00-" + TRACE + "-" + SPAN + "-01")
        .build();
  }

  private Peer connect(String scheme) throws Exception {
    return Repartee.connect(scheme + "://127.0.0.1:" + port + "/spy", options());
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "ws"})
  void theContextsOfARequestAreThoseOfItsCalls(String scheme) throws Exception {
    try (Peer peer = connect(scheme);
        Peer other = Repartee.connect("mem:call-context")) {
      assertThat(peer.call("contexts", String.class)).isEqualTo("acme acme");
      assertThat(other.call("contexts", String.class)).isEqualTo("null null");
      assertThat(peer.call("contexts", String.class)).isEqualTo("acme acme");
    }
  }

  /** A call of the older revision is one of a session. */
  @ParameterizedTest
  @EnumSource(names = {"V2025_11_25", "V2026_07_28"})
  void theContextsOfARequestAreThoseOfItsTools(Revision revision) throws Exception {
    try (McpClient client = McpClient.builder("test", "1")
        .revisions(revision)
        .options(options())
        .connect("http://127.0.0.1:" + port + "/mcp")) {
      assertThat(client.call("contexts", Map.of()).content())
          .isEqualTo(List.of(Content.text("acme acme")));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "ws"})
  void theCallerIsTheParentOfTheSpan(String scheme) throws Exception {
    try (Peer peer = connect(scheme)) {
      assertThat(peer.call("span", String.class)).isEqualTo(TRACE + " " + SPAN + " " + TRACE);
    }
  }

  @Test
  void aClientContinuesTheTrace() throws Exception {
    try (Peer peer = connect("http")) {
      assertThat(peer.call("relay", String.class))
          .startsWith("00-" + TRACE + "-")
          .doesNotContain(SPAN)
          .endsWith("-01");
    }
  }
}
