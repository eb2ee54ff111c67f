package dev.repartee.mcp.oauth;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.nimbusds.oauth2.sdk.pkce.CodeChallenge;
import com.nimbusds.oauth2.sdk.pkce.CodeChallengeMethod;
import com.nimbusds.oauth2.sdk.pkce.CodeVerifier;
import com.nimbusds.oauth2.sdk.util.URLUtils;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.repartee.json.Json;
import dev.repartee.mcp.auth.HttpAuthorization;
import dev.repartee.mcp.auth.HttpAuthorization.Refusal;
import dev.repartee.mcp.auth.HttpAuthorization.Request;
import dev.repartee.transport.Headers;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An MCP server that needs tokens, and its authorization server, at one address. Tests change the
 * metadata and replace the answers of single paths.
 */
final class ScriptedServers implements AutoCloseable {
  /** Answers a request. */
  interface Script {
    void answer(Heard heard) throws Exception;
  }

  /** A request as it has arrived. */
  record Heard(HttpExchange http, String body) {
    String path() {
      return http.getRequestURI().getPath();
    }

    Map<String, List<String>> query() {
      return URLUtils.parseParameters(http.getRequestURI().getRawQuery());
    }

    String query(String name) {
      return first(query(), name);
    }

    String form(String name) {
      return first(URLUtils.parseParameters(body), name);
    }

    String header(String name) {
      String value = http.getRequestHeaders().getFirst(name);
      return value == null ? "" : value;
    }

    Json json() {
      return Json.parse(body);
    }

    private static String first(Map<String, List<String>> values, String name) {
      return values.getOrDefault(name, List.of("")).get(0);
    }

    void json(int status, Object value) throws IOException {
      answer(status, "application/json", Json.of(value).toString());
    }

    void answer(int status, String type, String body) throws IOException {
      byte[] bytes = body.getBytes(UTF_8);
      http.getResponseHeaders().set("Content-Type", type);
      http.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      http.getResponseBody().write(bytes);
      http.close();
    }

    void redirect(String to) throws IOException {
      http.getResponseHeaders().set("Location", to);
      http.sendResponseHeaders(302, -1);
      http.close();
    }
  }

