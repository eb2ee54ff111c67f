package dev.repartee.build.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.build.SourceFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Renders the {@link Site} and checks its pages against each other. */
@Tag("any-jdk")
class SiteTest {
  private static final Path ROOT = Path.of(System.getProperty("repartee.root"));

  @TempDir
  static Path site;

  private static Set<String> files;

  @BeforeAll
  static void render() throws IOException {
    files = Site.render(ROOT, site);
  }

  private static Stream<String> pages() {
    return files.stream().filter(file -> file.endsWith(".html"));
  }

  private static String read(String file) throws IOException {
    return Files.readString(site.resolve(file));
  }

  @Test
  void everyPageOfTheRepositoryIsInTheNavigationOnce() throws IOException {
    List<String> named =
        new Navigation(Markdown.parse(Files.readString(ROOT.resolve(Navigation.INDEX)))).files();
    Set<String> present = new TreeSet<>();
    for (Path file : SourceFiles.below(ROOT, 4, ".md")) {
      present.add(ROOT.relativize(file).toString());
    }
    assertThat(named)
        .as("the pages of %s, which lists every page of the repository once", Navigation.INDEX)
        .doesNotHaveDuplicates()
        .containsExactlyInAnyOrderElementsOf(present);
  }

  @Test
  void everyLinkBetweenPagesLeadsToAFileAndASection() {
    assertThat(Links.broken(site, files)).isEmpty();
  }

  @Test
  void aLinkToNoFileOrNoSectionIsFound(@TempDir Path folder) throws IOException {
    Files.writeString(
        folder.resolve("page.html"),
        "<h1 id=\"here\"><a href=\"#here\"> <a href=\"#there\"> <a href=\"page.html#here\">"
            + "<img src=\"x.svg\"> <a href=\"https://example.com/x\"> <a href=\"api/X.html\">");
    assertThat(Links.broken(folder, Set.of("page.html")))
        .containsExactly("page.html -> #there", "page.html -> x.svg");
    Files.createDirectory(folder.resolve("api"));
    assertThat(Links.broken(folder, Set.of("page.html"))).contains("page.html -> api/X.html");
  }

  @Test
  void noPageLoadsAnythingFromElsewhere() throws IOException {
    for (String page : pages().toList()) {
      assertThat(read(page)).as(page).doesNotContain("src=\"http", "@import", "url(");
      assertThat(read(page)).as(page).doesNotContainPattern("<link[^>]*href=\"http");
    }
    assertThat(read("site.css")).doesNotContain("url(", "@import");
    assertThat(read("site.js")).doesNotContain("http");
  }

  @Test
  void everyPageLeadsToTheOnesBeforeAndAfterIt() throws IOException {
    assertThat(read("docs/secure-http.html"))
        .containsPattern("<a rel=\"prev\" href=\"\\.\\./[\\w/-]+\\.html\">")
        .containsPattern("<a rel=\"next\" href=\"\\.\\./[\\w/-]+\\.html\">");
  }

  @Test
  void codeIsHighlighted() {
    assertThat(code("sh", "./repartee call http://h/#x --named a='b' # text"))
        .contains("<span class=\"keyword\">./repartee</span> call http://h/#x")
        .contains("<span class=\"name\">--named</span> a=<span class=\"string\">'b'</span>")
        .contains("<span class=\"comment\"># text</span>");
    assertThat(code("", "repartee serve")).contains("<span class=\"keyword\">repartee</span>");
    assertThat(code("", "repartee: no command")).contains("<code>repartee: no command");
    assertThat(code("xml", "<a b=\"c\"/>"))
        .contains("<span class=\"keyword\">&lt;a</span> <span class=\"name\">b</span>=")
        .contains("<span class=\"string\">&quot;c&quot;</span><span class=\"keyword\">/></span>");
    assertThat(code("json", "{\"a\": [\"b\", null]}"))
        .contains("<span class=\"name\">&quot;a&quot;</span>: [<span class=\"string\">")
        .contains("<span class=\"keyword\">null</span>");
  }

