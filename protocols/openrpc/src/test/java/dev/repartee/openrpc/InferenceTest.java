package dev.repartee.openrpc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcException;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import dev.repartee.trace.Mask;
import dev.repartee.trace.Recording;
import dev.repartee.trace.Trace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Documents that are inferred from recordings of real calls. */
class InferenceTest {
  @TempDir
  Path folder;

  private static Json json(String text) {
    return Json.parse(text.replace('\'', '"'));
  }

  private OpenRpc inferred() throws Exception {
    Path file = folder.resolve("calls.jsonl");
    Service service = Service.builder()
        .method("find", call -> json("[{'id':1,'name':'a'},{'id':2.5}]"))
        .method("add", call -> 3)
        .method("fail", call -> {
          throw new RpcException(7, "Sold out");
        })
        .method("note", call -> null)
        .build();
    try (Trace trace = Trace.builder().mask(Mask.NONE).file(file)) {
      Options options = Options.builder().trace(trace).build();
      try (Server server = Repartee.listen("tcp://127.0.0.1:0", service);
          Peer peer = Repartee.connect(server.endpoint().toString(), Service.NONE, options)) {
        peer.request("find").params(json("{'text':'x','limit':5}")).call(Json.class);
        peer.request("find").params(json("{'text':null}")).call(Json.class);
        peer.call("add", Json.class, 1, 2);
        peer.call("add", Json.class, 1.5);
        assertThat(peer.request("fail").send(Json.class))
            .failsWithin(java.time.Duration.ofSeconds(60));
        peer.request("note").params(List.of(true)).sendNotification();
      }
    }
    try (Recording recording = Recording.read(file)) {
      return OpenRpc.inferredFrom(recording, "calls");
    }
  }

  @Test
  void methodsAndTheirSchemasAreInferredFromCalls() throws Exception {
    OpenRpc document = inferred();
    assertThat(document.info().title()).isEqualTo("calls");
    assertThat(document.methods())
        .extracting(MethodDescriptor::name)
        .containsExactly("find", "add", "fail", "note");
    MethodDescriptor find = document.method("find");
    assertThat(find.paramStructure()).isEqualTo(ParamStructure.BY_NAME);
    assertThat(find.params().get(0).schema()).isEqualTo(json("{'type':['null','string']}"));
    assertThat(find.params()).extracting(ContentDescriptor::required).containsExactly(true, false);
    assertThat(find.result().schema())
        .isEqualTo(json("{'type':'array','items':{'type':'object','properties':{"
            + "'id':{'type':'number'},'name':{'type':'string'}},'required':['id']}}"));
    assertThat(find.examples().get(0).params())
        .extracting(ExamplePairing.Argument::name)
        .containsExactly("text", "limit");
    MethodDescriptor add = document.method("add");
    assertThat(add.paramStructure()).isEqualTo(ParamStructure.BY_POSITION);
    assertThat(add.params()).extracting(ContentDescriptor::required).containsExactly(true, false);
    assertThat(add.params().get(0).schema()).isEqualTo(json("{'type':'number'}"));
    assertThat(document.method("fail").errors())
        .containsExactly(new ErrorDescriptor(7, "Sold out", null));
    assertThat(document.method("note").isNotification()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1.5", "1e400", "99999999999999999999"})
  void anErrorWhoseCodeIsNoIntegerIsLeftOut(String code) throws Exception {
    Path file = folder.resolve("calls.jsonl");
    Files.writeString(file, """
        {"repartee":"recording","version":1,"started":"2026-01-01T00:00:00Z","mask":"names"}
        {"t":1,"conn":1,"event":"opened","transport":"mem","peer":"r","framing":"message"}
        {"t":2,"conn":1,"dir":"in","size":1,"message":{"jsonrpc":"2.0","method":"a","id":1}}
        {"t":3,"conn":1,"dir":"out","size":1,"message":{"id":1,"error":{"code":%s,"message":"No"}}}
        """.formatted(code));
    try (Recording recording = Recording.read(file)) {
      assertThat(OpenRpc.inferredFrom(recording, "calls").methods().get(0).errors())
          .isEmpty();
    }
  }

  @Test
  void manyNamesOfMembersAreAMap() {
    Shape shape = new Shape();
    for (int i = 0; i < 300; i++) {
      shape.add(json("{'name" + i + "':{'n':" + i + "}}"));
    }
    assertThat(shape.schema())
        .isEqualTo(json("{'type':'object','additionalProperties':{'type':'object',"
            + "'properties':{'n':{'type':'integer'}},'required':['n']}}"));
  }
}
