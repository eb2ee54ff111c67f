package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.cli.Child.Outcome;
import dev.repartee.transport.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The credentials that {@code --auth} and {@code --netrc} send to a server. */
@EnabledOnOs({OS.LINUX, OS.MAC})
class CredentialsTest {
  private static final String CALL = """
      {"jsonrpc":"2.0","method":"m","id":1}
      """;

  private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();
  private Server server;
  private String http;

  @TempDir
  Path folder;

  @BeforeEach
  void serve() throws Exception {
    Service service = Service.builder()
        .method("m", call -> {
          seen.add(String.valueOf(call.attributes().get(HttpRequest.HEADERS).get("authorization")));
          return 1;
        })
        .build();
    server = Repartee.listen("http://127.0.0.1:0/", service);
    http = server.endpoint().toString();
  }

  @AfterEach
  void end() {
    server.close();
  }

  private String file(String text) throws Exception {
    Path file = folder.resolve("secret");
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    return Files.writeString(file, text).toString();
  }

  private static Outcome run(int exit, String in, String... words) {
    Outcome outcome = Captured.run(in, words);
    assertThat(outcome.exit()).as(outcome.err()).isEqualTo(exit);
    assertThat(outcome.err()).doesNotContain("s3cret");
    return outcome;
  }

  private void refused(String sentence, String uri, String... options) {
    List<String> words = new ArrayList<>(List.of("call", uri, "m"));
    words.addAll(List.of(options));
    assertThat(run(2, "", words.toArray(String[]::new)).err())
        .startsWith("repartee: ")
        .contains(sentence)
        .hasLineCount(1);
    assertThat(seen).isEmpty();
  }