  static {
    // Without it each answer with a body waits 40 ms for a delayed acknowledgement.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  static final HttpClient HTTP =
      HttpClient.newBuilder().followRedirects(HttpClient.Redirect.ALWAYS).build();

  final List<Heard> heard = new CopyOnWriteArrayList<>();
  final Map<String, Script> scripts = new ConcurrentHashMap<>();
  final Map<String, Object> resource = new ConcurrentHashMap<>();
  final Map<String, Object> metadata = new ConcurrentHashMap<>();
  final Map<String, Object> token = new ConcurrentHashMap<>();
  final Map<String, String> response = new ConcurrentHashMap<>();

  /** The tokens that the MCP server accepts. */
  final Set<String> accepted = ConcurrentHashMap.newKeySet();

  final AtomicInteger logins = new AtomicInteger();
  volatile String challenge;
  private volatile String codeChallenge = "";
  private final AtomicInteger issued = new AtomicInteger();
  private final AtomicInteger registered = new AtomicInteger();
  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();

  ScriptedServers() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", http -> {
      Heard request = new Heard(http, new String(http.getRequestBody().readAllBytes(), UTF_8));
      heard.add(request);
      try {
        scripts
            .getOrDefault(request.path(), other -> other.answer(404, "text/plain", "none"))
            .answer(request);
      } catch (Exception e) {
        http.close();
      }
    });
    server.start();
    resource.putAll(
        Map.of("resource", mcp().toString(), "authorization_servers", List.of(origin())));
    metadata.putAll(Map.of(
        "issuer",
        origin(),
        "authorization_endpoint",
        origin() + "/authorize",
        "token_endpoint",
        origin() + "/token",
        "registration_endpoint",
        origin() + "/register",
        "code_challenge_methods_supported",
        List.of("S256"),
        "token_endpoint_auth_methods_supported",
        List.of("none", "client_secret_basic")));
    challenge = "Bearer";
    scripts.put("/mcp", this::mcp);
    scripts.put("/.well-known/oauth-protected-resource/mcp", it -> it.json(200, resource));
    scripts.put("/.well-known/oauth-authorization-server", it -> it.json(200, metadata));
    scripts.put("/authorize", this::authorize);
    scripts.put("/token", this::token);
    scripts.put("/register", this::register);
  }

  private void mcp(Heard request) throws IOException {
    if (accepted.contains(request.header("Authorization"))) {
      request.json(200, Map.of());
      return;
    }
    request.http.getResponseHeaders().set("WWW-Authenticate", challenge);
    request.answer(401, "text/plain", "who are you?");
  }

  private void authorize(Heard request) throws IOException {
    logins.incrementAndGet();
    codeChallenge = request.query("code_challenge");
    Map<String, String> answer = new LinkedHashMap<>();
    answer.put("code", "the-code");
    answer.put("state", request.query("state"));
    answer.putAll(response);
    List<String> fields = new ArrayList<>();
    answer.forEach((name, value) -> {
      if (!value.isEmpty()) {
        fields.add(name + "=" + URLEncoder.encode(value, UTF_8));
      }
    });
    request.redirect(request.query("redirect_uri") + "?" + String.join("&", fields));
  }

  private void token(Heard request) throws IOException {
    if (request.form("grant_type").equals("authorization_code")
        && !CodeChallenge.compute(
                CodeChallengeMethod.S256, new CodeVerifier(request.form("code_verifier")))
            .getValue()
            .equals(codeChallenge)) {
      request.json(400, Map.of("error", "invalid_grant"));
      return;
    }
    int number = issued.incrementAndGet();
    Map<String, Object> answer = new HashMap<>();
    answer.put("access_token", "access-" + number);
    answer.put("token_type", "Bearer");
    answer.putAll(token);
    accepted.add(answer.get("token_type") + " " + answer.get("access_token"));
    request.json(200, answer);
  }

  private void register(Heard request) throws IOException {
    request.json(201, Map.of("client_id", "dynamic-" + registered.incrementAndGet()));
  }

  /** Makes the MCP server its own authorization server without metadata, as in 2025-03-26. */
  void withoutMetadata() {
    scripts.keySet().removeIf(path -> path.startsWith("/.well-known/"));
  }

  String origin() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  URI mcp() {
    return URI.create(origin() + "/mcp");
  }

  /** Returns the requests to a path. */
  List<Heard> heard(String path) {
    return heard.stream().filter(request -> request.path().equals(path)).toList();
  }

  Heard last(String path) {
    List<Heard> all = heard(path);
    return all.get(all.size() - 1);
  }

  /** Returns the paths of all requests to metadata. */
  List<String> wellKnown() {
    return heard.stream()
        .map(Heard::path)
        .filter(path -> path.contains(".well-known"))
        .toList();
  }

  /** Opens a page at once, as a user would who grants everything. */
  static void visit(URI page) {
    HTTP.sendAsync(HttpRequest.newBuilder(page).build(), BodyHandlers.discarding());
  }

  static OAuthClient.Builder browsing() {
    return OAuthClient.builder("Test").browser(Browser.loopback(ScriptedServers::visit));
  }

  /** Calls the MCP server as an MCP client does, and returns the HTTP status. */
  int call(HttpAuthorization authorization) throws Exception {
    Request request = new Request("POST", mcp(), mcp());
    for (int attempt = 1; ; attempt++) {
      Headers headers = await(authorization.headers(request));
      HttpRequest.Builder sent =
          HttpRequest.newBuilder(mcp()).POST(HttpRequest.BodyPublishers.noBody());
      headers.fields().forEach(sent::setHeader);
      HttpResponse<String> answer = HTTP.send(sent.build(), BodyHandlers.ofString());
      Map<String, List<String>> lower = new HashMap<>();
      answer
          .headers()
          .map()
          .forEach((name, values) -> lower.put(name.toLowerCase(Locale.ROOT), values));
      if (answer.statusCode() != 401 && answer.statusCode() != 403) {
        authorization.answered(request, lower);
        return answer.statusCode();
      }
      Refusal refusal = new Refusal(request, headers, answer.statusCode(), lower, attempt);
      if (attempt > HttpAuthorization.MAX_ATTEMPTS || !await(authorization.refused(refusal))) {
        return answer.statusCode();
      }
    }
  }

  static <T> T await(CompletionStage<T> stage) throws Exception {
    try {
      return stage.toCompletableFuture().orTimeout(60, TimeUnit.SECONDS).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw e;
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
