package dev.repartee.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.cli.Child.Outcome;
import dev.repartee.json.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code repartee mock}, as a process where it serves. */
@Timeout(120)
class MockCommandTest {
  private static final String SHOP = """
          {"openrpc":"1.3.2","info":{"title":"Shop","version":"1"},"methods":[
            {"name":"price","params":[{"name":"item","required":true,"schema":{"type":"string"}}],
             "result":{"name":"r","schema":{"type":"integer"}},
             "examples":[{"name":"tea","params":[{"name":"item","value":"tea"}],
                          "result":{"name":"r","value":3}}]},
            {"name":"number","params":[],
             "result":{"name":"r","schema":{"type":"string","pattern":"^[0-9]{8}$"}}},
            {"name":"odd","params":[],
             "result":{"name":"r","schema":{"type":"string","pattern":"^(?!0)"}}}]}""";

  @TempDir
  Path folder;

  private String file(String text) throws IOException {
    Path file = folder.resolve("shop.json");
    Files.writeString(file, text);
    return file.toString();
  }

  private static Outcome run(String... words) {
    return Captured.run("", words);
  }

  @Test
  void aDocumentIsServed() throws Exception {
    try (Child mock =
        Child.start("mock", file(SHOP), "--seed", "7", "--listen", "tcp://127.0.0.1:0")) {
      assertThat(mock.errLine())
          .isEqualTo("repartee: odd: /methods/2/result/schema/pattern: "
              + "the pattern is not known to the sampler");
      String uri = mock.listening();
      assertThat(run("call", uri, "price", "tea").out()).isEqualTo("3\n");
      assertThat(run("call", uri, "price", "--named", "item=milk").out()).isEqualTo("3\n");
      assertThat(run("call", uri, "price", "5").err()).contains("-32602", "/0");
      assertThat(run("call", uri, "number").out()).matches("\"[0-9]{8}\"\n");
      assertThat(run("call", uri, "odd").err()).contains("-32603", "/methods/2/result/schema");
      assertThat(Json.parse(run("openrpc", uri).out()).isSameValue(Json.parse(SHOP)))
          .isTrue();
    }
  }

  @Test
  void aDocumentThatCannotBeServedIsRefused() throws Exception {
    String impossible = """
            {"openrpc":"1.3.2","info":{"title":"t","version":"1"},"methods":[{"name":"m",
             "params":[],"result":{"name":"r","schema":{"const":1,"minimum":2}}}]}""";
    String file = file(impossible);
    Outcome outcome = run("mock", file, "--listen", "mem:mock");
    assertThat(outcome.exit()).isEqualTo(2);
    assertThat(outcome.err())
        .isEqualTo("repartee: " + file + ": /methods/0/result/schema: no value of the schema fits"
            + " it: the only one does not\n");
    assertThat(run("mock", file("[]"), "--listen", "mem:mock").exit()).isEqualTo(2);
    assertThat(run("mock", folder.resolve("none").toString()).err()).contains("there is no file '");
    assertThat(run("mock", "-", "--listen", "stdio:").err())
        .isEqualTo("repartee: standard input has the document; serve at another endpoint\n");
  }
}
