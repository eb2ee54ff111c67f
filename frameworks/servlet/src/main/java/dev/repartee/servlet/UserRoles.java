package dev.repartee.servlet;

import jakarta.servlet.http.HttpServletRequest;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The roles of the user of one request. The container uses the object of the request again after
 * its end, for the request of another user. Therefore the request is not asked after {@link #end}.
 */
final class UserRoles implements Predicate<String> {
  private final Map<String, Boolean> kept = new HashMap<>(); // guarded by this
  private @Nullable HttpServletRequest request; // guarded by this; null after the end

  UserRoles(HttpServletRequest request) {
    this.request = request;
  }

  /** Asks for these roles now, so that they are known after the end. */
  synchronized UserRoles keep(Set<String> roles) {
    HttpServletRequest asked = request;
    if (asked != null) {
      roles.forEach(role -> kept.put(role, asked.isUserInRole(role)));
    }
    return this;
  }

  /** Ends the use of the request. */
  synchronized void end() {
    request = null;
  }

  @Override
  public synchronized boolean test(String role) {
    Boolean known = kept.get(role);
    if (known != null) {
      return known;
    }
    if (request == null) {
      throw new IllegalStateException("the role '" + role + "' is not known after the HTTP request;"
          + " name it in RpcServlet.Builder.roles");
    }
    return request.isUserInRole(role);
  }
}
