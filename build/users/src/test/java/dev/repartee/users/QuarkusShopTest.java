package dev.repartee.users;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Builds {@code examples/quarkus-shop} as a user would build it, with the core of this build in a
 * Maven repository, and calls the application. Maven downloads Quarkus if it is not there yet.
 */
@Tag("ci")
@DisabledOnOs(OS.WINDOWS)
class QuarkusShopTest {
  private static final Path ROOT = Path.of(System.getProperty("repartee.root"));
  private static final Path JDK = Path.of(System.getProperty("java.home"));
  private static final int PATIENCE_SECONDS = 60;
  private static final String VERSION = "this";

  /** Calls that share a request context fail in one of about ten batches of this size. */
  private static final int BATCH = 50;

  private static final int BATCHES = 100;
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  @TempDir
  static Path temp;

  private static Path program;
  private static Process shop;
  private static String address;

  @BeforeAll
  @Timeout(value = 15, unit = TimeUnit.MINUTES)
  static void buildAndStart() throws Exception {
    Path project = temp.resolve("shop");
    Path sources = ROOT.resolve("examples/quarkus-shop");
    try (Stream<Path> files = Files.walk(sources)) {
      for (Path file :
          files.filter(file -> !file.startsWith(sources.resolve("target"))).toList()) {
        Files.copy(file, project.resolve(sources.relativize(file).toString()));
      }
    }
    publishCore(temp.resolve("repository"));
    Path log = temp.resolve("maven.log");
    ProcessBuilder maven = process(
            ROOT.resolve("mvnw").toString(),
            "-q",
            "-B",
            "-f",
            project.toString(),
            "-Dmaven.repo.local=" + temp.resolve("repository"),
            "-Dmaven.repo.local.tail=" + System.getProperty("localRepository"),
            "-Dmaven.repo.local.tail.ignoreAvailability=true",
            "-Drepartee.version=" + VERSION,
            "package")
        .redirectOutput(log.toFile());
    maven.environment().put("MAVEN_OPTS", ReleasedModules.QUICK_START);
    assertThat(maven.start().waitFor()).as(() -> read(log)).isZero();
    program = project.resolve("target/quarkus-app/quarkus-run.jar");
    shop = start();
    address = address(shop);
  }

  @AfterAll
  static void end() {
    if (shop != null) {
      shop.destroyForcibly();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "     | price    | ['tea']    | 200 | {'jsonrpc':'2.0','result':3,'id':1}",
        "     | price    | ['sand']   | 200 | {'jsonrpc':'2.0','error':{'code':-32603,'message':'Internal error'},'id':1}",
        "     | setPrice | ['ink', 4] | 401 | {'jsonrpc':'2.0','error':{'code':401,'message':'Unauthorized'},'id':1}",
        "bob  | setPrice | ['ink', 4] | 403 | {'jsonrpc':'2.0','error':{'code':403,'message':'Forbidden'},'id':1}",
        "ada  | setPrice | ['ink', 4] | 200 | {'jsonrpc':'2.0','result':'ada set the price of ink','id':1}",
      },
      quoteCharacter = '`')
  void theUserOfTheRequestIsTheUserOfTheBean(
      String user, String method, String params, int status, String answer) throws Exception {
    HttpResponse<String> response = post(address, user, request(method, params));
    assertThat(response.statusCode()).isEqualTo(status);
    assertThat(response.body()).isEqualTo(answer.replace('\'', '"'));
  }

  @Test
  void theCallsOfABatchHaveTheSameUser() throws Exception {
    String batch =
        "[" + String.join(",", Collections.nCopies(BATCH, request("setPrice", "['ink',4]"))) + "]";
    for (int i = 0; i < BATCHES; i++) {
      HttpResponse<String> response = post(address, "ada", batch);
      assertThat(response.statusCode()).isEqualTo(200);
      assertThat(response.body().split("ada set the price of ink", -1)).hasSize(BATCH + 1);
    }
  }

  @Test
  void aNotificationHasNoAnswer() throws Exception {
    HttpResponse<String> response =
        post(address, null, "{'jsonrpc':'2.0','method':'price','params':['tea']}");
    assertThat(response.statusCode()).isEqualTo(204);
  }

  @Test
  void aWrongPasswordIsRefused() throws Exception {
    assertThat(post(address, "eve", request("price", "['tea']")).statusCode()).isEqualTo(401);
  }

