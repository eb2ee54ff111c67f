package dev.repartee.benchmarks.report;

import static java.util.stream.Collectors.joining;

import dev.repartee.benchmarks.process.Jvm;
import dev.repartee.benchmarks.process.SystemFile;
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
    return SystemFile.value(Path.of("/proc/cpuinfo"), "model name")
        .map(name -> name.substring(name.indexOf(':') + 1).trim())
        .orElse(System.getProperty("os.arch"));
  }

  private static String version(Jvm jvm) {
    Path release = jvm.home().resolve("release");
    return Stream.of("IMPLEMENTOR=", "JAVA_RUNTIME_VERSION=")
        .flatMap(name -> SystemFile.value(release, name).stream())
        .map(quoted -> quoted.replace("\"", ""))
        .collect(joining(" "));
  }
}