  private static String basic(String pair) {
    return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(UTF_8));
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "ws"})
  void aFileHasATokenOrAPassword(String scheme) throws Exception {
    String uri = http.replace("http:", scheme + ":");
    assertThat(run(0, "", "call", uri, "m", "--auth", "bearer:@" + file("s3cret\n"))
            .err())
        .isEmpty();
    assertThat(seen.remove()).isEqualTo("Bearer s3cret");
    run(0, "", "call", uri, "m", "--auth", "basic:@" + file("ada:s3cr:et ü\r\n"));
    assertThat(seen.remove()).isEqualTo(basic("ada:s3cr:et ü"));
  }

  @Test
  void anEnvironmentVariableHasATokenOrAPassword() throws Exception {
    Map<String, String> variables = Map.of("TOKEN", "s3cret", "PASSWORD", "ada:s3cret");
    try (Child child =
        Child.start(Child.command("call", http, "m", "--auth", "bearer:env:TOKEN"), variables)) {
      assertThat(child.outcome()).isEqualTo(new Outcome(0, "1\n", ""));
    }
    assertThat(seen.remove()).isEqualTo("Bearer s3cret");
    try (Child child =
        Child.start(Child.command("call", http, "m", "--auth", "basic:env:PASSWORD"), variables)) {
      assertThat(child.outcome()).isEqualTo(new Outcome(0, "1\n", ""));
    }
    assertThat(seen.remove()).isEqualTo(basic("ada:s3cret"));
  }

  @Test
  void everyCommandThatConnectsSendsThem() throws Exception {
    String[] auth = {"--auth", "bearer:@" + file("s3cret")};
    run(0, CALL, "batch", http, auth[0], auth[1]);
    run(0, CALL, "send", http, "--silence", "100ms", auth[0], auth[1]);
    run(0, "", "notify", http, "m", auth[0], auth[1]);
    run(0, "m", "session", http, auth[0], auth[1]);
    run(0, "", "check", http, "--call", "m", auth[0], auth[1]);
    for (int i = 0; i < 5; i++) {
      assertThat(seen.poll(30, TimeUnit.SECONDS)).isEqualTo("Bearer s3cret");
    }
  }

  @Test
  void netrcHasAPasswordForEachHost() throws Exception {
    String file =
        file("machine 127.0.0.1 login ada password s3cret\nmachine other login x password y");
    run(0, "", "call", http, "m", "--netrc", file);
    assertThat(seen.remove()).isEqualTo(basic("ada:s3cret"));
    refused(
        "has no login and password for 'localhost'; add a line: machine localhost login NAME",
        http.replace("127.0.0.1", "localhost"),
        "--netrc",
        file);
    refused("--netrc is not sent to http://other/ without TLS", "http://other/", "--netrc", file);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "basic:ada:s3cret",
        "bearer:s3cret",
        "s3cret",
        "basic:@",
        "bearer:env:",
        "bearer:env:s3cret=1",
        "BASIC:@s3cret"
      })
  void aSecretOnTheCommandLineIsRefusedWithTheRemedy(String spec) {
    refused(
        "--auth is basic:@FILE, bearer:@FILE, basic:env:NAME or bearer:env:NAME",
        http,
        "--auth",
        spec);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "basic  | s3cret       | is not one line NAME:PASSWORD",
        "basic  | :s3cret      | is not one line NAME:PASSWORD",
        "bearer | s3cret s3cret| is not one token",
        "bearer | s3cretü      | is not one token"
      })
  void aFileWithAnotherTextIsRefused(String kind, String text, String sentence) throws Exception {
    refused(sentence, http, "--auth", kind + ":@" + file(text));
    refused(sentence, http, "--auth", kind + ":@" + file(text + "\n" + text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "http://198.51.100.7/",
        "ws://rpc.example/",
        "http://127.0.0.1.example/",
        "http://127.0.0.1/#proxy=http://proxy.example:3128"
      })
  void credentialsAreNotSentToAnotherMachineWithoutTls(String uri) throws Exception {
    refused(
        "is not sent to " + uri.replaceFirst("#.*", ""),
        uri,
        "--auth",
        "bearer:@" + file("s3cret"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "tcp://127.0.0.1:1     | does not know its clients; use tls: with #cert=FILE&key=FILE",
        "tls://127.0.0.1:1     | knows its clients by the certificate of the URI, #cert=FILE&key=FILE",
        "unix:./x              | knows its clients by their user",
        "ssh://127.0.0.1:1     | knows its clients by their key, #identity=FILE",
        "xmpp://a@b/c@b        | knows its clients by the account of the URI, xmpp://ACCOUNT/SERVICE",
        "zmq+tcp://127.0.0.1:1 | knows its clients by their key, #curve-key=FILE",
        "exec:true             | needs no credentials"
      })
  void aTransportWithoutHeadersIsRefusedWithTheRemedy(String uri, String sentence)
      throws Exception {
    String scheme = uri.substring(0, uri.indexOf(':'));
    String file = file("s3cret");
    refused(
        scheme + ": has no place for --auth; a server there " + sentence,
        uri,
        "--auth",
        "bearer:@" + file);
    refused(scheme + ": has no place for --netrc; a server there", uri, "--netrc", file);
  }

  @Test
  void twoSourcesAreRefused() throws Exception {
    String file = file("s3cret");
    refused("give --auth or --netrc", http, "--auth", "bearer:@" + file, "--netrc", file);
    refused(
        "the header 'authorization' is given twice",
        http,
        "--auth",
        "bearer:@" + file,
        "--header",
        "authorization: Bearer s3cret");
    assertThat(run(2, "", "mcp", "tools", http, "--login", "--auth", "bearer:@" + file)
            .err())
        .contains("give --login, or the credentials themselves with --auth or --netrc");
    refused("NO_SUCH_VARIABLE is not set", http, "--auth", "bearer:env:NO_SUCH_VARIABLE");
    refused("there is no file '/no/where'", http, "--auth", "bearer:@/no/where");
  }

  @Test
  void aFileThatOthersCanReadGetsAWarning() throws Exception {
    String file = file("s3cret");
    Files.setPosixFilePermissions(Path.of(file), PosixFilePermissions.fromString("rw-r-----"));
    assertThat(run(0, "", "call", http, "m", "--auth", "bearer:@" + file).err())
        .isEqualTo("repartee: other users of this machine can read '" + file
            + "'; restrict it with chmod 600\n");
  }
}
