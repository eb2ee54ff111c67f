package dev.repartee.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compares the lists of modules, versions and packages in poms and pages with each other. */
@Tag("any-jdk")
class PublishingTest {
  private static final Path ROOT = Path.of(System.getProperty("repartee.root"));
  private static final Pattern ARTIFACT = Pattern.compile("<artifactId>(repartee-[\\w-]+)</");
  private static final Pattern INCLUDE = Pattern.compile("<include>(dev\\.repartee[\\w.]*)</");
  private static final Pattern AUTOMATIC =
      Pattern.compile("<Automatic-Module-Name>(.*)</Automatic-Module-Name>");
  private static final Pattern EXPORT = Pattern.compile("exports ([\\w.]+);");

  @Test
  void theBomNamesThePublishedModules() throws IOException {
    Set<String> named = matches(ARTIFACT, ROOT.resolve("build/bom/pom.xml"));
    named.remove("repartee-parent");
    assertThat(named).isEqualTo(published()); // itself included
  }

  @Test
  void thePagesNameThePublishedModulesAndTheVersionOfTheBuild() throws IOException {
    Matcher version = Pattern.compile("<version>(.*)</version>")
        .matcher(Files.readString(ROOT.resolve("pom.xml")));
    assertThat(version.find()).isTrue();
    assertThat(matches(Pattern.compile("<version>(.*)</version>"), ROOT.resolve("README.md")))
        .containsExactly(version.group(1));
    assertThat(matches(Pattern.compile("repartee-bom:([^\"]*)"), ROOT.resolve("README.md")))
        .containsExactly(version.group(1));
    assertThat(
            matches(Pattern.compile("repartee-cli:([^\"]*)"), ROOT.resolve("jbang-catalog.json")))
        .containsExactly(version.group(1));
    assertThat(published())
        .containsAll(matches(
            Pattern.compile("(repartee-[a-z0-9]+(?:-[a-z0-9]+)*)"), ROOT.resolve("README.md")));
  }

  @Test
  void theApiIsComparedInEveryExportedPackage() throws IOException {
    Set<String> exported = new TreeSet<>();
    for (Path pom : publishedPoms()) {
      Path descriptor = pom.resolveSibling("src/main/java/module-info.java");
      if (Files.exists(descriptor)) {
        exported.addAll(matches(EXPORT, descriptor));
      } else {
        exported.addAll(matches(AUTOMATIC, pom)); // a single package, of the same name
      }
    }
    assertThat(matches(INCLUDE, ROOT.resolve("pom.xml"))).isEqualTo(exported);
  }

  private static Set<String> published() throws IOException {
    Set<String> artifacts = new TreeSet<>();
    for (Path pom : publishedPoms()) {
      Matcher artifact =
          ARTIFACT.matcher(Files.readString(pom).replaceAll("(?s)<parent>.*</parent>", ""));
      assertThat(artifact.find()).as(pom.toString()).isTrue();
      artifacts.add(artifact.group(1));
    }
    return artifacts;
  }

  private static Set<Path> publishedPoms() throws IOException {
    Set<Path> poms = new TreeSet<>();
    for (Path pom : SourceFiles.below(ROOT, 3, "pom.xml")) {
      if (pom.endsWith("pom.xml")
          && Files.readString(pom).contains("<repartee.unpublished>false<")) {
        poms.add(pom);
      }
    }
    return poms;
  }

  /** Returns the first groups of all matches in a file. */
  private static Set<String> matches(Pattern pattern, Path file) throws IOException {
    Set<String> groups = new TreeSet<>();
    for (Matcher found = pattern.matcher(Files.readString(file)); found.find(); ) {
      groups.add(found.group(1));
    }
    return groups;
  }
}
