package dev.repartee.openrpc;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Rpc;
import dev.repartee.Service;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DocumentWriterTest {
  /** A class with methods, of which two are overloaded. */
  public static final class Shop {
    public int price(String name) {
      return name.length();
    }

    public int sum(int a) {
      return a;
    }

    public int sum(int a, int b) {
      return a + b;
    }

    public static Service service() {
      return Service.of(new Shop.Counter()).described("Shop", "2.1");
    }

    public Service ofObject() {
      return service();
    }

    public static Service broken() {
      throw new IllegalStateException("no shop today");
    }

    public static Service nothing() {
      return null;
    }

    /** A class with one method. */
    public static final class Counter {
      public int count() {
        return 1;
      }
    }
  }

  /** The methods of a client. */
  public interface Remote {
    @Rpc("orders.find")
    String find(int id);
  }

  /** A class whose object cannot be made. */
  public static final class Demanding {
    public Demanding(int capital) {}

    public int price() {
      return 1;
    }
  }

  private static final String NAME = DocumentWriterTest.class.getName() + "$";

  @TempDir
  private Path folder;

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

  private int run(String... args) {
    return DocumentWriter.run(args, new PrintStream(printed, true, UTF_8));
  }

  private OpenRpc written(String name) throws IOException {
    Path file = folder.resolve("site/openrpc.json");
    assertThat(run(NAME + name, file.toString())).as(printed.toString(UTF_8)).isZero();
    assertThat(file.getParent()).isDirectoryContaining(file::equals);
    assertThat(file.getParent().toFile().list()).hasSize(1);
    return OpenRpc.parse(Files.readAllBytes(file));
  }

  private static List<String> names(OpenRpc document) {
    return document.methods().stream().map(MethodDescriptor::name).toList();
  }

  @Test
  void aClassIsDescribed() throws IOException {
    OpenRpc document = written("Shop");
    assertThat(names(document)).contains("price").doesNotContain("sum");
    assertThat(document.info().title()).isEqualTo("Shop");
    assertThat(printed.toString(UTF_8)).contains("not in the document: sum (overloaded: ");
  }

  @Test
  void anInterfaceIsDescribedWithoutAnImplementation() throws IOException {
    assertThat(names(written("Remote"))).contains("orders.find");
  }

  @Test
  void aMethodReturnsTheService() throws IOException {
    OpenRpc document = written("Shop#service");
    assertThat(names(document)).contains("count");
    assertThat(document.info().version()).isEqualTo("2.1");
  }

  @Test
  void aFileWithTheSameDocumentIsNotWrittenAgain() throws IOException {
    written("Shop");
    Path file = folder.resolve("site/openrpc.json");
    String text = Files.readString(file);
    assertThat(text).startsWith("{\n  \"openrpc\": \"1.4.1\",\n").endsWith("\n}\n");
    FileTime old = FileTime.fromMillis(1_000_000_000_000L);
    Files.setLastModifiedTime(file, old);
    written("Shop");
    assertThat(Files.getLastModifiedTime(file)).isEqualTo(old);
    written("Remote");
    assertThat(Files.readString(file)).isNotEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "Missing,there is no class '",
    "Demanding,has no public method that could be served",
    "Shop#missing,cannot be used: ",
    "Shop#ofObject,is no static method that returns a Service",
    "Shop#nothing,is no static method that returns a Service",
    "Shop#broken,failed: java.lang.IllegalStateException: no shop today",
  })
  void aClassThatCannotBeUsedIsReportedInOneSentence(String name, String sentence) {
    assertThat(run(NAME + name, folder.resolve("openrpc.json").toString())).isEqualTo(2);
    assertThat(printed.toString(UTF_8)).contains(sentence).hasLineCount(1);
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void aFileThatCannotBeWrittenIsReported() {
    assertThat(run(NAME + "Shop", folder.toString())).isEqualTo(2);
    assertThat(printed.toString(UTF_8)).contains(folder + " is a folder");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void wrongArgumentsAreRefused() {
    assertThat(run("a.B")).isEqualTo(2);
    assertThat(printed.toString(UTF_8)).startsWith("usage: java -cp CLASSPATH dev.repartee.");
  }
}
