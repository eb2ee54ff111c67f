package dev.repartee.benchmarks.report;

import static java.util.stream.Collectors.joining;

import dev.repartee.benchmarks.process.Jvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.stream.Stream;

/** Describes the machine, for the report. */
public final class Machine {
  private Machine() {}

  public static String describe(List<Jvm> jvms) {
    return "%s, %d CPUs, %s %s; JDK %s; %s; %s"
        .formatted(
            cpu(),
            Runtime.getRuntime().availableProcessors(),
            System.getProperty("os.name"),
            System.getProperty("os.version"),
            jvms.stream().map(Machine::version).collect(joining(" and ")),
            LocalDate.now(),
            Jvm.pins()
                ? "the server pinned to one CPU, the client to another"
                : "processes not pinned to CPUs");
  }

  private static String cpu() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).trim())
          .findFirst()
          .orElse(System.getProperty("os.arch"));
    } catch (IOException e) {
      return System.getProperty("os.arch");
    }
  }

  private static String version(Jvm jvm) {
    Path release = jvm.home().resolve("release");
    try (Stream<String> lines = Files.lines(release)) {
      return lines
          .filter(
              line -> line.startsWith("JAVA_RUNTIME_VERSION=") || line.startsWith("IMPLEMENTOR="))
          .map(line -> line.substring(line.indexOf('"') + 1, line.length() - 1))
          .reduce((a, b) -> a + " " + b)
          .orElse(Integer.toString(jvm.feature()));
    } catch (IOException e) {
      return Integer.toString(jvm.feature());
    }
  }
}
