package dev.repartee.jackson;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.Peer;
import dev.repartee.Repartee;
import dev.repartee.Server;
import dev.repartee.Service;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullMarked
class LazyLoadingTest {
  record Point(int x, Optional<String> label) {}

  interface Core {
    Map<String, List<Point>> points(Point[] points, String... names);
  }

  static final class Days {
    public DayOfWeek next(DayOfWeek day) {
      return day.plus(1);
    }
  }

  /** Serves and calls types of core and, if an argument asks for it, one of Jackson. */
  static final class Program {
    private Program() {}

    public static void main(String[] args) throws IOException {
      Core core = (points, names) -> Map.of(names[0], List.of(points));
      Service service = Service.of(Core.class, core);
      if (args.length > 0) {
        service = service.and(Service.of(new Days()));
      }
      try (Server server = Repartee.listen("tcp://127.0.0.1:0", service);
          Peer peer = Repartee.connect(server.endpoint())) {
        Point[] points = {new Point(1, Optional.of("a")), new Point(2, Optional.empty())};
        System.out.println(peer.proxy(Core.class).points(points, "n"));
        if (args.length > 0) {
          System.out.println(peer.call("next", DayOfWeek.class, DayOfWeek.SUNDAY));
        }
      }
    }
  }

  @TempDir
  Path temp;

  @Test
  void jacksonIsLoadedWhenAValueNeedsItAndNotBefore() throws Exception {
    assertThat(loaded()).noneMatch(LazyLoadingTest::isJackson);
    assertThat(loaded("days")).anyMatch(LazyLoadingTest::isJackson);
  }

  private static boolean isJackson(String line) {
    return line.contains("tools.jackson.") || line.contains("com.fasterxml.");
  }

  private List<String> loaded(String... args) throws Exception {
    Path log = Files.createTempFile(temp, "classes", ".log");
    List<String> command = new java.util.ArrayList<>(List.of(
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:TieredStopAtLevel=1",
        "-Xlog:class+load:file=" + log,
        "-cp",
        System.getProperty("java.class.path"),
        Program.class.getName()));
    command.addAll(List.of(args));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).as(said).isZero();
      assertThat(said).startsWith("{n=[Point[x=1, label=Optional[a]], Point[x=2,");
      return Files.readAllLines(log);
    } finally {
      process.destroyForcibly();
    }
  }
}
