package dev.repartee.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.Options;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EndpointTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      quoteCharacter = '`',
      value = {
        "tcp://127.0.0.1:7000 tcp //127.0.0.1:7000",
        "TCP://h:1 tcp //h:1",
        "unix:/run/app.sock unix /run/app.sock",
        "unix:/tmp/a#b unix /tmp/a#b",
        "unix:/tmp/a#B=c unix /tmp/a#B=c",
        "zmq+tcp://host:5555 zmq+tcp //host:5555",
        "`exec:sh -c 'echo #x=\"1\"'` exec `sh -c 'echo #x=\"1\"'`",
        "`exec:[\"a\",\"#k=v\"]` exec `[\"a\",\"#k=v\"]`",
      })
  void theTextAfterTheSchemeBelongsToTheTransport(String uri, String scheme, String address) {
    assertThat(Endpoint.parse(uri)).isEqualTo(new Endpoint(scheme, address, Map.of()));
  }

  @Test
  void theSchemeMayStandAlone() {
    assertThat(Endpoint.parse("stdio:")).isEqualTo(new Endpoint("stdio", "", Map.of()));
  }

  @Test
  void trailingOptionsAreTakenOff() {
    Endpoint endpoint = Endpoint.parse("exec:clangd --log=error#framing=content-length");
    assertThat(endpoint.address()).isEqualTo("clangd --log=error");
    assertThat(endpoint.option("framing", "lines")).isEqualTo("content-length");
    assertThat(endpoint).hasToString("exec:clangd --log=error#framing=content-length");
    assertThat(endpoint.bare()).hasToString("exec:clangd --log=error");
  }

  @Test
  void onlyTheTextAfterTheLastHashIsOptions() {
    Endpoint endpoint = Endpoint.parse("unix:/tmp/a#b=c#framing=auto");
    assertThat(endpoint.address()).isEqualTo("/tmp/a#b=c");
    assertThat(endpoint.options()).isEqualTo(Map.of("framing", "auto"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "exec:repartee mcp serve unix:S#envelope=lsp",
        "exec:repartee mcp serve unix:S#latency=low",
        "exec:relay --to=tcp://127.0.0.1:7000#framing=lines",
      })
  void optionsBehindAUriInACommandAreRefusedSinceTheyCouldBeOfEither(String uri) {
    assertThatThrownBy(() -> Endpoint.parse(uri))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("put that URI and its options in quotes")
        .hasMessageContaining("a space before '#'");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      quoteCharacter = '`',
      value = {
        "`exec:relay 'unix:S#envelope=lsp'` `` unix:S#envelope=lsp",
        "`exec:[\"relay\",\"unix:S#envelope=lsp\"]` `` unix:S#envelope=lsp",
        "`exec:[\"relay\",\"unix:S\"]#framing=lines` framing=lines unix:S",
        "`exec:relay unix:S #framing=lines` framing=lines unix:S",
        "`exec:relay 'unix:S'#framing=lines` framing=lines unix:S",
        "`exec:relay unix:S#cwd=/tmp&framing=lines` cwd=/tmp,framing=lines unix:S",
        "`exec:relay stdio:#framing=lines` framing=lines stdio:",
        "`exec:relay key:value#framing=lines` framing=lines key:value",
      })
  void theFormOfACommandSaysToWhichUriItsOptionsBelong(String uri, String options, String last) {
    Endpoint endpoint = Endpoint.parse(uri);
    assertThat(endpoint.command()).last().isEqualTo(last);
    assertThat(String.join(
            ",", endpoint.options().entrySet().stream().map(String::valueOf).toList()))
        .isEqualTo(options);
  }

  @Test
  void anUnknownOptionIsRefusedWithThoseThatAreKnown() {
    assertThatThrownBy(() -> Endpoint.parse("tcp://h:1#frame=lines"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("unknown option 'frame'")
        .hasMessageContaining("known for tcp are envelope, framing, latency, lenient");
  }

  @Test
  void anUnknownFramingIsRefusedWithThoseThatAreKnown() {
    assertThatThrownBy(() -> Endpoint.parse("tcp://h:1#framing=line"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("content-length");
  }

  @Test
  void toleratedDeviationsAreNamedAsTheConstantsAre() {
    assertThat(Endpoint.parse("tcp://h:1#lenient=null-params,missing-version").lenience())
        .containsExactlyInAnyOrder(Lenience.NULL_PARAMS, Lenience.MISSING_VERSION);
    assertThat(Endpoint.parse("unix:/a#framing=lines&lenient=null-id-fails-lone-call")
            .lenience())
        .containsExactly(Lenience.NULL_ID_FAILS_LONE_CALL);
    assertThat(Endpoint.parse("mem:a#lenient=all").lenience()).containsExactly(Lenience.values());
    assertThat(Endpoint.parse("mem:a").lenience()).isEmpty();
    Options strict = Options.DEFAULT;
    assertThat(strict.at(Endpoint.parse("mem:a"))).isSameAs(strict);
    assertThat(strict.toBuilder()
            .lenience(Lenience.MISSING_VERSION)
            .build()
            .at(Endpoint.parse("mem:a#lenient=null-params"))
            .lenience())
        .containsExactlyInAnyOrder(Lenience.NULL_PARAMS, Lenience.MISSING_VERSION);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "null", "NULL_PARAMS", "null-params,", "null-params,x", "all,"})
  void anUnknownLenienceIsRefusedWithThoseThatAreKnown(String labels) {
    assertThatThrownBy(() -> Endpoint.parse("tcp://h:1#lenient=" + labels))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("unknown lenience '")
        .hasMessageEndingWith(
            "'; known are null-params, missing-version, null-outcome, null-id-fails-lone-call"
                + " and all");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "tcp://h:1#cwd=/x cwd tcp",
        "unix:/a#env=A=b env unix",
        "mem:x#latency=low latency mem"
      })
  void anOptionOfAnotherTransportIsRefusedWithThoseOfThisOne(
      String uri, String option, String scheme) {
    assertThatThrownBy(() -> Endpoint.parse(uri))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(
            "unknown option '" + option + "'; known for " + scheme + " are envelope, framing");
  }

  @Test
  void aBarBeforeAnInstalledSchemeDividesAlternatives() {
    assertThat(Endpoint.alternatives("tcp://one:7000|TCP://two:7000|unix:/run/a"))
        .containsExactly("tcp://one:7000", "TCP://two:7000", "unix:/run/a");
    for (String one : List.of("exec:sh -c 'cat | sort'", "exec:grep 'a|key:'", "tcp://h:1|", "")) {
      assertThat(Endpoint.alternatives(one)).containsExactly(one);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"exce:cat#env=TOKEN=secret", "htp://user:secret@host/"})
  void anUnknownSchemeIsRefusedWithoutTheSecretsOfItsAddress(String uri) {
    assertThatThrownBy(() -> Transport.of(Endpoint.parse(uri)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("unknown scheme")
        .message()
        .doesNotContain("secret");
  }

  @ParameterizedTest
  @CsvSource({
    "http://u:p@w@host/a?key=secret#framing=lines, http://...@host/a?...",
    "amqp://u:p/w#s?t@host:1/a, amqp://...@host:1/a",
    "http://host:80/@a, http://host:80/@a",
    "https://host/?, https://host/?",
    "http:host?secret, http:host?...",
    "host/?secret, host/?...",
    "exec:curl 'a?b'#env=A=secret, exec:curl 'a?b'#env=...",
    "unix:/run/a?b, unix:/run/a?b",
    "tcp://h:1|tcp://u:p@w@h:2|unix:/a, tcp://h:1|tcp://...@h:2|unix:/a",
    "http://h/?a=secret|tcp://h:1, http://h/?...|tcp://h:1"
  })
  void aMessageShowsAUriWithoutItsSecrets(String uri, String shown) {
    assertThat(Endpoint.shown(uri)).isEqualTo(shown);
  }

  @Test
  void moreOptionsThanAStackHoldsAreRefusedAsFewAre() {
    assertThatThrownBy(() -> Endpoint.parse("mem:x#a=b" + "&a=b".repeat(100_000)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("unknown option 'a'");
  }

  @Test
  void aRepeatedOptionIsRefused() {
    assertThatThrownBy(() -> Endpoint.parse("tcp://h:1#framing=lines&framing=auto"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("twice");
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1:7000,did you mean tcp://127.0.0.1:7000 or http://127.0.0.1:7000/?",
    "[::1]:7000,did you mean tcp://[::1]:7000 or http://[::1]:7000/?",
    "/run/app.sock,did you mean unix:/run/app.sock?",
    "./r.sock,did you mean unix:./r.sock?",
    "clangd,an endpoint is like"
  })
  void aTextWithoutSchemeIsRefusedWithAHint(String text, String hint) {
    assertThatThrownBy(() -> Endpoint.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + text + "' has no scheme")
        .hasMessageContaining(hint);
  }

  @Test
  void anUnknownSchemeIsRefusedWithThoseThatAreKnown() {
    assertThatThrownBy(() -> Transports.of(Endpoint.parse("gopher://h")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'gopher'")
        .hasMessageContaining("exec, mem, pipe, stdio, tcp, unix");
    assertThatThrownBy(() -> Transports.of(Endpoint.parse("localhost:7000")))
        .hasMessageContaining("did you mean tcp://localhost:7000?");
  }

  @ParameterizedTest
  @CsvSource({
    "tcp://localhost:7000,localhost,7000",
    "tcp://:7000,127.0.0.1,7000",
    "tcp://[::1]:0,::1,0",
    "tcp://h:65535,h,65535"
  })
  void aTcpAddressIsAHostAndAPort(String uri, String host, int port) {
    assertThat(TcpTransport.Address.of(Endpoint.parse(uri)))
        .isEqualTo(new TcpTransport.Address(host, port));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tcp://h",
        "tcp:h:1",
        "tcp://h:",
        "tcp://h:65536",
        "tcp://h:-1",
        "tcp://::1:7",
        "tcp://[::1]",
        "tcp://h:1/path",
        "tcp://user@h:1",
        "tcp:"
      })
  void aMalformedTcpAddressIsRefusedWithTheForm(String uri) {
    assertThatThrownBy(() -> TcpTransport.Address.of(Endpoint.parse(uri)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'" + Endpoint.shown(uri) + "'")
        .hasMessageContaining("tcp://HOST:PORT");
  }
}
