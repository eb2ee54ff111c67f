package dev.repartee.transport.http.server;

import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.FrameService;
import dev.repartee.transport.FrameSink;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * A service with another HTTP status for notifications, an option of the endpoint.
 *
 * @param service serves the frames
 * @param status the status
 */
public record NotificationStatus(FrameService service, int status) implements FrameService {
  /** The name of the option. */
  public static final String OPTION = "notification-status";

  /** Returns the service with a status, or the service itself if there is none. */
  static FrameService of(FrameService service, OptionalInt status) {
    return status.isEmpty() ? service : new NotificationStatus(service, status.getAsInt());
  }

  /**
   * Reads the option.
   *
   * @param value the value; empty if the option is not set
   * @param place the endpoint or servlet with the option, for the message of the exception
   * @return the status; empty if the option is not set
   * @throws IllegalArgumentException if the value is not 200, 202 or 204
   */
  public static OptionalInt parse(String value, String place) {
    return switch (value) {
      case "" -> OptionalInt.empty();
      case "200", "202", "204" -> OptionalInt.of(Integer.parseInt(value));
      default ->
        throw new IllegalArgumentException(
            "'" + place + "' has the " + OPTION + " '" + value + "'; known are 200, 202, 204");
    };
  }

  @Override
  public FrameService of(ChannelInfo channel, Attributes attributes) {
    return service.of(channel, attributes);
  }

  @Override
  public boolean authenticates() {
    return service.authenticates();
  }

  @Override
  public InFlight serve(byte[] frame, int from, int to, FrameSink replies) {
    return service.serve(frame, from, to, replies);
  }

  @Override
  public void serveHere(
      byte[] frame, int from, int to, FrameSink replies, Consumer<? super InFlight> started) {
    service.serveHere(frame, from, to, replies, started);
  }

  @Override
  public InFlight refuse(
      byte[] frame, int from, int to, int code, String message, FrameSink replies) {
    return service.refuse(frame, from, to, code, message, replies);
  }

  @Override
  public boolean isIdempotent(byte[] frame, int from, int to) {
    return service.isIdempotent(frame, from, to);
  }

  @Override
  public int httpStatus(OptionalInt errorCode) {
    return service.httpStatus(errorCode);
  }

  @Override
  public int httpNotificationStatus() {
    return status;
  }
}
