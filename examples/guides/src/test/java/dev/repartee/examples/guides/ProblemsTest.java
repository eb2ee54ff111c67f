package dev.repartee.examples.guides;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.repartee.Call;
import dev.repartee.Listener;
import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.examples.guides.EthereumClient.Eth;
import dev.repartee.json.Json;
import dev.repartee.json.JsonException;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Provokes the problems that the guides describe. */
@Timeout(60)
class ProblemsTest {
  @Test
  void membersThatTheRecordDoesNotHaveAreRefusedByDefault() throws Exception {
    Service service = Service.builder()
        .method(
            "open", LanguageServer.TextDocument.class, String.class, (params, call) -> params.uri())
        .build();
    try (Server server = Repartee.listen("mem:strict", service);
        Peer peer = Repartee.connect(server.endpoint())) {
      Map<String, String> document = Map.of("uri", "a", "text", "b", "languageId", "c");
      assertThatExceptionOfType(RpcException.class)
          .isThrownBy(() -> peer.request("open").params(document).call(String.class))
          .withMessageContaining("-32602")
          .withMessageContaining("unknown member 'languageId'; known are uri, text");
    }
  }

  @Test
  void aHostWithoutAServiceIsNamedInTheLogOfThePlugin() throws Exception {
    BlockingQueue<String> failures = new LinkedBlockingQueue<>();
    Options options = Options.builder()
        .listener(new Listener() {
          @Override
          public void failed(Call call, Throwable cause) {
            failures.add(String.valueOf(cause.getMessage()));
          }
        })
        .build();
    try (Server server = Repartee.listen("mem:plugin", Service.of(new Plugin()), options);
        Peer host = Repartee.connect(server.endpoint())) {
      assertThatExceptionOfType(RpcException.class)
          .isThrownBy(() -> host.call("convert", String.class, "a"))
          .satisfies(e -> assertThat(e.code()).isEqualTo(-32603));
      assertThat(failures.take()).startsWith("'setting' of ").contains("Method not found (-32601)");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"number\":\"0x1\",\"parentHash\":\"\",\"transactions\":[]}|missing: hash",
        "{\"number\":1,\"hash\":\"\",\"parentHash\":\"\",\"transactions\":[]}|member 'number': ",
        "{\"number\":\"1\",\"hash\":\"\",\"parentHash\":\"\",\"transactions\":[]}"
            + "|member 'number': expected a quantity such as \"0x1f\"",
      })
  void aBlockThatDoesNotFitIsTold(String block, String fault) throws Exception {
    Service node = Service.builder()
        .method("eth_getBlockByNumber", call -> Json.parse(block))
        .build();
    try (Server server = Repartee.listen("mem:node", node);
        Peer peer = EthereumClient.connect(server.endpoint().toString())) {
      Eth eth = peer.proxy(Eth.class);
      assertThatExceptionOfType(JsonException.class)
          .isThrownBy(() -> eth.block(Quantity.of(1), false))
          .withMessageStartingWith("the result of 'eth_getBlockByNumber': ")
          .withMessageContaining(fault);
    }
  }
}
