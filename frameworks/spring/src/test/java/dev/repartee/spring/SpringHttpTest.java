package dev.repartee.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.repartee.Call;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.RemoteRpcException;
import dev.repartee.Repartee;
import dev.repartee.Rpc;
import dev.repartee.Service;
import dev.repartee.access.Allow;
import dev.repartee.mcp.McpTool;
import dev.repartee.mcp.client.McpClient;
import dev.repartee.mcp.types.Content;
import dev.repartee.mcp.types.Revision;
import dev.repartee.mcp.types.ToolResult;
import dev.repartee.message.RpcError;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.stereotype.Component;
import org.springframework.validation.annotation.Validated;

/** Beans on the web server of an application with Spring Security: on Tomcat. */
@SpringBootTest(
    classes = SpringHttpTest.App.class, // for subclasses
    webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
    properties = {
      Containers.TOMCAT, // which a subclass overrides
      "repartee.listen[0]=tcp://127.0.0.1:0",
      "repartee.mcp.path=/mcp",
      "management.endpoints.web.exposure.include=*"
    })
class SpringHttpTest {
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  @EnableMethodSecurity
  @Import({Shop.class, Stock.class, Admin.class, Weather.class})
  static class App {
    @Bean
    SecurityFilterChain chain(HttpSecurity http) throws Exception {
      return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
          .httpBasic(Customizer.withDefaults())
          .csrf(csrf -> csrf.disable())
          .build();
    }

    @Bean
    UserDetailsService users() {
      return new InMemoryUserDetailsManager(
          User.withUsername("ann").password("{noop}a").roles("CLERK").build(),
          User.withUsername("bob").password("{noop}b").roles("GUEST").build());
    }

    @Bean
    RpcExceptionMapper soldOut() {
      return failure -> failure instanceof IllegalStateException
          ? new RpcError(1001, String.valueOf(failure.getMessage()))
          : null;
    }
  }

  @Component
  @RpcService
  @Validated
  static class Shop {
    public int order(@NotBlank String item, @Positive int count) {
      return count;
    }

    @PreAuthorize("hasRole('CLERK')")
    public String price(String item) {
      return item + " for "
          + SecurityContextHolder.getContext().getAuthentication().getName();
    }

    public CompletableFuture<String> later() {
      return CompletableFuture.supplyAsync(() -> {
        throw new AccessDeniedException("no");
      });
    }

    public int count(Map<String, @Positive Integer> counts) {
      return counts.size();
    }

    public void sell() {
      throw new IllegalStateException("sold out");
    }
  }

  /** An interface of which only the methods are served. */
  @RpcService
  interface Stocked {
    int stock(String item);
  }

  @Component
  static class Stock implements Stocked {
    @Override
    public int stock(String item) {
      return 3;
    }

    public void secret() {}
  }

  @Component
  @RpcService("/admin")
  static class Admin {
    @Rpc("who")
    @PreAuthorize("isAuthenticated()")
    public String who(Call call) {
      call.progress("soon");
      return SecurityContextHolder.getContext().getAuthentication().getName();
    }

    @Rpc
    @Allow("CLERK")
    public String principal(Call call) {
      return String.valueOf(call.principal());
    }

    @Rpc
    public String thread() {
      return Thread.currentThread().toString();
    }
  }

  @Component
  @Validated
  static class Weather {
    @McpTool("Tells the weather")
    @PreAuthorize("hasRole('CLERK')")
    public String weather(@Size(min = 2) String city) {
      return "sun in " + city;
    }
  }

  @LocalServerPort
  private int port;

  @Autowired
  private RpcServers servers;

  @Autowired
  private WebServerApplicationContext context;

  @Value("${spring.threads.virtual.enabled:false}")
  private boolean isVirtual;

  String container() {
    return "Tomcat";
  }

