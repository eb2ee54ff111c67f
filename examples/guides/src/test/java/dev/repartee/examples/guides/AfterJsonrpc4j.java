package dev.repartee.examples.guides;

import dev.repartee.*;
import dev.repartee.message.RpcError;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The program of docs/from-jsonrpc4j.md after the migration. */
final class AfterJsonrpc4j {
  private AfterJsonrpc4j() {}

  public static class UserExists extends RuntimeException {
    private static final long serialVersionUID = 1;

    public UserExists(String message) {
      super(message);
    }
  }

  public interface UserService {
    @Rpc(named = true)
    String create(@Param("name") String name, @Param("age") int age);
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

  static final Options OPTIONS = Options.builder()
      .mapException(UserExists.class, e -> new RpcError(-5678, e.getMessage()))
      .mapError(-5678, e -> new UserExists(e.error().message()))
      .build();

  static Server serve(String uri) throws IOException {
    return Repartee.listen(uri, Service.of(UserService.class, new Users()), OPTIONS);
  }

  static UserService client(String uri) throws IOException {
    return Repartee.connect(uri, OPTIONS).proxy(UserService.class);
  }
}
