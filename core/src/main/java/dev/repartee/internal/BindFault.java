package dev.repartee.internal;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;

/** Describes the failure to bind an address, for error messages. */
public final class BindFault {
  private BindFault() {}

  /**
   * Returns the remedy: another address if that one belongs to another machine, otherwise another
   * port.
   *
   * @param address the address, or null if it is not known
   */
  public static String remedy(@Nullable InetAddress address) {
    return address == null || isOfThisMachine(address)
        ? "choose another port, or 0 for a free one"
        : address.getHostAddress() + " is no address of this machine; use 127.0.0.1, or 0.0.0.0 for"
            + " all its addresses";
  }

  private static boolean isOfThisMachine(InetAddress address) {
    if (address.isAnyLocalAddress() || address.isLoopbackAddress()) {
      return true;
    }
    try {
      return NetworkInterface.getByInetAddress(address) != null;
    } catch (SocketException e) {
      return true; // the interfaces cannot be listed
    }
  }
}