  private HttpResponse<String> post(String path, String user, String body) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + port + path))
        .header("Content-Type", "application/json")
        .header("Accept", "application/json, text/event-stream");
    if (!user.isEmpty()) {
      request.header("Authorization", basic(user));
    }
    return HttpClient.newHttpClient()
        .send(
            request.POST(HttpRequest.BodyPublishers.ofString(body)).build(),
            HttpResponse.BodyHandlers.ofString());
  }

  private static String basic(String user) {
    return "Basic " + Base64.getEncoder().encodeToString(user.getBytes());
  }

  private HttpResponse<String> call(String path, String user, String method, String params)
      throws Exception {
    return post(
        path,
        user,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"" + method + "\",\"params\":" + params + "}");
  }

  @Test
  void beansOfOnePathAreOneService() throws Exception {
    assertThat(call("/rpc", "", "order", "[\"tea\",2]").body()).contains("\"result\":2");
    assertThat(call("/rpc", "", "stock", "[\"tea\"]").body()).contains("\"result\":3");
    assertThat(call("/rpc", "", "secret", "[]").body()).contains("-32601");
  }

  @Test
  void aRefusedCallHasTheStatusOfSpringSecurity() throws Exception {
    HttpResponse<String> served = call("/rpc", "ann:a", "price", "[\"tea\"]");
    assertThat(served.statusCode()).isEqualTo(200);
    assertThat(served.body()).contains("tea for ann");
    HttpResponse<String> forbidden = call("/rpc", "bob:b", "price", "[\"tea\"]");
    assertThat(forbidden.statusCode()).isEqualTo(403);
    assertThat(forbidden.body()).contains("\"code\":403");
    HttpResponse<String> unknown = call("/rpc", "", "price", "[\"tea\"]");
    assertThat(unknown.statusCode()).isEqualTo(401);
    assertThat(unknown.body()).contains("\"code\":401");
  }

  @Test
  void theAuthoritiesAreTheRolesOfThePrincipal() throws Exception {
    assertThat(call("/admin", "ann:a", "principal", "[]").body()).contains("ann", "ROLE_CLERK");
    assertThat(call("/admin", "bob:b", "principal", "[]").statusCode()).isEqualTo(403);
    HttpResponse<String> unknown = call("/admin", "", "principal", "[]");
    assertThat(unknown.statusCode()).isEqualTo(401);
    assertThat(unknown.body()).contains("\"code\":401");
  }

  @Test
  void aCallThatIsRefusedLaterHasTheStatusOfItsCaller() throws Exception {
    assertThat(call("/rpc", "bob:b", "later", "[]").statusCode()).isEqualTo(403);
    assertThat(call("/rpc", "", "later", "[]").statusCode()).isEqualTo(401);
  }

  @Test
  void violationsNameTheParameters() throws Exception {
    assertThat(call("/rpc", "", "order", "[\"\",0]").body())
        .contains("-32602")
        .contains("{\"path\":\"count\",\"message\":\"must be greater than 0\"}")
        .contains("{\"path\":\"item\",\"message\":\"must not be blank\"}");
  }

  @Test
  void aLongKeyIsCutBetweenCharacters() throws Exception {
    String key = "a".repeat(63);
    assertThat(call("/rpc", "", "count", "[{\"" + key + "\ud83d\ude00\":0}]").body())
        .contains("counts[" + key + "...]");
  }

  @Test
  void aMapperMapsExceptions() throws Exception {
    assertThat(call("/rpc", "", "sell", "[]").body()).contains("1001").contains("sold out");
  }

  @Test
  void theContainerIsTheChosenOne() {
    assertThat(context.getWebServer().getClass().getSimpleName()).startsWith(container());
  }

  @Test
  void aCallOverHttpRunsOnAThreadOfTheContainer() throws Exception {
    assertThat(call("/admin", "", "thread", "[]").body().contains("VirtualThread["))
        .isEqualTo(isVirtual);
  }

  @Test
  void progressIsAnEventAndKeepsTheIdentity() throws Exception {
    HttpResponse<String> response = call("/admin", "ann:a", "who", "[]");
    assertThat(response.headers().firstValue("Content-Type").orElseThrow())
        .startsWith("text/event-stream");
    assertThat(response.body()).containsSubsequence("rpc.progress", "soon", "\"result\":\"ann\"");
  }

  @Test
  void aWebSocketKeepsTheIdentityOfItsHandshake() throws Exception {
    CompletableFuture<String> pushed = new CompletableFuture<>();
    Service client = Service.builder()
        .method("sale", call -> pushed.complete(String.valueOf(call.params())))
        .build();
    Options options = Options.builder().header("Authorization", basic("ann:a")).build();
    try (Peer peer = Repartee.connect("ws://127.0.0.1:" + port + "/admin", client, options)) {
      assertThat(peer.call("who", String.class)).isEqualTo("ann");
      servers.broadcast("sale", "tea");
      assertThat(pushed.get(60, TimeUnit.SECONDS)).contains("tea");
    }
  }

  @Test
  void theSameBeansAnswerOnASocket() throws Exception {
    String uri = servers.all().stream()
        .map(server -> server.endpoint().toString())
        .filter(endpoint -> endpoint.startsWith("tcp:"))
        .findFirst()
        .orElseThrow();
    try (Peer peer = Repartee.connect(uri)) {
      assertThat(peer.call("order", Integer.class, "tea", 2)).isEqualTo(2);
      assertThatExceptionOfType(RemoteRpcException.class)
          .isThrownBy(() -> peer.call("who", String.class))
          .withMessageContaining("Unauthorized");
    }
  }

  /** A call of the older revision runs on a worker. */
  @ParameterizedTest
  @EnumSource(names = {"V2025_11_25", "V2026_07_28"})
  void beansWithToolsAreAnMcpServer(Revision revision) throws Exception {
    assertThat(weather(revision, "ann:a", "Oslo").content())
        .isEqualTo(List.of(Content.text("sun in Oslo")));
    assertRefused(403, () -> weather(revision, "bob:b", "Oslo"));
    assertRefused(401, () -> weather(revision, "", "Oslo"));
  }

  @ParameterizedTest
  @EnumSource(names = {"V2025_11_25", "V2026_07_28"})
  void violationsOfAToolNameTheArgument(Revision revision) {
    assertThatExceptionOfType(RemoteRpcException.class)
        .isThrownBy(() -> weather(revision, "ann:a", "O"))
        .satisfies(e -> assertThat(e.code()).isEqualTo(-32602))
        .satisfies(e -> assertThat(String.valueOf(e.data())).contains("\"path\":\"city\""));
  }

  private static void assertRefused(int code, ThrowingCallable call) {
    assertThatExceptionOfType(RemoteRpcException.class)
        .isThrownBy(call)
        .satisfies(e -> assertThat(e.code()).isEqualTo(code));
  }

  private ToolResult weather(Revision revision, String user, String city) throws IOException {
    Options options = user.isEmpty()
        ? Options.DEFAULT
        : Options.builder().header("Authorization", basic(user)).build();
    try (McpClient client = McpClient.builder("test", "1")
        .revisions(revision)
        .options(options)
        .connect("http://127.0.0.1:" + port + "/mcp")) {
      return client.call("weather", Map.of("city", city));
    }
  }

  @Test
  void theActuatorShowsMethodsAndTimes() throws Exception {
    call("/rpc", "", "stock", "[\"tea\"]");
    assertThat(get("/actuator/repartee"))
        .contains("\"/rpc\":[")
        .contains("stock")
        .contains("tcp:");
    assertThat(get("/actuator/metrics/rpc.server.call.duration"))
        .contains("COUNT")
        .contains("rpc.method")
        .contains("error.type");
    assertThat(get("/actuator/health")).contains("UP");
  }

  private String get(String path) throws Exception {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .header("Authorization", basic("ann:a"))
                .build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }
}
