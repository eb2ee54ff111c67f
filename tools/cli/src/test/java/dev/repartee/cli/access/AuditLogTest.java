package dev.repartee.cli.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.repartee.access.AccessDecision;
import dev.repartee.access.AccessDecision.Outcome;
import dev.repartee.access.Principal;
import dev.repartee.cli.terminal.Failure;
import dev.repartee.cli.terminal.Stdio;
import dev.repartee.internal.log.RotatingFile;
import dev.repartee.json.Json;
import dev.repartee.transport.ChannelInfo;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class AuditLogTest {
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final Stdio stdio = new Stdio(
      InputStream.nullInputStream(),
      OutputStream.nullOutputStream(),
      new PrintStream(err, true, UTF_8),
      false,
      false);

  @TempDir
  Path folder;

  private AuditLog open(Path file, long maxFile) {
    return AuditLog.open(file.toString(), maxFile, stdio);
  }

  private static AccessDecision decision(
      @Nullable Principal principal, @Nullable String method, Outcome outcome) {
    return new AccessDecision(
        Instant.parse("2026-01-02T03:04:05Z"),
        new ChannelInfo("http", "192.0.2.1:4711", "message"),
        principal,
        method,
        outcome);
  }

  @Test
  void aLineHasTheFactsOfADecision() throws Exception {
    Path file = folder.resolve("audit.jsonl");
    Principal ada = new Principal("ada", Set.of("admin"), Set.of(), "basic");
    for (int i = 0; i < 2; i++) { // the second log appends
      try (AuditLog log = open(file, RotatingFile.MAX_FILE)) {
        log.accept(decision(ada, "price\n\"x\"", Outcome.ALLOWED));
        log.accept(decision(null, null, Outcome.UNAUTHENTICATED));
      }
    }
    String lines = """
        {"time":"2026-01-02T03:04:05Z","address":"192.0.2.1:4711","principal":"ada",\
        "proof":"basic","method":"price\\n\\"x\\"","outcome":"allowed"}
        {"time":"2026-01-02T03:04:05Z","address":"192.0.2.1:4711","outcome":"unauthenticated"}
        """;
    assertThat(file).hasContent(lines + lines);
  }

  @Test
  @EnabledOnOs({OS.LINUX, OS.MAC})
  void onlyTheOwnerCanReadTheFile() throws Exception {
    Path file = folder.resolve("audit.jsonl");
    open(file, RotatingFile.MAX_FILE).close();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
  }

  @Test
  void aFullFileIsRenamedAndTheOldestDeleted() throws Exception {
    Path file = folder.resolve("audit.jsonl");
    try (AuditLog log = open(file, 300)) {
      for (int i = 0; i < 100; i++) {
        log.accept(decision(null, "m" + i, Outcome.ALLOWED));
      }
    }
    List<String> methods = new ArrayList<>();
    for (int i = RotatingFile.OLDER; i >= 0; i--) {
      Path each = i == 0 ? file : folder.resolve("audit.jsonl." + i);
      assertThat(Files.size(each)).isLessThanOrEqualTo(300);
      for (String line : Files.readAllLines(each)) {
        methods.add(Json.parse(line).string("method"));
      }
    }
    assertThat(methods)
        .hasSizeGreaterThan(RotatingFile.OLDER)
        .endsWith("m98", "m99")
        .doesNotHaveDuplicates();
    assertThat(folder.resolve("audit.jsonl." + (RotatingFile.OLDER + 1))).doesNotExist();
  }

  @Test
  void aHyphenIsStandardError() {
    try (AuditLog log = AuditLog.open("-", RotatingFile.MAX_FILE, stdio)) {
      log.accept(decision(null, "m\u001b[2J", Outcome.FORBIDDEN));
    }
    assertThat(err.toString(UTF_8))
        .startsWith("{\"time\":")
        .endsWith("\"outcome\":\"forbidden\"}\n")
        .doesNotContain("\u001b");
  }

  @Test
  void aFileThatCannotBeWrittenIsRefused() {
    assertThatThrownBy(() -> open(folder.resolve("no/where"), RotatingFile.MAX_FILE))
        .isInstanceOf(Failure.class)
        .hasMessageContaining("cannot be written")
        .hasMessageEndingWith("example: --audit audit.jsonl");
    assertThatThrownBy(() -> open(folder, RotatingFile.MAX_FILE)).isInstanceOf(Failure.class);
  }
}
