package dev.repartee.users;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;

/**
 * Checks the bundle that a release would send to Maven Central, and builds a project of a user from it.
 * {@code .ci/dry-run-release FOLDER} makes the bundle.
 */
@DisabledOnOs(OS.WINDOWS)
@EnabledIfSystemProperty(
    named = "repartee.release",
    matches = ".+",
    disabledReason = "-Drepartee.release names no folder of .ci/dry-run-release")
class ReleaseTest {
  private static final Path ROOT = Path.of(System.getProperty("repartee.root"));
  private static final Path JDK = Path.of(System.getProperty("java.home"));
  private static final int PATIENCE_SECONDS = 100;

  /** The address that the dry run gives to the release. */
  private static final String HOME = "https://repartee.example/home";

  @TempDir
  static Path temp;

  /** The bundle, unpacked: a Maven repository. */
  private static Path repository;

  /** The output folder of the built project of a user. */
  private static Path foreign;

  /** A module of the bundle, and the folder of its files. */
  record Published(String artifact, String version, Path folder) {
    Path file(String ending) {
      return folder.resolve(artifact + "-" + version + ending);
    }

    boolean isBom() {
      return artifact.equals("repartee-bom");
    }

    @Override
    public String toString() {
      return artifact;
    }
  }

  @BeforeAll
  @Timeout(value = 15, unit = TimeUnit.MINUTES)
  static void buildTheProjectOfAUser() throws Exception {
    ReleasedModules modules = ReleasedModules.unpack(temp.resolve("repository"));
    repository = modules.repository();
    foreign = modules.build("foreign", "-o", "-Daether.offline.protocols=file");
  }

  @ParameterizedTest
  @CsvSource({"17, class path", "17, module path", "25, class path", "25, module path"})
  void aProjectOfAUserRuns(int version, String path) throws Exception {
    Optional<Path> jdk = jdk(version);
    assumeTrue(jdk.isPresent(), "no JDK " + version + " is installed");
    String jars =
        foreign.resolve("foreign.jar") + ":" + Files.readString(foreign.resolve("class-path"));
    String java = jdk.orElseThrow().resolve("bin/java").toString();
    String module;
    String said;
    if (path.equals("class path")) {
      module = "unnamed module";
      said = run(temp, java, "-cp", jars, "foreign.Main");
    } else {
      module = "module foreign";
      said = run(temp, java, "-p", jars, "-m", "foreign/foreign.Main");
    }
    assertThat(said).startsWith(module).contains(": Stay[guest=Ada, from=2024-03-01]\ntrue\n");
  }

  @Test
  void twoBuildsAreEqualByteByByte() throws Exception {
    assertThat(digests("two")).isEqualTo(digests("one"));
  }

  @ParameterizedTest
  @MethodSource("published")
  void aPomHasAllThatMavenCentralRequires(Published module) throws Exception {
    Element pom = pom(module);
    for (String element : List.of("name", "description", "url", "licenses", "developers", "scm")) {
      assertThat(child(pom, element)).as(element).isPresent();
    }
    for (String element : List.of("license/name", "license/url")) {
      assertThat(text(pom, "licenses/" + element)).as(element).isNotEmpty();
    }
    for (String element : List.of("name", "organization", "organizationUrl")) {
      assertThat(text(pom, "developers/developer/" + element)).as(element).isNotEmpty();
    }
    for (String element : List.of("connection", "developerConnection", "url")) {
      assertThat(text(pom, "scm/" + element)).as(element).contains(HOME);
    }
    assertThat(text(pom, "url")).isEqualTo(HOME);
    assertThat(text(pom, "issueManagement/url")).isEqualTo(HOME + "/issues");
    assertThat(text(pom, "version")).isEqualTo(module.version).doesNotContain("SNAPSHOT");
  }

