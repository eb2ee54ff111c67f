package dev.repartee.openrpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.json.Json;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Documents of several files, and documents that are joined. */
class OtherDocumentsTest {
  @TempDir
  Path folder;

  private static Json json(String text) {
    return Json.parse(text.replace('\'', '"'));
  }

  private static Json document(String methods, String components) {
    return json("{'openrpc':'1.3.2','info':{'title':'t','version':'1'},'methods':[" + methods
        + "],'components':" + components + "}");
  }

  private void write(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text.replace('\'', '"'));
  }

  private OpenRpc bundle(String methods) throws IOException {
    return bundle(methods, "{}");
  }

  private OpenRpc bundle(String methods, String components) throws IOException {
    Path inside = folder.resolve("api");
    Files.createDirectories(inside);
    URI base = inside.resolve("openrpc.json").toUri();
    return OpenRpc.bundle(document(methods, components), base, ReferenceLoader.folder(inside));
  }

  @Test
  void notificationsAreBundledAndMerged() throws IOException {
    write("api/p.json", "{'name':'p','schema':{'type':'integer'}}");
    Json json = json("{'openrpc':'1.4.1','info':{'title':'t','version':'1'},'methods':[],"
        + "'x-notifications':[{'name':'moved','params':[{'$ref':'p.json'}]},"
        + "{'name':'again','params':[{'$ref':'#/x-notifications/0/params/0'}]}]}");
    OpenRpc one = OpenRpc.bundle(
        json,
        folder.resolve("api/openrpc.json").toUri(),
        ReferenceLoader.folder(folder.resolve("api")));
    Map<String, OpenRpc> documents = new LinkedHashMap<>();
    documents.put("a.", one);
    documents.put("b.", one);
    OpenRpc all = OpenRpc.merge(new Info("all", "3", null), documents);
    assertThat(all.notifications())
        .extracting(MethodDescriptor::name)
        .containsExactly("a.moved", "a.again", "b.moved", "b.again");
    assertThat(all.json().get("x-notifications").at(3).toString())
        .contains("#/x-notifications/2/params/0");
    assertThat(all.notification("b.again").params().get(0).schema())
        .isEqualTo(json("{'type':'integer'}"));
  }

  @Test
  void theTargetsInOtherFilesBecomeComponents() throws IOException {
    write("api/methods.json", "{'all':[{'name':'a','params':[{'$ref':'params/p.json'}]}]}");
    write("api/params/p.json", "{'name':'p','schema':{'$ref':'../types.json#/definitions/Tree'}}");
    write(
        "api/types.json",
        "{'definitions':{'Tree':{'type':'object','properties':{"
            + "'all':{'type':'array','items':{'$ref':'#/definitions/Tree'}},"
            + "'leaf':{'$ref':'#/definitions/Leaf'}}},'Leaf':{'type':'string'},'Other':{}}}");
    OpenRpc document = bundle("{'$ref':'methods.json#/all/0'}", "{'schemas':{'Leaf':{}}}");
    assertThat(document.methods().get(0).params().get(0).schema())
        .isEqualTo(json("{'$ref':'#/components/schemas/Tree'}"));
    assertThat(document.schemas()).containsOnlyKeys("Leaf", "Tree", "Leaf2");
    assertThat(document.schemas().get("Tree"))
        .isEqualTo(json("{'type':'object','properties':{"
            + "'all':{'type':'array','items':{'$ref':'#/components/schemas/Tree'}},"
            + "'leaf':{'$ref':'#/components/schemas/Leaf2'}}}"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "none.json|cannot be read: there is no such file",
        "../secret.json|cannot be read: it is not in the folder",
        "link.json|cannot be read: it is not in the folder",
        "file:///etc/passwd|cannot be read: it is not in the folder",
        "https://example.org/a.json|cannot be read: it is not in the folder",
        "text.json|leads to a document that is not JSON",
        "types.json#/none|has no target",
        "a b|is not a URI",
      })
  void aReferenceThatCannotBeFollowedIsNamed(String reference, String reason) throws IOException {
    write("secret.json", "{}");
    write("api/text.json", "text");
    write("api/types.json", "{}");
    Files.createSymbolicLink(folder.resolve("api/link.json"), folder.resolve("secret.json"));
    assertThatThrownBy(() ->
            bundle("{'name':'a','params':[{'name':'p','schema':{'$ref':'" + reference + "'}}]}"))
        .isInstanceOf(OpenRpcException.class)
        .hasMessageStartingWith(
            "/methods/0/params/0/schema: the reference '" + reference + "' " + reason);
  }

  @Test
  void mergedMethodsGetThePrefixOfTheirDocument() {
    Map<String, OpenRpc> documents = new LinkedHashMap<>();
    documents.put(
        "shop.",
        OpenRpc.of(document(
            "{'name':'get','params':[{'name':'p','schema':{'$ref':'#/components/schemas/Item'}}]},"
                + "{'$ref':'#/components/x-m/watch'}",
            "{'schemas':{'Item':{'type':'object'}},'x-m':{'watch':{'name':'watch','x-stream':"
                + "{'form':'subscription','notification':'news','unsubscribe':'end'}}}}")));
    documents.put(
        "stock.",
        OpenRpc.of(document(
            "{'name':'get','params':[{'name':'p','schema':{'$ref':'#/components/schemas/Item'}}]},"
                + "{'name':'b','params':[{'$ref':'#/methods/0/params/0'}]}",
            "{'schemas':{'Item':{'type':'array','items':{'$ref':'#/components/schemas/Item'}},"
                + "'Other':{}}}")));
    OpenRpc all = OpenRpc.merge(new Info("all", "3", null), documents);
    assertThat(all.info().title()).isEqualTo("all");
    assertThat(all.methods())
        .extracting(MethodDescriptor::name)
        .containsExactly("shop.get", "shop.watch", "stock.get", "stock.b");
    assertThat(all.method("shop.watch").stream())
        .isEqualTo(new StreamDescriptor("subscription", "news", "shop.end"));
    assertThat(all.schemas()).containsOnlyKeys("Item", "stock_Item", "Other");
    assertThat(all.schemas().get("stock_Item"))
        .isEqualTo(json("{'type':'array','items':{'$ref':'#/components/schemas/stock_Item'}}"));
    assertThat(all.method("stock.b").params().get(0).schema())
        .isEqualTo(json("{'$ref':'#/components/schemas/stock_Item'}"));
  }

  @Test
  void aMergedComponentMayHaveAnyName() {
    OpenRpc one = OpenRpc.of(document(
        "{'name':'a','params':[{'name':'p','schema':{'$ref':'#/components/schemas/50%25~1'}}]}",
        "{'schemas':{'50%/':{'type':'string'}}}"));
    OpenRpc all = OpenRpc.merge(new Info("t", "1", null), Map.of("x.", one));
    assertThat(all.resolved(all.methods().get(0).params().get(0).schema()))
        .isEqualTo(json("{'type':'string'}"));
  }

  @Test
  void twoMergedMethodsOfOneNameAreRefused() {
    OpenRpc one = OpenRpc.of(document("{'name':'b.a'}", "{}"));
    OpenRpc other = OpenRpc.of(document("{'name':'a'}", "{}"));
    Map<String, OpenRpc> documents = new LinkedHashMap<>();
    documents.put("", one);
    documents.put("b.", other);
    assertThatThrownBy(() -> OpenRpc.merge(new Info("t", "1", null), documents))
        .hasMessageStartingWith("/methods/1: a second method with the name 'b.a'");
  }

  @Test
  void aReferenceWithoutAPathLeadsToADocumentAsAWhole() {
    Json document = document("{'$ref':'urn:example:list.json'}", "{}");
    assertThat(OpenRpc.bundle(document, folder.toUri(), uri -> "{\"name\":\"a\"}".getBytes(UTF_8))
            .methods())
        .extracting(MethodDescriptor::name)
        .containsExactly("a");
  }

  /** Parts within parts are copied several times. */
  @Test
  void theSizeOfAllCopiesIsLimited() {
    String text = "{'a':".repeat(100) + "'" + "x".repeat(4_000_000) + "'" + "}".repeat(100);
    String methods = IntStream.range(0, 100)
        .mapToObj(i -> "{'name':'" + i + "','params':[{'name':'p','schema':{'$ref':'o.json#"
            + "/a".repeat(i) + "'}}]}")
        .collect(Collectors.joining(","));
    byte[] other = text.replace('\'', '"').getBytes(UTF_8);
    assertThatThrownBy(() -> OpenRpc.bundle(document(methods, "{}"), folder.toUri(), uri -> other))
        .hasMessageEndingWith("the parts of other documents are larger than 256 MiB");
  }

  /** A search for the free number of each name would take hours. */
  @Test
  void manyTargetsMayHaveOneName() {
    String parts = IntStream.range(0, 20_000)
        .mapToObj(i -> "'k" + i + "':{'Z':{}}")
        .collect(Collectors.joining(","));
    String properties = IntStream.range(0, 20_000)
        .mapToObj(i -> "'p" + i + "':{'$ref':'o.json#/k" + i + "/Z'}")
        .collect(Collectors.joining(","));
    byte[] other = ("{" + parts + "}").replace('\'', '"').getBytes(UTF_8);
    Json document = document(
        "{'name':'a','params':[{'name':'p','schema':{'properties':{" + properties + "}}}]}",
        "{'schemas':{'Z2':{}}}");
    assertThat(OpenRpc.bundle(document, folder.toUri(), uri -> other).schemas())
        .hasSize(20_001)
        .containsKeys("Z", "Z2", "Z3", "Z20001");
  }
}
