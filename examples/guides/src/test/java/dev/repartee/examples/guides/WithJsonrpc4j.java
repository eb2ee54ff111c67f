package dev.repartee.examples.guides;

import com.googlecode.jsonrpc4j.JsonRpcError;
import com.googlecode.jsonrpc4j.JsonRpcErrors;
import com.googlecode.jsonrpc4j.JsonRpcHttpClient;
import com.googlecode.jsonrpc4j.JsonRpcParam;
import com.googlecode.jsonrpc4j.JsonRpcServer;
import com.googlecode.jsonrpc4j.ProxyUtil;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URL;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The program of docs/from-jsonrpc4j.md before the migration. */
final class WithJsonrpc4j {
  private WithJsonrpc4j() {}

  public static class UserExists extends RuntimeException {
    private static final long serialVersionUID = 1;

    public UserExists(String message) {
      super(message);
    }
  }

  public interface UserService {
    @JsonRpcErrors(@JsonRpcError(exception = UserExists.class, code = -5678))
    String create(@JsonRpcParam("name") String name, @JsonRpcParam("age") int age);
  }

  public static class Users implements UserService {
    private final Map<String, Integer> ages = new ConcurrentHashMap<>();

    @Override
    public String create(String name, int age) {
      if (ages.putIfAbsent(name, age) != null) {
        throw new UserExists(name + " exists");
      }
      return "created " + name;
    }
  }

  public static class UserServlet extends HttpServlet {
    private static final long serialVersionUID = 1;

    private final transient JsonRpcServer server =
        new JsonRpcServer(new Users(), UserService.class);

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      server.handle(request, response);
    }
  }

  static UserService client(String url) throws IOException {
    JsonRpcHttpClient client = new JsonRpcHttpClient(new URL(url));
    return ProxyUtil.createClientProxy(
        UserService.class.getClassLoader(), UserService.class, client);
  }
}
