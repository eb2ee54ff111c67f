package shop;

import io.quarkus.security.identity.SecurityIdentity;
import jakarta.annotation.security.RolesAllowed;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** A bean as any other of the application: a class or an interface may be served. */
@ApplicationScoped
public class Shop {
  private final Map<String, Integer> prices = new ConcurrentHashMap<>(Map.of("tea", 3));
  private final SecurityIdentity user;

  Shop(SecurityIdentity user) {
    this.user = user;
  }

  /** Returns the price of an article. */
  public int price(String article) {
    Integer price = prices.get(article);
    if (price == null) {
      throw new IllegalArgumentException("there is no " + article);
    }
    return price;
  }

  /** Sets a price. Only managers may do that. */
  @RolesAllowed("manager")
  public String setPrice(String article, int price) {
    prices.put(article, price);
    return user.getPrincipal().getName() + " set the price of " + article;
  }

  /** Returns after a time, as an order that a warehouse has to confirm. */
  public String order(String article, int millis) throws InterruptedException {
    Thread.sleep(millis);
    return article;
  }
}
