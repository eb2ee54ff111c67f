package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.cli.Child.Outcome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The values of {@code --auth}, {@code --allow}, {@code --quota} and {@code --audit} that are refused. */
class AccessOptionsTest {
  private static final String HTTP = "http://127.0.0.1:0/";

  @TempDir
  Path folder;

  private static String refused(String... words) {
    Outcome outcome = Captured.run("", words);
    assertThat(outcome.exit()).as(outcome.err()).isEqualTo(2);
    assertThat(outcome.err()).startsWith("repartee: ").hasLineCount(1);
    return outcome.err();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "password:users      | 'password' is no way to prove who calls",
        "users               | 'users' is no way to prove who calls",
        "basic:              | nothing follows 'basic:'",
        "basic               | nothing follows 'basic:'",
        "basic:/no/file      | /no/file",
        "key:X-API-Key       | it is the name of a header field, a comma and a file",
        "key:,keys           | there is nothing before or after a comma",
        "jwt:keys.json       | audience= is missing",
        "jwt:keys.json,audience=a | issuer= is missing",
        "jwt:keys.json,issuer=i,audience=a,role=r | 'role=r' is unknown; known are issuer",
        "jwt:keys.json,issuer=i,audience=a,expiry=never | expiry=never is unknown; expiry=disconnect",
        "jwt:issuer=i,audience=a | the JWK set comes first",
        "jwt:keys.json,issuer=i,audience=a,algorithms=none | the algorithm 'none' is not allowed",
        "jwt:http://login.example/jwks,issuer=i,audience=a | http:// is allowed on this machine only",
        "introspect:https://login.example/ | client= is missing",
        "introspect:https://login.example/,client=x,secret=y | 'secret=y' is unknown",
      })
  void aFaultOfASpecNamesThePartAndAnExample(String spec, String sentence) {
    assertThat(refused("serve", "--listen", HTTP, "--auth", spec))
        .contains(sentence)
        .contains("; example: --auth ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"unix:./x", "unix:./x --listen tcp://127.0.0.1:0"})
  void aUserOfThisMachineMustExist(String listen) {
    List<String> words = new ArrayList<>(List.of("serve", "--auth", "peer:user=no-such-user"));
    words.addAll(List.of(("--listen " + listen).split(" ")));
    assertThat(refused(words.toArray(String[]::new))).doesNotContain("listening on");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "http://127.0.0.1:0/ | mtls:ca.pem   | --auth mtls: proves nothing at http://127.0.0.1:0/; it"
            + " needs an endpoint with https:, wss: and tls:",
        "tcp://127.0.0.1:0   | peer:uid=0    | --auth peer: proves nothing at tcp://127.0.0.1:0; it"
            + " needs an endpoint with unix:",
        "tcp://127.0.0.1:0   | basic:users   | --auth basic: proves nothing at tcp://127.0.0.1:0",
        "unix:./x            | bearer:tokens | --auth bearer: proves nothing at unix:./x",
        "stdio:              | basic:users   | --auth basic: proves nothing at stdio:",
        "ssh://127.0.0.1:0   | basic:users   | a client of ssh: is admitted by its key, #authorized=FILE;"
            + " leave out --auth",
        "xmpp:math@localhost | basic:users   | a client of xmpp: is admitted by its address,"
            + " #allow=ACCOUNTS; leave out --auth",
        "zmq+tcp://127.0.0.1:0 | key:K,keys  | a client of zmq+tcp: is admitted by its key,"
            + " #curve-clients=FILE; leave out --auth",
        "nats://127.0.0.1/x  | mtls:ca.pem   | a client of nats: proves who it is by a header; add"
            + " --auth bearer:FILE",
        "amqp://127.0.0.1/x  | peer:uid=0    | a client of amqp: proves who it is by a header; add"
            + " --auth bearer:FILE"
      })
  void aSpecThatProvesNothingAtTheEndpointIsRefused(String uri, String spec, String sentence) {
    for (String command : List.of("serve", "bridge", "mcp serve", "agents serve")) {
      List<String> words = new ArrayList<>(List.of(command.split(" ")));
      switch (command) {
        case "bridge" -> words.addAll(List.of("--to", "tcp://127.0.0.1:1"));
        case "mcp serve" -> words.add("tcp://127.0.0.1:1");
        case "agents serve" -> words.add(plan());
        default -> {}
      }
      words.addAll(List.of("--listen", uri, "--auth", spec));
      assertThat(refused(words.toArray(String[]::new))).contains(sentence);
    }
  }

  private String plan() {
    try {
      return Files.writeString(folder.resolve("plan.json"), """
          {"name":"p","agents":{"a":"exec:true"},"steps":[{"name":"s","agent":"a","skill":"x"}]}
          """).toString();
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "tcp://127.0.0.1:0 | nobody could call tcp://127.0.0.1:0: a client of tcp: cannot prove who"
            + " it is; use tls: with --auth mtls:CA",
        "unix:./x          | nobody could call unix:./x: a client of unix: proves its user only; add"
            + " --auth peer:user=NAME",
        "stdio:            | nobody could call stdio:: its only caller is the program that starts",
        "xmpp:math@localhost | nobody could call xmpp:math@localhost: a client of xmpp: is admitted by"
            + " its address, #allow=ACCOUNTS; leave out --auth, or xmpp:",
        "ssh://127.0.0.1:0 | nobody could call ssh://127.0.0.1:0: a client of ssh: is admitted by its"
            + " key, #authorized=FILE; leave out --auth, or ssh:",
        "zmq+tcp://127.0.0.1:0 | nobody could call zmq+tcp://127.0.0.1:0: a client of zmq+tcp: is"
            + " admitted by its key, #curve-clients=FILE"
      })
  void anEndpointThatNobodyCouldCallIsRefused(String uri, String sentence) {
    assertThat(refused("serve", "--listen", HTTP, "--listen", uri, "--auth", "basic:users"))
        .contains(sentence);
  }

  @Test
  void anEndpointWithoutCertificatesBesideOneWithThemIsRefused() {
    assertThat(refused(
            "serve",
            "--listen",
            "https://127.0.0.1:0/#cert=c.pem&key=k.pem",
            "--listen",
            HTTP,
            "--auth",
            "mtls:ca.pem"))
        .contains("nobody could call " + HTTP + ": a client of http: proves who it is by a header"
            + " field; add --auth bearer:FILE, or use https:");
  }

  @Test
  void anEndpointHasOneFileOfAuthorities() {
    assertThat(refused(
            "serve",
            "--listen",
            "https://127.0.0.1:0/#cert=c.pem&key=k.pem&ca=other.pem",
            "--auth",
            "mtls:ca.pem"))
        .contains("--auth mtls: has the authority 'ca.pem', but https://127.0.0.1:0/");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "--allow | admin        | 'admin' is not ROLE=PATTERN",
        "--allow | =price       | '=price' is not ROLE=PATTERN",
        "--allow | admin=       | 'admin=' is not ROLE=PATTERN",
        "--allow | *=a,b        | '*=a,b' is not ROLE=PATTERN, with one pattern",
        "--allow | admin=price  | without --auth nobody has the role 'admin'",
        "--quota | fast         | 'fast' is no rate",
        "--audit | /no/where/x  | '/no/where/x' cannot be written"
      })
  void aFaultOfAnotherOptionNamesThePartAndAnExample(String option, String value, String sentence) {
    assertThat(refused("serve", "--listen", HTTP, option, value))
        .contains(option + ": " + sentence)
        .contains("; example: " + (option.equals("--allow") ? "--" : option));
  }

  @Test
  void rulesWithoutAuthenticationHoldForEverybody() throws Exception {
    Path audit = folder.resolve("audit.jsonl");
    try (Child server = Child.start(
        "serve",
        "--listen",
        HTTP,
        "--allow",
        "*=s*",
        "--deny",
        "sum",
        "--audit",
        audit.toString())) {
      String uri = server.listening();
      assertThat(Captured.run("", "call", uri, "subtract", "42", "23").out()).isEqualTo("19\n");
      for (String method : List.of("add", "sum", "no-such-method")) {
        Outcome outcome = Captured.run("", "call", uri, method, "1", "2");
        assertThat(outcome.exit()).isEqualTo(1);
        assertThat(outcome.err()).contains("401");
      }
      assertThat(Captured.run("", "list", uri).out()).contains("subtract").doesNotContain("sum");
      server.terminate();
      assertThat(server.outcome().exit()).isZero();
    }
    assertThat(Files.readString(audit))
        .contains("\"method\":\"subtract\",\"outcome\":\"allowed\"}")
        .contains("\"method\":\"no-such-method\",\"outcome\":\"unauthenticated\"}");
  }

  @Test
  void aQuotaLimitsTheCallsOfAnAddress() throws Exception {
    try (Child server = Child.start("serve", "--listen", HTTP, "--quota", "1/h")) {
      String uri = server.listening();
      assertThat(Captured.run("", "call", uri, "sum", "1", "2").out()).isEqualTo("3\n");
      Outcome second = Captured.run("", "call", uri, "sum", "1", "2");
      assertThat(second.exit()).isEqualTo(1);
      assertThat(second.err()).contains("-32000", "retryAfter");
    }
  }
}
