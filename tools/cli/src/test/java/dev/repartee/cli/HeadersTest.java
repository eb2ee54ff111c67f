package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.transport.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The headers that {@code --header} and {@code --cookie} send to a server. */
class HeadersTest {
  private static final String CALL = """
      {"jsonrpc":"2.0","method":"m","id":1}
      """;

  private final BlockingQueue<Map<?, ?>> seen = new LinkedBlockingQueue<>();
  private Server server;
  private String http;

  @TempDir
  Path folder;

  @BeforeEach
  void serve() throws Exception {
    Service service = Service.builder()
        .method("m", call -> {
          seen.add(call.attributes().get(HttpRequest.HEADERS));
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

  private static Captured run(int exit, String in, String... words) {
    Captured captured = new Captured(in);
    assertThat(Main.run(captured.stdio(), words)).as(captured::err).isEqualTo(exit);
    return captured;
  }

  private static void refused(String sentence, String... words) {
    assertThat(run(2, "", words).err())
        .startsWith("repartee: ")
        .contains(sentence)
        .doesNotContain("s3cret")
        .hasLineCount(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "ws"})
  void headersAndCookiesAreSentOverHttpAndWebSocket(String scheme) {
    run(
        0,
        "",
        "call",
        http.replace("http:", scheme + ":"),
        "m",
        "--header",
        "Authorization: Bearer s3cret",
        "--header",
        "X-Trace:1",
        "--cookie",
        "a=1",
        "--cookie",
        "b=2=3");
    Map<?, ?> headers = seen.remove();
    assertThat(headers.get("authorization")).isEqualTo("Bearer s3cret");
    assertThat(headers.get("x-trace")).isEqualTo("1");
    assertThat(headers.get("cookie")).isEqualTo("a=1; b=2=3");
  }

  @Test
  void everyCommandThatConnectsSendsThem() throws Exception {
    String[] header = {"--header", "X-Trace: 1"};
    run(0, CALL, "batch", http, header[0], header[1]);
    run(0, CALL, "send", http, "--silence", "100ms", header[0], header[1]);
    run(0, "", "notify", http, "m", header[0], header[1]);
    run(0, "", "call", http, "m", header[0], header[1]);
    for (int i = 0; i < 4; i++) {
      Map<?, ?> headers = seen.poll(30, TimeUnit.SECONDS); // notify does not wait for the handler
      assertThat(headers).isNotNull();
      assertThat(headers.get("x-trace")).isEqualTo("1");
    }
  }

  @Test
  void aFileGivesAHeaderOnEachLine() throws Exception {
    Path file = Files.writeString(
        folder.resolve("headers"), "Authorization: Bearer s3cret\r\n\nX-Trace: 1\n");
    run(0, "", "call", http, "m", "--header", "@" + file);
    Map<?, ?> headers = seen.remove();
    assertThat(headers.get("authorization")).isEqualTo("Bearer s3cret");
    assertThat(headers.get("x-trace")).isEqualTo("1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--header | Authorization Bearer s3cret  | --header is not 'NAME: VALUE'",
        "--header | Authorization s3cret: x      | --header is not 'NAME: VALUE'",
        "--header | : s3cret                     | --header is not 'NAME: VALUE'",
        "--header | Authorization: s3cretü       | --header is not 'NAME: VALUE'",
        "--header | Content-Length: s3cret       | the header Content-Length is set by the transport",
        "--cookie | s3cret                       | --cookie is not NAME=VALUE",
        "--cookie | =s3cret                      | --cookie is not NAME=VALUE",
        "--cookie | session=s3cretü              | --cookie is not NAME=VALUE",
        "--header | @/no/where                   | there is no file '/no/where'"
      })
  void aMalformedHeaderIsTwoAndItsValueIsNotTold(String option, String value, String sentence) {
    refused(sentence, "call", http, "m", option, value);
    assertThat(seen).isEmpty();
  }

  @Test
  void aMalformedLineOfAFileIsReportedByItsNumber() throws Exception {
    Path file = Files.writeString(folder.resolve("headers"), "A: 1\ns3cret\n");
    refused(
        "line 2 of '" + file + "' is not 'NAME: VALUE'", "call", http, "m", "--header", "@" + file);
  }

  @Test
  void aHeaderThatIsGivenTwiceExitsWithTwo() {
    String[] call = {"call", http, "m", "--header", "Cookie: a=s3cret", "--cookie", "b=1"};
    refused("the header 'Cookie' is given twice", call);
  }

  @Test
  void anEndpointWithoutHeadersExitsWithTwo() {
    refused(
        "tcp: has no place for the headers [Authorization]",
        "call",
        "tcp://127.0.0.1:1",
        "m",
        "--header",
        "Authorization: s3cret");
  }
}
