package dev.repartee.build;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/**
 * Checks that docs/images/terminal.svg shows the present output of the commands in
 * docs/images/terminal.sh. {@code -Drepartee.write=true} records it again, with the launcher.
 */
@Tag("any-jdk")
class TerminalPictureTest {
  private static final Path ROOT = Path.of(System.getProperty("repartee.root"));
  private static final Path SCRIPT = ROOT.resolve("docs/images/terminal.sh");
  private static final Path PICTURE = ROOT.resolve("docs/images/terminal.svg");
  private static final String TITLE =
      "A terminal: the command repartee calls a server, lists its methods as MCP tools, and checks it";
  private static final String PORT = ":8645/";
  private static final Pattern LISTENING = Pattern.compile("listening on \\S+(:\\d+/)");
  private static final int MOST_BYTES = 60_000;

  @Test
  @Tag("ci")
  void thePictureShowsThePresentOutput() throws Exception {
    assumeTrue(TerminalSession.isPossible(), "there is no command 'script'");
    boolean records = Boolean.getBoolean("repartee.write");
    // The option is in the manifest of the jar of the command; JDK 25 warns without it.
    String launcher = records
        ? "./repartee"
        : Path.of(System.getProperty("java.home"), "bin", "java")
            + " -Xlog:disable --enable-native-access=ALL-UNNAMED -XX:TieredStopAtLevel=1 -cp "
            + System.getProperty("java.class.path") + " dev.repartee.cli.Main";
    Process server = new ProcessBuilder(
            "sh",
            "-c",
            "exec " + launcher + " serve --listen http://127.0.0.1" + (records ? PORT : ":0/"))
        .directory(ROOT.toFile())
        .redirectErrorStream(true)
        .start();
    try {
      // Not closed: that would wait for the thread, which reads until the server has ended.
      BufferedReader log = server.inputReader(UTF_8);
      Matcher listening = LISTENING.matcher(log.readLine());
      assertThat(listening.find()).isTrue();
      String port = listening.group(1);
      Thread reader = new Thread(() -> log.lines().forEach(line -> {}));
      reader.setDaemon(true);
      reader.start();
      String svg = TerminalPicture.svg(
          TITLE,
          TerminalSession.run(
              SCRIPT,
              ROOT,
              command -> command.replace("./repartee", launcher).replace(PORT, port),
              output -> output.replace(port, PORT)));
      if (records) {
        Files.writeString(PICTURE, svg);
      }
      assertThat(rows(Files.readString(PICTURE))).isEqualTo(rows(svg));
    } finally {
      server.destroy();
      server.waitFor();
    }
  }

  /** Returns the rows at the end of the session, without times. */
  private static List<String> rows(String svg) throws Exception {
    List<String> rows = new ArrayList<>();
    NodeList texts = parsed(svg).getElementsByTagName("text");
    for (int i = 0; i < texts.getLength(); i++) {
      Element group = (Element) texts.item(i).getParentNode();
      if (!group.getAttribute("class").contains("past")) {
        rows.add(texts.item(i).getTextContent().replaceAll("\\d+\\.\\d s", "TIME"));
      }
    }
    return rows;
  }

  @Test
  void thePictureIsSmallAndContainsNothingFromElsewhere() throws Exception {
    String svg = Files.readString(PICTURE);
    assertThat(svg.length()).isLessThan(MOST_BYTES);
    assertThat(svg.replace("http://www.w3.org/2000/svg", ""))
        .doesNotContain("<script", "href", "url(", "@import")
        .contains("prefers-reduced-motion");
    Document picture = parsed(svg);
    assertThat(picture.getElementsByTagName("title").item(0).getTextContent()).isEqualTo(TITLE);
    assertThat(picture.getElementsByTagName("desc").item(0).getTextContent() + "\n")
        .isEqualTo(Files.readString(SCRIPT));
  }

  @Test
  void anOverwrittenTextIsShownUntilItsSuccessorAppears() throws Exception {
    TreeMap<Long, String> row = new TreeMap<>();
    row.put(100L, "progress: 1");
    row.put(600L, "progress: 2");
    row.put(601L, "done <&>");
    String svg = TerminalPicture.svg(
        "title", List.of(new TerminalSession.Entry(List.of("run"), List.of(row))));
    assertThat(svg).contains("progress: 1").doesNotContain("progress: 2");
    assertThat(rows(svg)).containsExactly("$ run", "done <&>", "$ ");
  }

  @Test
  void everyAnimationIsDefinedAndTheLastRowIsVisibleWithoutAnimations() throws Exception {
    List<TreeMap<Long, String>> output = new ArrayList<>();
    for (long i = 0; i < 50; i++) {
      output.add(new TreeMap<>());
      output.get(output.size() - 1).put(i * 10, "row " + i);
    }
    String svg =
        TerminalPicture.svg("title", List.of(new TerminalSession.Entry(List.of("run"), output)));
    assertThat(found("animation-name:(\\w+)", svg)).isEqualTo(found("@keyframes (\\w+)", svg));
    // 52 rows, the last 20 of which are visible.
    assertThat(svg).contains(".scroll{animation-name:scroll;transform:translateY(-640px)}");
  }

  private static Set<String> found(String pattern, String text) {
    Set<String> found = new TreeSet<>();
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    while (matcher.find()) {
      found.add(matcher.group(1));
    }
    return found;
  }

  private static Document parsed(String svg) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(svg.getBytes(UTF_8)));
  }
}
