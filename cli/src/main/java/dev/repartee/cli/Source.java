package dev.repartee.cli;

import dev.repartee.Limits;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import picocli.CommandLine.Parameters;

/** Where a command sends texts, and where it takes them from. */
final class Source {
  @Parameters(
      index = "0",
      paramLabel = "URI",
      description =
          "Where the peer is, as for call: http://HOST:PORT/PATH, ws://..., tcp://..., unix:PATH, exec:COMMAND.")
  String uri = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "FILE",
      description = "Where the texts are; - or nothing reads them from standard input.")
  String file = "-";

  /** The file, or the stream given where that is meant; the process's end closes it. */
  InputStream open(InputStream standardInput) {
    if (isStandardInput()) {
      return new BufferedInputStream(standardInput);
    }
    try {
      return new BufferedInputStream(Files.newInputStream(Path.of(file)));
    } catch (NoSuchFileException | InvalidPathException e) {
      throw Failure.usage("there is no file '" + file + "'; name one, or - for standard input");
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** All there is, if that is no more than a message may hold. */
  byte[] whole(InputStream in) {
    int limit = Limits.DEFAULT.frameBytes();
    try {
      byte[] text = in.readNBytes(limit);
      if (text.length == limit) {
        throw Failure.usage(
            name() + " holds " + limit + " bytes or more, which no message may; send less");
      }
      return text;
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** What sentences call it. */
  String name() {
    return isStandardInput() ? "standard input" : "'" + file + "'";
  }

  Failure unreadable(IOException e) {
    return Failure.usage(name() + " cannot be read: " + Failure.reason(e));
  }

  private boolean isStandardInput() {
    return file.equals("-");
  }
}