  @ParameterizedTest
  @MethodSource("published")
  void aPomTellsNothingOfTheBuild(Published module) throws Exception {
    Element pom = pom(module);
    for (String element :
        List.of("parent", "build", "profiles", "properties", "modules", "repositories")) {
      assertThat(child(pom, element)).as(element).isEmpty();
    }
    assertThat(Files.readString(module.file(".pom"))).doesNotContain("<scope>test");
    if (!module.isBom()) {
      assertThat(child(pom, "dependencyManagement")).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("published")
  void everyFileHasChecksumsAndEveryJarItsSourcesJavadocAndListOfComponents(Published module)
      throws Exception {
    List<String> files = new ArrayList<>(List.of(".pom", "-cyclonedx.json"));
    if (!module.isBom()) {
      files.addAll(List.of(".jar", "-sources.jar", "-javadoc.jar"));
    }
    for (String file : files) {
      byte[] content = Files.readAllBytes(module.file(file));
      for (String algorithm : List.of("MD5", "SHA1")) {
        assertThat(Files.readString(module.file(file + "." + algorithm.toLowerCase(Locale.ROOT))))
            .as(file)
            .isEqualTo(digest(algorithm, content));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("jars")
  void aJarHasTheLicenseAndTheNotice(Path jar) throws Exception {
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      for (String text : List.of("LICENSE", "NOTICE")) {
        ZipEntry entry = zip.getEntry("META-INF/" + text);
        assertThat(entry).as(text).isNotNull();
        assertThat(zip.getInputStream(entry).readAllBytes())
            .isEqualTo(Files.readAllBytes(ROOT.resolve(text)));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("jars")
  void aJarHasContent(Path jar) throws Exception {
    String content = jar.toString().endsWith("-javadoc.jar")
        ? "index.html"
        : jar.toString().endsWith("-sources.jar") ? ".java" : ".class";
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      assertThat(zip.stream()).anyMatch(entry -> entry.getName().endsWith(content));
    }
  }

  @ParameterizedTest
  @MethodSource("published")
  void theManifestTellsTheVersion(Published module) throws Exception {
    assumeTrue(!module.isBom(), "a BOM has no jar");
    try (JarFile jar = new JarFile(module.file(".jar").toFile())) {
      Attributes manifest = jar.getManifest().getMainAttributes();
      assertThat(manifest.getValue("Implementation-Version")).isEqualTo(module.version);
      assertThat(manifest.getValue("Implementation-Title")).startsWith("Repartee ");
    }
  }

  static List<Published> published() throws IOException {
    List<Published> modules = new ArrayList<>();
    try (Stream<Path> folders = Files.list(repository.resolve("dev/repartee"))) {
      for (Path artifact : folders.sorted().toList()) {
        try (Stream<Path> versions = Files.list(artifact)) {
          Path version = versions.findFirst().orElseThrow();
          modules.add(new Published(
              artifact.getFileName().toString(), version.getFileName().toString(), version));
        }
      }
    }
    return modules;
  }

  static List<Path> jars() throws IOException {
    try (Stream<Path> files = Files.walk(repository)) {
      return files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
    }
  }

  private static ZipFile bundle(String build) throws IOException {
    return new ZipFile(
        Path.of(System.getProperty("repartee.release"), build + ".zip").toFile());
  }

  private static List<? extends ZipEntry> entries(ZipFile zip) {
    return zip.stream().filter(entry -> !entry.isDirectory()).toList();
  }

  /** Returns the digest of each file in a bundle. */
  private static Map<String, String> digests(String build) throws Exception {
    Map<String, String> digests = new TreeMap<>();
    try (ZipFile zip = bundle(build)) {
      for (ZipEntry entry : entries(zip)) {
        digests.put(entry.getName(), digest("SHA-256", zip.getInputStream(entry).readAllBytes()));
      }
    }
    return digests;
  }

  private static String digest(String algorithm, byte[] content) throws Exception {
    return HexFormat.of().formatHex(MessageDigest.getInstance(algorithm).digest(content));
  }

  private static Element pom(Published module) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(module.file(".pom").toFile())
        .getDocumentElement();
  }

  private static String text(Element from, String path) {
    Element at = from;
    for (String name : path.split("/")) {
      at = child(at, name).orElseThrow(() -> new AssertionError("there is no " + path));
    }
    return at.getTextContent().strip();
  }

  private static Optional<Element> child(Element parent, String name) {
    for (int i = 0; i < parent.getChildNodes().getLength(); i++) {
      if (parent.getChildNodes().item(i) instanceof Element element
          && element.getTagName().equals(name)) {
        return Optional.of(element);
      }
    }
    return Optional.empty();
  }

  /** Returns an installed JDK of a version. */
  private static Optional<Path> jdk(int version) throws IOException {
    List<Path> homes = new ArrayList<>(List.of(JDK));
    Path installed = JDK.getParent();
    try (Stream<Path> others = Files.list(installed)) {
      others.sorted().forEach(homes::add);
    }
    for (Path home : homes) {
      Path release = home.resolve("release");
      if (Files.isRegularFile(release)
          && Files.readString(release).contains("JAVA_VERSION=\"" + version + ".")) {
        return Optional.of(home);
      }
    }
    return Optional.empty();
  }

  /** Runs a command on this JDK and returns its output; the messages go to the output of this test. */
  private static String run(Path folder, String... command) throws Exception {
    Path out = Files.createTempFile(temp, "out", "");
    ProcessBuilder builder = new ProcessBuilder(command)
        .directory(folder.toFile())
        .redirectOutput(out.toFile())
        .redirectError(ProcessBuilder.Redirect.to(Path.of(out + ".err").toFile()));
    builder.environment().put("JAVA_HOME", JDK.toString());
    Process process = builder.start();
    try {
      process.getOutputStream().close();
      boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
      String said = Files.readString(out, UTF_8);
      assertThat(ended && process.exitValue() == 0)
          .as(() -> String.join(" ", command) + "\n" + said + errors(out))
          .isTrue();
      return said;
    } finally {
      process.destroyForcibly();
    }
  }

  private static String errors(Path out) {
    try {
      return Files.readString(Path.of(out + ".err"));
    } catch (IOException e) {
      return e.toString();
    }
  }
}
