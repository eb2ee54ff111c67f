package dev.repartee.openrpc.generate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import dev.repartee.openrpc.OpenRpc;
import dev.repartee.openrpc.generate.Generation.Form;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Compares the output for a small document with files that were reviewed. */
@Tag("any-jdk")
class GenerationTest {
  private static final Generation JAVA = new Generation(Form.JAVA, null, "org.example.shop");

  static OpenRpc shop() {
    return OpenRpc.of(Json.parse(Documents.resource("shop.json")));
  }

  /** Returns the only file. */
  private static String file(Form form, String name) {
    Map<String, String> files = new Generation(form, null, null).files(shop());
    assertThat(files).containsOnlyKeys(name);
    return files.get(name);
  }

  @Test
  void javaHasAFileForEachType() {
    Map<String, String> files = JAVA.files(shop());
    assertThat(files)
        .containsOnlyKeys(
            "org/example/shop/Card.java",
            "org/example/shop/Order.java",
            "org/example/shop/OrderPartsItem.java",
            "org/example/shop/LogClass.java",
            "org/example/shop/Payment.java",
            "org/example/shop/PaymentCash.java",
            "org/example/shop/Shop.java",
            "org/example/shop/ShopNotifications.java",
            "org/example/shop/State.java");
    assertThat(files.values().stream().collect(Collectors.joining("\n")))
        .isEqualTo(Documents.resource("shop.java.txt"));
  }

  @Test
  void typeScriptIsOneFile() {
    assertThat(file(Form.TYPESCRIPT, "shop.ts"))
        .isEqualTo(Documents.resource("shop.ts.txt") + Template.text("client.ts"));
  }

  @Test
  void pythonIsOneModule() {
    assertThat(file(Form.PYTHON, "shop.py"))
        .isEqualTo(Documents.resource("shop.py.txt") + Template.text("client.py"));
  }

  @Test
  void markdownIsOnePage() {
    assertThat(file(Form.MARKDOWN, "shop.md")).isEqualTo(Documents.resource("shop.md.txt"));
  }

  @Test
  void htmlIsOnePage() {
    assertThat(file(Form.HTML, "shop.html"))
        .isEqualTo(
            Documents.resource("shop.html.txt").replace("PAGE.CSS\n", Template.text("page.css")));
  }

  @ParameterizedTest
  @EnumSource
  void theSameDocumentGivesTheSameFiles(Form form) {
    Generation generation = new Generation(form, "name", null);
    assertThat(generation.files(shop())).isEqualTo(generation.files(shop()));
  }

  @ParameterizedTest
  @EnumSource
  void aNameReplacesTheTitle(Form form) {
    Map<String, String> files = new Generation(form, "corner shop", null).files(shop());
    assertThat(files)
        .containsKey(
            switch (form) {
              case JAVA -> "cornershop/CornerShop.java";
              case TYPESCRIPT -> "corner-shop.ts";
              case PYTHON -> "corner_shop.py";
              case MARKDOWN -> "corner-shop.md";
              case HTML -> "corner-shop.html";
            });
  }

  @Test
  void textOfTheDocumentIsNoHtml() {
    OpenRpc hostile = OpenRpc.of(Json.parse(Documents.resource("hostile.json")));
    String page =
        String.join("", new Generation(Form.HTML, null, null).files(hostile).values());
    assertThat(page).contains("&lt;script&gt;").doesNotContain("<script", "<%");
  }

  @ParameterizedTest
  @EnumSource(Form.class)
  void longNamesAndTextsNeedNoStackFrameForEachCharacter(Form form) {
    String method = "{\"name\":\"" + "y\\\"".repeat(20_000) + "\",\"params\":[]}";
    OpenRpc document =
        OpenRpc.of(Json.parse("{\"openrpc\":\"1.3.2\",\"methods\":[" + method + "]}"));
    assertThat(new Generation(form, "a", null).files(document)).isNotEmpty();
  }

  /** The name of each of the many types would have the long name. */
  @ParameterizedTest
  @EnumSource(Form.class)
  void aLongNameIsNotKeptForEachPart(Form form) {
    String members = IntStream.range(0, 5_000)
        .mapToObj(i -> "\"a" + i + "\":{\"enum\":[\"x" + i + "\",\"y\"]}")
        .collect(Collectors.joining(","));
    OpenRpc document =
        OpenRpc.of(Json.parse("{\"openrpc\":\"1.3.2\",\"methods\":[],\"components\":{"
            + "\"schemas\":{\"A\":{\"properties\":{\"" + "x".repeat(1_000_000)
            + "\":{\"properties\":{"
            + members + "}}}}}}}"));
    assertThat(new Generation(form, "a", null).files(document)).isNotEmpty();
  }

  /** Source code with these characters would show another text, or be refused by Python. */
  @ParameterizedTest
  @EnumSource(names = {"JAVA", "TYPESCRIPT", "PYTHON"})
  void codeHasNoInvisibleCharacters(Form form) {
    String name = "a\\u0000\\u001b\\u0085\\u2028\\u202e";
    OpenRpc document =
        OpenRpc.of(Json.parse("{\"openrpc\":\"1.3.2\",\"methods\":[{\"name\":\"" + name
            + "\",\"params\":[],\"result\":{\"name\":\"r\",\"schema\":{\"type\":\"integer\"}},"
            + "\"errors\":[{\"code\":1,\"message\":\"" + name + "\"}]}]}"));
    String code =
        String.join("", new Generation(form, "a", null).files(document).values());
    assertThat(code.chars()
            .filter(c -> c < ' ' && c != '\n' || c == 0x85 || c == 0x2028 || c == 0x202e))
        .isEmpty();
  }
}
