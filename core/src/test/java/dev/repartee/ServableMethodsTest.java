package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ServableMethodsTest {
  private final Map<String, String> leftOut = new TreeMap<>();

  private Service serve(Class<?> type, Object target) {
    return Service.ofAny(type, target, leftOut::put);
  }

  @SuppressWarnings("unused")
  public static class Shop {
    public static int rate() {
      return 7;
    }

    public int price(int count) {
      return count * 3;
    }

    public int find(int number) {
      return number;
    }

    public static int find(String name) {
      return 0;
    }

    public void open(Thread clerk) {}
  }

  @SuppressWarnings("unused")
  public static class Marked {
    @Rpc
    public static int one() {
      return 1;
    }

    @Rpc("sum")
    public int add(int a, int b) {
      return a + b;
    }

    @Rpc("sum")
    public int addAll(int... values) {
      return 0;
    }

    public int two() {
      return 2;
    }
  }

  @Test
  void anObjectBringsItsStaticMethodsToo() {
    assertThat(serve(Shop.class, new Shop()).methods())
        .extracting(RpcMethod::name)
        .containsExactly("price", "rate");
  }

  @Test
  void withoutAnObjectOnlyStaticMethodsAreServed() {
    assertThat(serve(Marked.class, null).methods())
        .extracting(RpcMethod::name)
        .containsExactly("one");
  }

  @Test
  void aMethodThatCannotBeServedIsReportedWithTheReason() {
    serve(Shop.class, new Shop());
    assertThat(leftOut).containsOnlyKeys("find", "open");
    assertThat(leftOut.get("find")).isEqualTo("overloaded: find(int), find(String)");
    assertThat(leftOut.get("open")).startsWith("parameter 'clerk': cannot bind");
  }

  @Test
  void annotationsChooseAndNameAsEverywhere() {
    assertThat(serve(Marked.class, new Marked()).methods())
        .extracting(RpcMethod::name)
        .containsExactly("one");
    assertThat(leftOut)
        .containsExactly(Map.entry("sum", "overloaded: add(int, int), addAll(int[])"));
  }

  @Test
  void aClassOfTheJdkIsServed() {
    RpcMethod hypot = serve(Math.class, null).find("hypot");
    assertThat(hypot).isNotNull();
    assertThat(hypot.parameters()).hasSize(2);
    assertThat(leftOut.get("abs"))
        .isEqualTo("overloaded: abs(double), abs(float), abs(int), abs(long)");
  }

  @Test
  void aClassOfWhichNothingCanBeServedIsRefused() {
    assertThatThrownBy(() -> serve(Runtime.class, null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("java.lang.Runtime has no public method that could be served");
    assertThat(leftOut).containsOnlyKeys("getRuntime", "version");
  }

  @Test
  void anObjectOfAnotherClassIsRefused() {
    assertThatThrownBy(() -> serve(Shop.class, "shop"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("java.lang.String, not a dev.repartee.ServableMethodsTest$Shop");
  }
}
