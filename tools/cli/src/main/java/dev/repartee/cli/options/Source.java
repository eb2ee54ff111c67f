package dev.repartee.cli.options;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.repartee.cli.terminal.Failure;
import dev.repartee.limits.Limits;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import picocli.CommandLine.Parameters;

/** The endpoint to which a command sends texts, and the file from which it reads them. */
public final class Source {
  @Parameters(index = "0", paramLabel = "URI", description = """
          The endpoint of the peer, as for call: http://HOST:PORT/PATH, ws://..., tcp://..., \
          unix:PATH, exec:COMMAND, ssh://HOST/COMMAND, nats://HOST/SUBJECT, \
          amqp://USER@HOST/QUEUE, zmq+tcp://HOST:PORT, xmpp://ACCOUNT/SERVICE.""")
  public String uri = "";

  @Parameters(index = "1", arity = "0..1", paramLabel = "FILE", description = """
          The file with the texts. Default: -, which is standard input.""")
  public String file = "-";

  /**
   * Opens the file, or returns the given standard input. The stream is open until the process ends.
   */
  public InputStream open(InputStream standardInput) {
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

  /** Returns the whole input. */
  public byte[] whole(InputStream in) {
    int limit = Limits.DEFAULT.frameBytes();
    try {
      byte[] text = in.readNBytes(limit);
      if (text.length == limit) {
        throw Failure.usage(
            name() + " holds " + limit + " bytes or more, too much for a message; send less");
      }
      return text;
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /**
   * A value of an option.
   *
   * @param origin the name of its source, for messages
   */
  public record Value(byte[] text, String origin) {
    /**
     * Returns the value itself, or the text in the file or standard input for {@code @FILE} and
     * {@code -}.
     */
    public static Value of(String given, String option, InputStream standardInput) {
      if (!given.equals("-") && !given.startsWith("@")) {
        return new Value(given.getBytes(UTF_8), option);
      }
      Source source = new Source();
      source.file = given.equals("-") ? given : given.substring(1);
      try (InputStream in = source.open(standardInput)) {
        return new Value(source.whole(in), source.name());
      } catch (IOException e) {
        throw source.unreadable(e);
      }
    }
  }

  /** Returns the name of the input for error messages. */
  public String name() {
    return isStandardInput() ? "standard input" : "'" + file + "'";
  }

  public Failure unreadable(IOException e) {
    return Failure.usage(name() + " cannot be read: " + Failure.reason(e));
  }

  private boolean isStandardInput() {
    return file.equals("-");
  }
}
