package dev.repartee.netty.http;

import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import dev.repartee.transport.Endpoint;
import dev.repartee.transport.FrameService;
import dev.repartee.transport.FrameSink;
import java.util.OptionalInt;

/**
 * A service whose notifications are answered with the status that the endpoint names.
 *
 * @param service serves the frames
 * @param status the status
 */
record NotificationStatus(FrameService service, int status) implements FrameService {
  private static final String OPTION = "notification-status";

  /**
   * Returns the service with the status that the option {@code notification-status} of the endpoint
   * names, or the service itself if there is no such option.
   *
   * @throws IllegalArgumentException if the value is not 200, 202 or 204
   */
  static FrameService of(Endpoint endpoint, FrameService service) {
    return switch (endpoint.option(OPTION, "")) {
      case "" -> service;
      case "200" -> new NotificationStatus(service, 200);
      case "202" -> new NotificationStatus(service, 202);
      case "204" -> new NotificationStatus(service, 204);
      default ->
        throw new IllegalArgumentException("'" + HttpAddress.shown(endpoint) + "' has the " + OPTION
            + " '" + endpoint.option(OPTION, "") + "'; known are 200, 202, 204");
    };
  }

  @Override
  public FrameService of(ChannelInfo channel, Attributes attributes) {
    return service.of(channel, attributes);
  }

  @Override
  public InFlight serve(byte[] frame, int from, int to, FrameSink replies) {
    return service.serve(frame, from, to, replies);
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
