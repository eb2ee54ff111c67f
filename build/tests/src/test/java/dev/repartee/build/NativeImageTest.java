package dev.repartee.build;

import static java.util.Map.entry;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import dev.repartee.json.Json;
import io.netty.channel.ChannelHandler;
import java.io.IOException;
import java.lang.reflect.Executable;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares the metadata for GraalVM native images in the jars with the code: the metadata names only things
 * that exist, and everything that the libraries look up by name. No native image is built.
 */
@Tag("any-jdk")
class NativeImageTest {
  private static final Path ROOT = Path.of(System.getProperty("repartee.root"));

  /** The libraries by the names of their jars. The command and testkit have no metadata. */
  private static final Map<String, String> LIBRARIES = Map.ofEntries(
      entry("repartee-core", "core"),
      entry("repartee-jackson", "binding/jackson"),
      entry("repartee-envelopes", "protocols/envelopes"),
      entry("repartee-netty", "transports/netty"),
      entry("repartee-amqp", "transports/amqp"),
      entry("repartee-nats", "transports/nats"),
      entry("repartee-zeromq", "transports/zeromq"),
      entry("repartee-mcp", "protocols/mcp"),
      entry("repartee-lsp", "protocols/lsp"),
      entry("repartee-dap", "protocols/dap"),
      entry("repartee-acp", "protocols/acp"),
      entry("repartee-mcp-lsp", "protocols/mcp-lsp"),
      entry("repartee-openrpc", "protocols/openrpc"),
      entry("repartee-a2a", "protocols/a2a"),
      entry("repartee-conformance", "tools/conformance"));

  private static final JavaClasses CLASSES = new ClassFileImporter()
      .importPaths(LIBRARIES.values().stream()
          .map(module -> ROOT.resolve(module).resolve("target/classes"))
          .toList());

  private static final String METADATA = "look up the library's own members: in the metadata";
  private static final String USERS =
      "look up members of the user's types: in docs/native-image.md";

  private static final String BUILD = "run during a build, never in an image";

  /** The classes that look something up by name, or list members of a class. */
  private static final Map<String, String> LOOKUPS = new TreeMap<>(Map.ofEntries(
      entry("dev.repartee.ArgumentReader", METADATA),
      entry("dev.repartee.Exchange", METADATA),
      entry("dev.repartee.Pending", METADATA),
      entry("dev.repartee.Proxies", USERS),
      entry("dev.repartee.Repartee", METADATA),
      entry("dev.repartee.Signature", USERS),
      entry("dev.repartee.TypedMethod", METADATA),
      entry("dev.repartee.TypedMethods", USERS),
      entry("dev.repartee.acp.binding.GeneratedMapping", METADATA),
      entry("dev.repartee.conformance.Corpus", METADATA),
      entry("dev.repartee.dap.EventOrder", METADATA),
      entry("dev.repartee.dap.binding.GeneratedMapping", METADATA),
      entry("dev.repartee.envelopes.Descriptions", METADATA),
      entry("dev.repartee.internal.Access", USERS),
      entry("dev.repartee.internal.reflect.Annotations", USERS),
      entry("dev.repartee.internal.reflect.Javadoc", USERS),
      entry("dev.repartee.internal.reflect.Kotlin", USERS),
      entry("dev.repartee.internal.Providers", METADATA),
      entry("dev.repartee.internal.ThreadContext", METADATA),
      entry("dev.repartee.internal.Threads", METADATA),
      entry("dev.repartee.jackson.Expected", USERS),
      entry("dev.repartee.jackson.OtherBinders", USERS),
      entry("dev.repartee.json.Component", METADATA),
      entry("dev.repartee.json.TypeResolver", USERS),
      entry("dev.repartee.lsp.binding.GeneratedMapping", METADATA),
      entry("dev.repartee.mcp.JavaTools", USERS),
      entry("dev.repartee.mcp.client.ToolProxy", USERS),
      entry("dev.repartee.openrpc.DocumentWriter", BUILD),
      entry("dev.repartee.openrpc.generate.Template", METADATA)));

  private static final Pattern LOOKUP_METHOD =
      Pattern.compile("java\\.lang\\.invoke\\.MethodHandles\\$Lookup\\.(find|bind|unreflect).*"
          + "|java\\.lang\\.Class\\.(forName|getResource.*"
          + "|get(Declared)?(Method|Field|Constructor|Class|RecordComponent)(s|es)?)"
          + "|java\\.lang\\.Class(Loader)?\\.(loadClass|getResource.*)"
          + "|java\\.lang\\.reflect\\.Proxy\\.newProxyInstance"
          + "|java\\.util\\.ServiceLoader\\.load.*"
          + "|java\\.util\\.ResourceBundle\\.getBundle"
          + "|java\\.util\\.concurrent\\.atomic\\.Atomic\\w+FieldUpdater\\.newUpdater"
          + "|java\\.lang\\.System\\.load.*");

