package dev.repartee.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Options;
import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import dev.repartee.cli.Child.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GenerateCommandTest {
  private static final String CALLER = """
      package org.example;

      import dev.repartee.Peer;
      import dev.repartee.RpcException;
      import dev.repartee.json.Json;
      import java.util.ArrayList;
      import java.util.List;
      import java.util.Optional;
      import java.util.function.Function;

      /** Calls the demo; a type that differs from these does not compile. */
      public final class Caller implements Function<Peer, List<Object>> {
        @Override
        public List<Object> apply(Peer peer) {
          Demo demo = peer.proxy(Demo.class);
          demo.update(Json.TRUE, Json.NULL);
          demo.notifyHello(7);
          demo.notifySum(1, 2, 4);
          double difference = demo.subtract(42, 23);
          double sum = demo.add(1, 2);
          double all = demo.sum(1, 2, 4);
          Json data = demo.getData();
          Json echo = demo.echo(Json.parse("{\\"n\\": 1.50}"));
          long slept = demo.sleep(5);
          String counted = demo.countdown(3);
          List<Long> numbers = new ArrayList<>();
          demo.numbers(3).forEach(numbers::add).join();
          Json answer = demo.ask("price", Optional.empty());
          ChannelInfo channel = demo.whoami(Json.parse("{}"));
          return List.of(
              difference, sum, all, data.toString(), echo.toString(), slept, counted, numbers,
              answer.toString(), channel.transport(),
              refusal(() -> demo.fail(7, "no", Optional.of(Json.TRUE))),
              refusal(() -> demo.sleep(-1)));
        }

        private static String refusal(Runnable call) {
          try {
            call.run();
            return "no refusal";
          } catch (RpcException e) {
            return e.code() + " " + e.error().message() + " " + e.data();
          }
        }
      }
      """;

  @TempDir
  private Path folder;

  private Path document;

  @BeforeEach
  void writeDocument() throws IOException {
    document = Files.writeString(folder.resolve("openrpc.json"), """
        {"openrpc":"1.4.1","info":{"title":"Corner shop","version":"1"},"methods":[
          {"name":"order","params":[{"name":"id","required":true,"schema":{"type":"integer"}}],
           "result":{"name":"order","schema":{"title":"Order","type":"object",
             "properties":{"text":{"type":"string"}}}}}]}""");
  }

  private Outcome generate(String... words) {
    return Captured.run(
        "",
        Stream.concat(
                Stream.of("generate"),
                Stream.concat(
                    Stream.of(words),
                    Stream.of("--output", folder.resolve("out").toString())))
            .toArray(String[]::new));
  }

  private Stream<String> files() throws IOException {
    Path out = folder.resolve("out");
    try (Stream<Path> files = Files.walk(out)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> out.relativize(file).toString().replace('\\', '/'))
          .sorted()
          .toList()
          .stream();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "typescript,corner-shop.ts,class CornerShop",
    "python,corner_shop.py,class CornerShop",
    "markdown,corner-shop.md,# Corner shop",
    "html,corner-shop.html,<h1>Corner shop",
  })
  void aFileIsWritten(String form, String file, String part) throws IOException {
    Outcome outcome = generate(form, document.toString());
    assertThat(outcome.err())
        .isEqualTo("wrote " + folder.resolve("out").resolve(file) + System.lineSeparator());
    assertThat(outcome.exit()).isZero();
    assertThat(files()).containsExactly(file);
    assertThat(folder.resolve("out").resolve(file)).content().contains(part);
  }

  @Test
  void javaIsWrittenToTheFolderOfItsPackage() throws IOException {
    Outcome outcome =
        generate("java", document.toString(), "--package", "org.example", "--name", "shop");
    assertThat(outcome.exit()).isZero();
    assertThat(files()).containsExactly("org/example/Order.java", "org/example/Shop.java");
  }

  @Test
  void javaFilesOfAnEarlierRunAreRemoved() throws IOException {
    Path types = Files.createDirectories(folder.resolve("out/org/example"));
    String header = "// Generated by repartee from 'Corner shop' 0.1; changes are lost.\n";
    Files.writeString(types.resolve("Old.java"), header);
    Files.writeString(types.resolve("Old.txt"), header);
    Files.writeString(types.resolve("Own.java"), "package org.example;\n" + header);
    Files.writeString(types.resolve("Other.java"), header.replace("Corner shop", "Corner shop 2"));
    Outcome outcome =
        generate("java", document.toString(), "--package", "org.example", "--name", "shop");
    assertThat(outcome.err()).contains(", and removed 1 that an earlier run wrote");
    assertThat(files())
        .containsExactly(
            "org/example/Old.txt",
            "org/example/Order.java",
            "org/example/Other.java",
            "org/example/Own.java",
            "org/example/Shop.java");
  }

  @Test
  void theDocumentOfAServerIsUsed() throws Exception {
    Service service = Service.builder().method("add", call -> 1).build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", service)) {
      assertThat(generate("typescript", server.endpoint().toString(), "--name", "sums")
              .exit())
          .isZero();
    }
    assertThat(folder.resolve("out/sums.ts")).content().contains("async add(");
  }

  @Test
  void generatedJavaCallsTheDemo() throws Exception {
    Service price = Service.builder().method("price", call -> 5).build();
    try (Server server = Repartee.listen("tcp://127.0.0.1:0", Service.of(new Demo()));
        Peer peer = Repartee.connect(server.endpoint(), price, Options.DEFAULT)) {
      assertThat(generate("java", server.endpoint().toString(), "--package", "org.example")
              .exit())
          .isZero();
      Files.writeString(folder.resolve("out/org/example/Caller.java"), CALLER);
      assertThat(caller().apply(peer))
          .containsExactly(
              19.0,
              3.0,
              7.0,
              "[\"hello\",5]",
              "{\"n\": 1.50}",
              5L,
              "liftoff",
              List.of(1L, 2L, 3L),
              "5",
              "tcp",
              "7 no true",
              "-32602 Invalid params \"millis: expected an integer from 0 to 86400000,"
                  + " got another number\"");
    }
  }

  /** Compiles the generated files and {@link #CALLER} without warnings, with core alone. */
  @SuppressWarnings("unchecked") // the class is in CALLER
  private Function<Peer, List<Object>> caller() throws Exception {
    Path classes = Files.createDirectory(folder.resolve("classes"));
    Path core =
        Path.of(Peer.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<String> words = new ArrayList<>(
        List.of("--release", "17", "-Xlint:all", "-Werror", "-proc:none", "-cp", core.toString()));
    words.addAll(List.of("-d", classes.toString()));
    files().forEach(file -> words.add(folder.resolve("out").resolve(file).toString()));
    ByteArrayOutputStream messages = new ByteArrayOutputStream();
    int exit = ToolProvider.getSystemJavaCompiler()
        .run(null, messages, messages, words.toArray(String[]::new));
    assertThat(exit).as(messages.toString(UTF_8)).isZero();
    ClassLoader loader =
        new URLClassLoader(new URL[] {classes.toUri().toURL()}, Peer.class.getClassLoader());
    return (Function<Peer, List<Object>>)
        loader.loadClass("org.example.Caller").getConstructor().newInstance();
  }

  @Test
  void aDocumentWithAFaultWritesNothing() throws IOException {
    Files.writeString(
        document,
        Files.readString(document).replace("\"type\":\"integer\"", "\"$ref\":\"#/nothing\""));
    Outcome outcome = generate("java", document.toString());
    assertThat(outcome.exit()).isEqualTo(2);
    assertThat(outcome.err())
        .startsWith("repartee: " + document + ": /methods/0/params/0/schema: ")
        .contains("'#/nothing'")
        .doesNotContain("\tat ");
    assertThat(folder.resolve("out")).doesNotExist();
  }

  @Test
  void aFolderThatCannotBeCreatedIsReported() throws IOException {
    Files.writeString(folder.resolve("out"), "a file");
    Outcome outcome = generate("html", document.toString());
    assertThat(outcome.exit()).isEqualTo(2);
    assertThat(outcome.err()).contains("cannot be written").doesNotContain("\tat ");
  }

  @Test
  void aFailureLeavesNoHalfOfTheFiles() throws IOException {
    Files.createDirectories(folder.resolve("out/org/example/Shop.java.new/full"));
    Outcome outcome =
        generate("java", document.toString(), "--package", "org.example", "--name", "shop");
    assertThat(outcome.exit()).isEqualTo(2);
    assertThat(files()).isEmpty();
  }

  @Test
  void aPackageMustBeANameAndIsForJava() {
    assertThat(generate("java", document.toString(), "--package", "a..b").err())
        .contains("'a..b' is no name of a package");
    assertThat(generate("html", document.toString(), "--package", "a").err())
        .contains("--package is for Java only");
  }
}
