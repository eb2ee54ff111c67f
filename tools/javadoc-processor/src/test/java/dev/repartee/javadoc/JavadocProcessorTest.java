package dev.repartee.javadoc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.RpcMethod;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.json.Json;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.stream.Stream;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** The files that the processor writes, and the document of a service that was compiled with it. */
class JavadocProcessorTest {
  private static final String SOURCE = """
      package shop;

      import dev.repartee.*;
      import dev.repartee.json.*;
      import java.util.List;

      /** Sells things. */
      public class Shop implements ShopApi {
        /**
         * An order of {@code items}.
         *
         * @param id the number on the bill
         * @param lines what was bought
         */
        public record Order(int id, @Param(description = "Stated") List<String> lines, State state) {}

        /** The state of an order: naïve = "yes". */
        public enum State { OPEN, @OneOf.Name("is closed") CLOSED }

        @Override
        public Order find(int id, Call call, String[]... tags) {
          return new Order(id, List.of(), State.OPEN);
        }

        /** Counts all orders. */
        @Override
        public int count() {
          return 1;
        }

        @Override
        public void stated(int a) {}
      }

      interface ShopApi {
        /**
         * Finds an order. It may be old.
         *
         * @param id the id
         * @param tags any tags
         * @return the order
         */
        @Rpc
        Shop.Order find(int id, Call call, String[]... tags);

        /** Counts. */
        @Rpc
        int count();

        /** Is not used. */
        @Rpc(description = "Stated")
        void stated(@Param(description = "Stated too") int a);
      }

      /** Serves nothing. */
      class Other {
        /** Is no method of a service. */
        public void method() {}
      }
      """;

  @TempDir
  Path folder;

  @BeforeEach
  void compile() throws Exception {
    compile("Shop", SOURCE);
  }

  private void compile(String type, String text) throws Exception {
    JavaFileObject source =
        new SimpleJavaFileObject(
            URI.create("mem:///shop/" + type + ".java"), JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
          }
        };
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
    String core = Path.of(
            Service.class.getProtectionDomain().getCodeSource().getLocation().toURI())
        .toString();
    JavaCompiler.CompilationTask task = compiler.getTask(
        null,
        null,
        problems,
        List.of("-parameters", "-d", folder.toString(), "-cp", core),
        null,
        List.of(source));
    task.setProcessors(List.of(new JavadocProcessor()));
    assertThat(task.call()).as(problems.getDiagnostics().toString()).isTrue();
  }

  private Properties texts(String type) throws Exception {
    Properties texts = new Properties();
    Path file = folder.resolve("META-INF/repartee/javadoc/" + type + ".properties");
    try (var in = Files.newBufferedReader(file)) {
      texts.load(in);
    }
    return texts;
  }

  @Test
  void theTextsOfServicesRecordsAndEnumsAreKept() throws Exception {
    try (Stream<Path> files = Files.list(folder.resolve("META-INF/repartee/javadoc"))) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder(
              "shop.ShopApi.properties",
              "shop.Shop$Order.properties",
              "shop.Shop$State.properties");
    }
    assertThat(texts("shop.Shop$State"))
        .containsOnly(entry("description", "The state of an order: naïve = \"yes\"."));
    assertThat(texts("shop.Shop$Order"))
        .containsOnly(
            entry("description", "An order of `items`."),
            entry("component#id", "the number on the bill"),
            entry("component#lines", "what was bought"));
    String find = "find(int,dev.repartee.Call,java.lang.String[][])";
    assertThat(texts("shop.ShopApi"))
        .contains(
            entry(find, "Finds an order. It may be old."),
            entry(find + "#summary", "Finds an order."),
            entry(find + "#0", "the id"),
            entry(find + "#2", "any tags"),
            entry(find + "#return", "the order"),
            entry("count()", "Counts."));
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_23)
  void commentsInMarkdownKeepTheirForm() throws Exception {
    compile("Marked", """
        package shop;

        /// Has a list:
        ///
        /// - *one*
        /// - two
        ///
        /// @param id the `id<b>`
        public record Marked(int id) {}
        """);
    assertThat(texts("shop.Marked"))
        .containsOnly(
            entry("description", "Has a list:\n\n- *one*\n- two"),
            entry("component#id", "the `id<b>`"));
  }

  private static java.util.Map.Entry<Object, Object> entry(String key, String value) {
    return java.util.Map.entry(key, value);
  }

  @Test
  void theDocumentOfTheServiceHasTheTexts() throws Exception {
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {folder.toUri().toURL()}, getClass().getClassLoader())) {
      Service service =
          Service.of(loader.loadClass("shop.Shop").getDeclaredConstructor().newInstance());
      RpcMethod count = Objects.requireNonNull(service.find("count"));
      assertThat(count.description()).isEqualTo("Counts.");
      Json document;
      try (Server server = Repartee.listen("mem:*", service);
          Peer peer = Repartee.connect(server.endpoint())) {
        document = peer.call("rpc.discover", Json.class);
      }
      assertThat(document.toString())
          .contains("""
              "name":"count","description":"Counts.",""")
          .contains("""
              "name":"find","summary":"Finds an order.",\
              "description":"Finds an order. It may be old.",\
              "params":[{"name":"id","description":"the id","required":true,""")
          .contains("""
              {"name":"tags","description":"any tags",""")
          .contains("""
              "result":{"name":"result","description":"the order",""")
          .contains("""
              "name":"stated","description":"Stated","params":[{"name":"a","description":"Stated too\
              """)
          .contains("""
              "maximum":2147483647,"description":"the number on the bill"}""")
          .contains("""
              "items":{"type":"string"},"description":"Stated"}""")
          .contains("""
              "additionalProperties":false,"description":"An order of `items`."}""")
          .contains("""
              {"enum":["OPEN","is closed"],"description":"The state of an order: naïve = \\"yes\\"."}""");
    }
  }
}