  /** A look-up of a member of a class literal: the class and the name. */
  private static final Pattern MEMBER = Pattern.compile(
      "find\\w+\\(\\s*(\\w+)\\.class,\\s*\"(\\w+)\"|(\\w+)\\.class\\s*\\.get\\w+\\(\\s*\"(\\w+)\"");

  static Set<String> libraries() {
    return LIBRARIES.keySet();
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void theMetadataNamesOnlyMembersThatExist(String library) throws Exception {
    List<String> missing = new ArrayList<>();
    for (Json entry : list(library, "reflection")) {
      if (entry.get("type").kind() == Json.Kind.OBJECT) {
        for (Json proxied : elements(entry.get("type"), "proxy")) {
          Class.forName(proxied.as(String.class), false, getClass().getClassLoader());
        }
        continue;
      }
      String name = entry.get("type").as(String.class);
      Class<?> type = Class.forName(name, false, getClass().getClassLoader());
      for (Json method : elements(entry, "methods")) {
        if (!name.startsWith("java.") && !has(type, method)) {
          missing.add(name + ": " + method);
        }
      }
      for (Json field : elements(entry, "fields")) {
        type.getDeclaredField(field.get("name").as(String.class));
      }
    }
    assertThat(missing).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void theMetadataNamesEveryMemberThatALiteralNames(String library) throws Exception {
    Map<String, Set<String>> named = members(library);
    List<String> missing = new ArrayList<>();
    for (Path source : files(module(library).resolve("src/main/java"))) {
      for (Matcher found = MEMBER.matcher(Files.readString(source)); found.find(); ) {
        String type = found.group(1) == null ? found.group(3) : found.group(1);
        String member = found.group(2) == null ? found.group(4) : found.group(2);
        if (!named.getOrDefault(type, Set.of()).contains(member)) {
          missing.add(source.getFileName() + " looks up " + type + "." + member);
        }
      }
    }
    assertThat(missing).as("add them to the metadata of " + library).isEmpty();
  }

  @Test
  void theMetadataNamesEveryMemberThatAVariableNames() throws Exception {
    Map<String, Set<String>> named = members("repartee-core");
    assertThat(named.get("ArgumentReader"))
        .isEqualTo(methods("dev.repartee.ArgumentReader", "dev.repartee.Exchange"));
    Set<String> getters = methods("dev.repartee.json.ComponentBuffer", "int");
    getters.removeIf(name -> !name.endsWith("At"));
    assertThat(named.get("ComponentBuffer")).isEqualTo(getters);
    assertThat(list("repartee-core", "reflection").stream()
            .filter(entry -> entry.get("type").as(String.class).equals("dev.repartee.Exchange"))
            .flatMap(entry -> elements(entry, "methods").stream())
            .filter(method -> method.get("name").as(String.class).equals("result"))
            .map(method -> method.get("parameterTypes").toString()))
        .containsExactlyInAnyOrder(
            "[\"boolean\"]", "[\"double\"]", "[\"float\"]", "[\"int\"]", "[\"long\"]");
  }

  @ParameterizedTest
  @ValueSource(strings = {"lsp", "dap", "acp"})
  void theMetadataNamesTheReaderAndTheWriterOfEveryGeneratedType(String protocol) throws Exception {
    Map<String, Set<String>> named = members("repartee-" + protocol);
    List<String> missing = new ArrayList<>();
    int generated = 0;
    for (JavaClass type : CLASSES.that(DescribedPredicate.describe(
        "are generated",
        each -> each.isAnnotatedWith("dev.repartee." + protocol + ".types.GeneratedType")))) {
      if (type.getEnclosingClass().isEmpty()) {
        generated++;
        String codec = type.getSimpleName() + (type.isInterface() ? "Json" : "");
        if (!named.getOrDefault(codec, Set.of()).equals(Set.of("read", "write"))) {
          missing.add(type.getName());
        }
      }
    }
    assertThat(missing).isEmpty();
    assertThat(generated).isGreaterThan(100);
  }

  @Test
  void everyClassThatLooksSomethingUpIsKnown() {
    Set<String> found = new TreeSet<>();
    for (JavaClass type : CLASSES) {
      for (JavaAccess<?> access : type.getAccessesFromSelf()) {
        String target =
            access.getTargetOwner().getName() + "." + access.getTarget().getName();
        if (LOOKUP_METHOD.matcher(target).matches()) {
          found.add(type.getName().replaceFirst("\\$.*", ""));
        }
      }
    }
    assertThat(found)
        .as(
            "a native image needs to know: extend the metadata or docs/native-image.md, then this list")
        .isEqualTo(LOOKUPS.keySet());
  }

  @Test
  void nettyMayLookUpTheMethodsOfEveryHandler() throws Exception {
    Set<String> handlers = new TreeSet<>();
    for (JavaClass candidate : CLASSES) {
      Class<?> type = Class.forName(candidate.getName(), false, getClass().getClassLoader());
      if (ChannelHandler.class.isAssignableFrom(type) && !type.isInterface()) {
        handlers.add(type.getName());
      }
    }
    Set<String> named = new TreeSet<>();
    for (Json entry : list("repartee-netty", "reflection")) {
      named.add(entry.get("type").as(String.class));
    }
    named.remove("dev.repartee.netty.NettyTransport");
    named.remove("dev.repartee.netty.tls.TlsTransport");
    assertThat(named).as("handlers in the metadata of repartee-netty").isEqualTo(handlers);
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void theMetadataNamesEveryResourceAndNoOther(String library) throws Exception {
    Path folder = module(library).resolve("src/main/resources");
    Set<String> globs = new TreeSet<>();
    for (Json entry : list(library, "resources")) {
      globs.add(entry.get("glob").as(String.class));
    }
    Set<String> used = new TreeSet<>();
    for (Path file : files(folder)) {
      Path resource = folder.relativize(file);
      if (!resource.startsWith("META-INF/native-image")
          && !resource.getFileName().toString().startsWith("LICENSE")) {
        List<String> matching =
            globs.stream().filter(glob -> matches(glob, resource)).toList();
        assertThat(matching).as("globs for " + resource).isNotEmpty();
        used.addAll(matching);
      }
    }
    assertThat(used).isEqualTo(globs);
  }

  @ParameterizedTest
  @MethodSource("libraries")
  void theMetadataNamesTheConstructorOfEveryProvider(String library) throws Exception {
    Map<String, Set<String>> named = members(library);
    for (Path file : files(module(library).resolve("src/main/resources/META-INF/services"))) {
      for (String provider : Files.readAllLines(file)) {
        assertThat(named.get(provider.replaceFirst(".*\\.", ""))).as(provider).contains("<init>");
      }
    }
  }

  private static Path module(String library) {
    return ROOT.resolve(LIBRARIES.get(library));
  }

  /** Returns a list of the metadata of a library; empty if there is none. */
  private static List<Json> list(String library, String name) throws IOException {
    Path file = module(library)
        .resolve("target/classes/META-INF/native-image/dev.repartee") // partly generated
        .resolve(library)
        .resolve("reachability-metadata.json");
    return elements(Json.parse(Files.readString(file)), name);
  }

  private static List<Json> elements(Json object, String name) {
    Json array = object.get(name);
    return array == null ? List.of() : array.elements();
  }

  /** Returns the names of the methods and fields in the metadata, by the simple name of their class. */
  private static Map<String, Set<String>> members(String library) throws IOException {
    Map<String, Set<String>> members = new TreeMap<>();
    for (Json entry : list(library, "reflection")) {
      if (entry.get("type").kind() == Json.Kind.OBJECT) {
        continue; // a proxy
      }
      String type = entry.get("type").as(String.class).replaceFirst(".*\\.", "");
      Set<String> names = members.computeIfAbsent(type, key -> new TreeSet<>());
      Stream.of("methods", "fields")
          .flatMap(kind -> elements(entry, kind).stream())
          .forEach(member -> names.add(member.get("name").as(String.class)));
    }
    return members;
  }

  private static boolean has(Class<?> type, Json method) {
    String name = method.get("name").as(String.class);
    List<String> parameters = method.get("parameterTypes").elements().stream()
        .map(parameter -> parameter.as(String.class))
        .toList();
    Stream<? extends Executable> declared = name.equals("<init>")
        ? Arrays.stream(type.getDeclaredConstructors())
        : Arrays.stream(type.getDeclaredMethods())
            .filter(other -> other.getName().equals(name));
    return declared.anyMatch(other -> parameters.equals(
        Arrays.stream(other.getParameterTypes()).map(Class::getName).toList()));
  }

  /** Returns the names of the methods of a class that take one parameter of a type. */
  private static Set<String> methods(String type, String parameter) throws ClassNotFoundException {
    return Arrays.stream(Class.forName(type).getDeclaredMethods())
        .filter(method -> !method.isSynthetic()
            && method.getParameterCount() == 1
            && method.getParameterTypes()[0].getName().equals(parameter))
        .map(method -> method.getName())
        .collect(toCollection(TreeSet::new));
  }

  private static boolean matches(String glob, Path resource) {
    PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + glob);
    return matcher.matches(resource);
  }

  private static List<Path> files(Path folder) throws IOException {
    if (!Files.exists(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }
}