  @Test
  void healthAndMetricsKnowTheCalls() throws Exception {
    post(address, null, request("price", "['tea']"));
    assertThat(get(address, "/q/health/ready")).contains("\"rpc\"", "\"room\": 200");
    assertThat(get(address, "/q/metrics"))
        .contains("rpc_server_call_duration_seconds_count{error_type=\"none\",rpc_method=\"price\","
            + "rpc_system_name=\"jsonrpc\"}");
  }

  @Test
  @Timeout(3 * PATIENCE_SECONDS)
  void aRunningCallIsAnsweredAfterSigterm() throws Exception {
    Process ended = start();
    try {
      String at = address(ended);
      CompletableFuture<HttpResponse<String>> order = order(at);
      while (!get(at, "/q/health/ready").contains("\"room\": 199")) {
        if (order.isDone()) { // before it was seen
          assertThat(order.get().body()).contains("\"result\":\"tea\"");
          order = order(at);
        }
      }
      ended.toHandle().destroy(); // Process.destroy would close the log, too
      assertThat(order.get().body()).contains("\"result\":\"tea\"");
      assertThat(ended.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    } finally {
      ended.destroyForcibly();
    }
  }

  /** Puts the classes of core into a repository. Core has no dependencies, and so its pom. */
  private static void publishCore(Path repository) throws Exception {
    Path folder =
        Files.createDirectories(repository.resolve("dev/repartee/repartee-core/" + VERSION));
    String file = "repartee-core-" + VERSION;
    Files.writeString(
        folder.resolve(file + ".pom"),
        "<project><modelVersion>4.0.0</modelVersion><groupId>dev.repartee</groupId>"
            + "<artifactId>repartee-core</artifactId><version>" + VERSION + "</version></project>");
    ToolProvider jar = ToolProvider.findFirst("jar").orElseThrow();
    String classes = ROOT.resolve("core/target/classes").toString();
    String to = folder.resolve(file + ".jar").toString();
    assertThat(jar.run(System.out, System.err, "cf", to, "-C", classes, ".")).isZero();
  }

  private static Process start() throws Exception {
    String java = JDK.resolve("bin/java").toString();
    return process(
            java,
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-Dquarkus.http.port=0",
            "-Dquarkus.http.host=127.0.0.1",
            "-jar",
            program.toString())
        .start();
  }

  private static ProcessBuilder process(String... command) {
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(temp.toFile()).redirectErrorStream(true);
    builder.environment().put("JAVA_HOME", JDK.toString());
    return builder;
  }

  /**
   * Returns the address that a started application logs. A thread reads the rest of its log: the
   * common pool may have a single thread, and {@link HttpClient#sendAsync} needs it.
   */
  private static String address(Process shop) throws Exception {
    BufferedReader log =
        new BufferedReader(new InputStreamReader(shop.getInputStream(), StandardCharsets.UTF_8));
    String mark = "Listening on: ";
    for (String line = log.readLine(); line != null; line = log.readLine()) {
      if (line.contains(mark)) {
        new Thread(() -> log.lines().forEach(each -> {})).start();
        return line.substring(line.indexOf(mark) + mark.length());
      }
    }
    throw new AssertionError("the application has ended");
  }

  private static String request(String method, String params) {
    return "{'jsonrpc':'2.0','id':1,'method':'" + method + "','params':" + params + "}";
  }

  private static CompletableFuture<HttpResponse<String>> order(String at) {
    HttpRequest request = posting(at, null, request("order", "['tea',1000]"));
    return CLIENT.sendAsync(request, BodyHandlers.ofString());
  }

  private static HttpResponse<String> post(String at, String user, String body) throws Exception {
    return CLIENT.send(posting(at, user, body), BodyHandlers.ofString());
  }

  private static HttpRequest posting(String at, String user, String body) {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(at + "/rpc"))
        .header("Content-Type", "application/json")
        .POST(BodyPublishers.ofString(body.replace('\'', '"')));
    if (user != null) {
      byte[] credentials = (user + ":" + user + "-secret").getBytes(StandardCharsets.UTF_8);
      request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(credentials));
    }
    return request.build();
  }

  private static String get(String at, String path) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(at + path)).build();
    return CLIENT.send(request, BodyHandlers.ofString()).body();
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
