package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Server;
import dev.repartee.access.Principal;
import dev.repartee.cli.Child.Outcome;
import dev.repartee.mcp.McpServer;
import dev.repartee.mcp.Tool;
import dev.repartee.mcp.auth.Protection;
import dev.repartee.mcp.oauth.ScriptedServers;
import java.io.BufferedReader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The login of the MCP commands, at a server of this library and an authorization server. */
@DisabledOnOs(OS.WINDOWS)
@Execution(ExecutionMode.CONCURRENT)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class McpLoginTest {
  @TempDir
  Path folder;

  private ScriptedServers login;
  private Server server;
  private String uri;

  @BeforeEach
  void serve() throws Exception {
    login = new ScriptedServers();
    server = McpServer.builder("shop", "1.0")
        .authorization(new Protection(
            List.of(login.origin()),
            Set.of(),
            null,
            token -> CompletableFuture.completedStage(
                login.accepted.contains("Bearer " + token)
                    ? Principal.bearer("ann", Set.of())
                    : null)))
        .tool(Tool.named("price").description("Tells a price").handle((call, in) -> "5"))
        .build()
        .listen("http://127.0.0.1:0/mcp");
    uri = server.endpoint().toString();
  }

  @AfterEach
  void stop() {
    server.close();
    login.close();
  }

  /** Starts a command with these variables; its opener of browsers is {@link #opener}. */
  private Child start(Map<String, String> variables, String... words) throws Exception {
    Map<String, String> environment = new LinkedHashMap<>(Map.of(
        "XDG_CONFIG_HOME",
        folder.resolve("config").toString(),
        "DISPLAY",
        ":0",
        "PATH",
        folder + ":" + System.getenv("PATH")));
    environment.putAll(variables);
    List<String> command = new ArrayList<>(Child.command());
    command.add("mcp");
    command.addAll(List.of(words));
    return Child.start(command, environment);
  }

  private Outcome run(Map<String, String> variables, String... words) throws Exception {
    try (Child child = start(variables, words)) {
      child.in().close();
      return child.outcome();
    }
  }

  /** Creates the openers of Linux and macOS, which run a script with the page as {@code $1}. */
  private void opener(String script) throws Exception {
    for (String name : List.of("xdg-open", "open")) {
      Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + script + "\n");
      assertThat(file.toFile().setExecutable(true)).isTrue();
    }
  }

  private static Outcome captured(String... words) {
    return Captured.run(
        "", Stream.concat(Stream.of("mcp"), Stream.of(words)).toArray(String[]::new));
  }

  @Test
  void aLoginInTheBrowserIsKeptUntilALogout() throws Exception {
    Path pages = folder.resolve("pages");
    assertThat(new ProcessBuilder("mkfifo", pages.toString()).start().waitFor()).isZero();
    opener("printf '%s %s\\n' \"$#\" \"$1\" >'" + pages + "'");
    try (Child child = start(Map.of(), "tools", uri, "--login")) {
      String page;
      try (BufferedReader reader = Files.newBufferedReader(pages)) {
        page = reader.readLine().replaceFirst("^1 ", "");
      }
      assertThat(child.errLine())
          .isEqualTo("Log in at " + login.origin() + " for " + uri + ". The page is:");
      assertThat(child.errLine()).isEqualTo(page).startsWith(login.origin() + "/authorize?");
      ScriptedServers.visit(URI.create(page));
      Outcome outcome = child.outcome();
      assertThat(outcome.exit()).as(outcome.err()).isZero();
      assertThat(outcome.out()).isEqualTo("price  Tells a price\n");
    }
    try (Stream<Path> files = Files.walk(folder.resolve("config"))) {
      assertThat(files.filter(Files::isRegularFile).toList())
          .isNotEmpty()
          .allSatisfy(
              file -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                  .isEqualTo("rw-------"));
    }
    assertThat(run(Map.of(), "call", uri, "price", "--login")).isEqualTo(new Outcome(0, "5\n", ""));
    assertThat(login.logins).hasValue(1);

    assertThat(run(Map.of(), "logout", uri))
        .isEqualTo(new Outcome(0, "", "The tokens for " + uri + " are deleted.\n"));
    assertThat(run(Map.of(), "logout", uri))
        .isEqualTo(new Outcome(0, "", "There were no tokens for " + uri + "\n"));
  }

  @Test
  void withNoBrowserThePageIsOnlyShown() throws Exception {
    opener("echo >'" + folder.resolve("opened") + "'");
    try (Child child = start(
        Map.of(), "tools", uri, "--login", "--no-browser", "--scope", "read", "--scope", "a b")) {
      child.errLine();
      ScriptedServers.visit(URI.create(child.errLine()));
      Outcome outcome = child.outcome();
      assertThat(outcome.exit()).as(outcome.err()).isZero();
      assertThat(outcome.err()).hasLineCount(2);
    }
    assertThat(folder.resolve("opened")).doesNotExist();
    assertThat(login.last("/authorize").query("scope")).isEqualTo("read a b");
  }

  @Test
  void anOpenerThatFailsIsReportedAndThePageRemains() throws Exception {
    opener("exit 3");
    try (Child child = start(Map.of(), "tools", uri, "--login")) {
      child.errLine();
      String page = child.errLine();
      assertThat(child.errLine())
          .matches("repartee: no browser was opened \\((xdg-)?open ended with exit code 3\\);"
              + " open the page yourself");
      ScriptedServers.visit(URI.create(page));
      assertThat(child.outcome().exit()).isZero();
    }
  }

  @Test
  void aRefusedLoginIsThree() throws Exception {
    login.scripts.put(
        "/authorize",
        page -> page.redirect(
            page.query("redirect_uri") + "?error=access_denied&state=" + page.query("state")));
    try (Child child = start(Map.of(), "tools", uri, "--login", "--no-browser")) {
      child.errLine();
      ScriptedServers.visit(URI.create(child.errLine()));
      Outcome outcome = child.outcome();
      assertThat(outcome.exit()).isEqualTo(3);
      assertThat(outcome.err())
          .endsWith("repartee: no access to " + uri + ": " + login.origin()
              + " refused the login: access_denied; run the command again and allow the access\n");
    }
  }

  @Test
  void aLoginThatDoesNotEndIsThree() throws Exception {
    Outcome outcome =
        run(Map.of(), "tools", uri, "--login", "--no-browser", "--login-timeout", "1ms");
    assertThat(outcome.exit()).isEqualTo(3);
    assertThat(outcome.err())
        .contains("has not ended within")
        .endsWith("; raise the limit with --login-timeout\n");
  }

  @Test
  void aClientWithASecretNeedsNoUser() throws Exception {
    Map<String, String> client =
        Map.of("REPARTEE_CLIENT_ID", "reports", "REPARTEE_CLIENT_SECRET", "s3cret");
    Outcome outcome = run(client, "tools", uri, "--client-credentials", "--scope", "read");
    assertThat(outcome).isEqualTo(new Outcome(0, "price  Tells a price\n", ""));
    ScriptedServers.Heard token = login.last("/token");
    assertThat(token.form("grant_type")).isEqualTo("client_credentials");
    assertThat(token.form("scope")).isEqualTo("read");
    assertThat(token.header("Authorization"))
        .isEqualTo("Basic " + Base64.getEncoder().encodeToString("reports:s3cret".getBytes(UTF_8)));
  }

  @Test
  void aClientWithAKeySignsAnAssertion() throws Exception {
    login.metadata.put("token_endpoint_auth_methods_supported", List.of("private_key_jwt"));
    Path key = folder.resolve("key.pem");
    Pem.make(folder.resolve("cert.pem"), key);
    Map<String, String> client = Map.of(
        "REPARTEE_CLIENT_ID", "reports",
        "REPARTEE_CLIENT_KEY", key.toString(),
        "REPARTEE_CLIENT_ISSUER", login.origin());
    Outcome outcome = run(client, "call", uri, "price", "--client-credentials");
    assertThat(outcome).isEqualTo(new Outcome(0, "5\n", ""));
    assertThat(login.last("/token").form("client_assertion")).isNotEmpty();
    assertThat(login.last("/token").form("client_id")).isIn("", "reports");
  }

  @Test
  void aSecretThatIsRefusedIsThreeAndNotShown() throws Exception {
    login.scripts.put("/token", request -> request.json(401, Map.of("error", "invalid_client")));
    Outcome outcome = run(
        Map.of("REPARTEE_CLIENT_ID", "reports", "REPARTEE_CLIENT_SECRET", "s3cret"),
        "tools",
        uri,
        "--client-credentials");
    assertThat(outcome.exit()).isEqualTo(3);
    assertThat(outcome.err())
        .contains("invalid_client", "; check REPARTEE_CLIENT_ID and its secret or key")
        .doesNotContain("s3cret");
  }

  @Test
  void aServerWithoutAnAuthorizationServerIsThree() {
    login.withoutMetadata();
    login.scripts.remove("/register");
    Outcome outcome = captured("tools", login.mcp().toString(), "--login", "--no-browser");
    assertThat(outcome.exit()).isEqualTo(3);
    assertThat(outcome.err())
        .startsWith("repartee: no access to " + login.mcp() + ": ")
        .contains("set its id as REPARTEE_CLIENT_ID")
        .endsWith(
            "; if the server accepts a token without a login, pass it with --auth bearer:@FILE\n");
  }

  @Test
  void withoutALoginTheErrorNamesTheOption() {
    for (String[] words : new String[][] {{"tools", uri}, {"call", uri, "price"}}) {
      assertThat(captured(words))
          .isEqualTo(new Outcome(
              3,
              "",
              "repartee: " + uri + " refuses the request without authorization (HTTP status 401);"
                  + " log in with --login, or send a token with --auth bearer:@FILE\n"));
    }
  }

  @Test
  void optionsThatDoNotFitAreTwo() {
    usage("exec:cat", "--login needs the URI of a server at http: or https:", "--login");
    usage(uri, "--login for a user, or --client-credentials", "--login", "--client-credentials");
    usage(uri, "--no-browser needs --login", "--no-browser");
    usage(uri, "--redirect-port needs --login", "--redirect-port", "8000");
    usage(uri, "--redirect-port has to be from 1", "--login", "--redirect-port", "70000");
    usage(uri, "--login-timeout needs --login", "--login-timeout", "5");
    usage(uri, "--scope needs --login or", "--scope", "read");
    usage(uri, "in the environment variable REPARTEE_CLIENT_ID", "--client-credentials");
    Outcome logout = captured("logout", "tcp://127.0.0.1:7000");
    assertThat(logout.exit()).isEqualTo(2);
    assertThat(logout.err()).contains("logout needs the URI of a server at http: or https:");
  }

  private static void usage(String uri, String reason, String... options) {
    Outcome outcome =
        captured(Stream.concat(Stream.of("tools", uri), Stream.of(options)).toArray(String[]::new));
    assertThat(outcome.exit()).isEqualTo(2);
    assertThat(outcome.err()).contains(reason).hasLineCount(1);
  }
}
