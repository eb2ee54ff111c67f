package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.cli.Child.Outcome;
import dev.repartee.security.KeyFile;
import dev.repartee.security.PasswordFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Servers of the command with {@code --auth}, and calls of the command with credentials. */
@EnabledOnOs({OS.LINUX, OS.MAC})
class GuardedServeTest {
  private static final String HTTP = "http://127.0.0.1:0/";

  @TempDir
  Path folder;

  private String users;
  private String tokens;
  private String ada;
  private String bob;
  private String stock;

  @BeforeEach
  void files() throws Exception {
    PasswordFile passwords = new PasswordFile(folder.resolve("users"));
    passwords.put("ada", "one".toCharArray(), Set.of("admin"));
    passwords.put("bob", "two".toCharArray(), Set.of("user"));
    users = folder.resolve("users").toString();
    tokens = folder.resolve("tokens").toString();
    stock = file("stock", new KeyFile(Path.of(tokens)).add("stock", Set.of("user")));
    ada = file("ada", "ada:one");
    bob = file("bob", "bob:two");
  }

  private String file(String name, String text) throws Exception {
    Path file = Files.writeString(folder.resolve(name), text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    return file.toString();
  }

  private static String called(String uri, String method, String... auth) {
    Outcome outcome = call(uri, method, auth);
    assertThat(outcome.exit()).as(outcome.err()).isZero();
    return outcome.out().strip();
  }

  private static String refused(int exit, String uri, String method, String... auth) {
    Outcome outcome = call(uri, method, auth);
    assertThat(outcome.exit()).as(outcome.err()).isEqualTo(exit);
    return outcome.err();
  }

  private static Outcome call(String uri, String method, String... auth) {
    List<String> words = new ArrayList<>(List.of("call", uri, method, "1", "2"));
    words.addAll(List.of(auth));
    return Captured.run("", words.toArray(String[]::new));
  }

  @Test
  void aCallerProvesWhoItIsAndMayCallTheMethodsOfItsRole() throws Exception {
    Path audit = folder.resolve("audit");
    try (Child server = Child.start(
        "serve",
        "--listen",
        HTTP,
        "--auth",
        "basic:" + users,
        "--auth",
        "bearer:" + tokens,
        "--allow",
        "admin=*",
        "--allow",
        "user=s*",
        "--audit",
        audit.toString())) {
      String http = server.listening();
      for (String uri : List.of(http, http.replace("http:", "ws:"))) {
        assertThat(called(uri, "add", "--auth", "basic:@" + ada)).isEqualTo("3");
        assertThat(called(uri, "sum", "--auth", "basic:@" + bob)).isEqualTo("3");
        assertThat(called(uri, "sum", "--auth", "bearer:@" + stock)).isEqualTo("3");
        assertThat(refused(1, uri, "add", "--auth", "basic:@" + bob)).contains("\"code\":403");
        assertThat(refused(3, uri, "sum")).contains("401");
        String wrong = file("wrong", "ada:three");
        assertThat(refused(3, uri, "sum", "--auth", "basic:@" + wrong)).contains("401");
      }
      server.terminate();
      assertThat(server.outcome().exit()).isZero();
    }
    assertThat(Files.readString(audit))
        .contains(
            "\"principal\":\"ada\",\"proof\":\"basic\",\"method\":\"add\",\"outcome\":\"allowed\"")
        .contains(
            "\"principal\":\"bob\",\"proof\":\"basic\",\"method\":\"add\",\"outcome\":\"forbidden\"")
        .contains("\"principal\":\"stock\",\"proof\":\"bearer\"")
        .contains("\"outcome\":\"unauthenticated\"")
        .doesNotContain("three");
  }

  @Test
  void aBridgeHasItsOwnCredentialsForTheBackend() throws Exception {
    try (Child server = Child.start("serve", "--listen", HTTP, "--auth", "bearer:" + tokens);
        Child bridge = Child.start(
            "bridge",
            "--listen",
            HTTP,
            "--to",
            server.listening(),
            "--auth",
            "basic:" + users,
            "--backend-auth",
            "bearer:@" + stock)) {
      String uri = bridge.listening();
      assertThat(called(uri, "sum", "--auth", "basic:@" + ada)).isEqualTo("3");
      assertThat(refused(3, uri, "sum", "--auth", "bearer:@" + stock)).contains("401");
    }
  }

  @Test
  void anMcpServerAdmitsOnlyKnownCallers() throws Exception {
    try (Child server = Child.start(
        "mcp",
        "serve",
        "--class",
        "java.lang.Math",
        "--listen",
        HTTP + "mcp",
        "--auth",
        "basic:" + users)) {
      String uri = listening(server);
      String[] call = {"mcp", "call", uri, "hypot", "arg0=3", "arg1=4", "--auth", "basic:@" + ada};
      assertThat(Captured.run("", call)).isEqualTo(new Outcome(0, "5\n", ""));
      Outcome refused = Captured.run("", "mcp", "tools", uri);
      assertThat(refused.exit()).isEqualTo(3);
      assertThat(refused.err()).contains("HTTP status 401");
    }
  }

  private static String listening(Child server) throws Exception {
    String line = server.errLine();
    while (!line.startsWith("listening on ")) {
      line = server.errLine();
    }
    return line.substring("listening on ".length());
  }

  @Test
  void aUserOfThisMachineIsKnownOverAUnixSocket() throws Exception {
    String user = System.getProperty("user.name");
    String mine = "unix:" + folder.resolve("mine");
    String other = "unix:" + folder.resolve("other");
    try (Child server = Child.start(
            "serve",
            "--listen",
            mine,
            "--auth",
            "peer:user=" + user + ",role=r",
            "--allow",
            "r=s*");
        Child strict = Child.start("serve", "--listen", other, "--auth", "peer:uid=65533")) {
      assertThat(server.listening()).isEqualTo(mine);
      assertThat(strict.listening()).isEqualTo(other);
      assertThat(called(mine, "sum")).isEqualTo("3");
      assertThat(refused(1, mine, "add")).contains("\"code\":403");
      refused(4, other, "sum");
    }
  }
}