  private static String code(String language, String code) {
    return Markdown.html(Markdown.parse("```" + language + "\n" + code + "\n```\n"));
  }

  @Test
  void theStartPageIsTheReadme(@TempDir Path folder) throws IOException {
    Path root = Files.createDirectory(folder.resolve("root"));
    Files.createDirectory(root.resolve("docs"));
    Files.writeString(root.resolve("pom.xml"), "\n  <version>1.2.3</version>\n");
    Files.writeString(root.resolve("LICENSE"), "Free.");
    Files.writeString(root.resolve("SECURITY.md"), "# Security\n");
    Files.writeString(root.resolve("CHANGELOG.md"), "# Changes\n");
    Files.write(root.resolve("docs/picture.png"), new byte[] {(byte) 0x89, 'P'});
    Files.writeString(root.resolve("docs/a.md"), "# a\n\nA <b> & \"c\".\n\n## One\n\n## Two\n");
    Files.writeString(root.resolve(Navigation.INDEX), """
        # All

        ## First & best

        - [the page](a.md): text, with [security](../SECURITY.md) and [place](a.md#one)
        - [Changes](../CHANGELOG.md)
        """);
    Files.writeString(root.resolve("README.md"), """
        # Name

        ![picture](docs/picture.png)

        **The** first sentence. [License](LICENSE).

        - **Good** reason

        ## Start here

        ```java
        class A {}
        ```
        ```java
        class B {}
        ```

        | | |
        |---|---|
        | **[Card](docs/a.md)** | text |
        """);
    Path output = folder.resolve("site");
    Path api = Files.createDirectories(output.resolve("api/dev.repartee/dev/repartee"));
    Files.writeString(output.resolve("api/index.html"), "");
    Files.writeString(api.resolve("Peer.html"), "");
    Set<String> written = Site.render(root, output);
    String start = Files.readString(output.resolve("index.html"));
    assertThat(written).contains("docs/picture.png", "LICENSE.txt", "404.html");
    assertThat(Links.broken(output, written)).isEmpty();
    assertThat(start.replace("\n", ""))
        .contains("<meta name=\"description\" content=\"The first sentence. License.\">")
        .contains("<span class=\"version\">1.2.3</span>")
        .containsPattern("<div class=\"head\"><div class=\"intro\"><h1 [^>]*>Name</h1>"
            + "<p><strong>The</strong> first sentence\\. .*?<a href=\"#start-here\">Get started</a>.*?"
            + "</p></div><p><img src=\"docs/picture.png\" alt=\"picture\" /></p></div>")
        .contains("<div class=\"reasons\"><ul><li><strong>Good</strong> reason")
        .containsPattern("<div class=\"pair\"><div class=\"code\">.*A \\{}.*B \\{}")
        .contains(
            "<div class=\"cards\"><ul><li><p><strong><a href=\"docs/a.html\">Card</a></strong>"
                + "</p><p>text</p></li></ul></div>")
        .contains("<summary>First &amp; best</summary>")
        .contains("<li class=\"part\"><a href=\"SECURITY.html\">Security</a></li>");
    assertThat(Files.readString(output.resolve("docs/a.html")))
        .contains("<title>The page - Repartee</title>", "<a href=\"#two\">Two</a>")
        .contains("A &lt;b&gt; &amp; &quot;c&quot;.");
    assertThat(Files.readString(output.resolve("search-index.js")))
        .contains("[\"SECURITY.html\",\"The page: security\",\"First & best\",")
        .contains("[\"dev.repartee/dev/repartee/Peer.html\"]");

    Files.writeString(root.resolve("README.md"), "# Name\n\nText\n\n[no page](docs/b.md)\n");
    assertThatThrownBy(() -> Site.render(root, output))
        .hasMessage("README.md links to docs/b.md, which is no file");
  }
}
