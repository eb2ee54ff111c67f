package dev.repartee.limits;

import static dev.repartee.limits.ClientShares.Use.ENDED;
import static dev.repartee.limits.ClientShares.Use.RUNNING;
import static dev.repartee.limits.ClientShares.Use.WAITING;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClientSharesTest {
  private final ClientShares shares = new ClientShares(10, 1_000);
  private final List<String> removed = new ArrayList<>();

  private ClientShares.@Nullable Bound add(
      String id, String client, long bytes, ClientShares.Use use) {
    ClientShares.Bound full = shares.makeRoom(id, client, bytes, use, removed::add);
    if (full == null) {
      shares.put(id, client, bytes, use);
    }
    return full;
  }

  private void fill(String client, int count, ClientShares.Use use) {
    for (int i = 0; i < count; i++) {
      assertThat(add(client + i, client, 10, use)).isNull();
    }
  }

  @Test
  void theWaitingEntriesOfOneClientReplaceEachOtherAtTheHalfOfTheStore() {
    fill("mallory", 8, WAITING);
    assertThat(removed).containsExactly("mallory0", "mallory1", "mallory2");
    assertThat(shares.size()).isEqualTo(5);
  }

  @Test
  void theRunningEntriesOfOneClientLeaveHalfOfTheStoreToOthers() {
    fill("mallory", 5, RUNNING);
    assertThat(add("m", "mallory", 10, RUNNING)).isEqualTo(ClientShares.Bound.ENTRIES);
    fill("alice", 5, RUNNING);
    assertThat(removed).isEmpty();
  }

  @Test
  void theBytesOfOneClientLeaveHalfOfTheStoreToOthers() {
    assertThat(add("m1", "mallory", 501, RUNNING)).isEqualTo(ClientShares.Bound.BYTES);
    assertThat(add("m2", "mallory", 500, RUNNING)).isNull();
    assertThat(add("m3", "mallory", 1, RUNNING)).isEqualTo(ClientShares.Bound.BYTES);
    assertThat(add("a", "alice", 500, RUNNING)).isNull();
  }

  @Test
  void anEntryLargerThanTheStoreRemovesNothing() {
    fill("alice", 3, ENDED);
    assertThat(add("m", "mallory", 1_001, RUNNING)).isEqualTo(ClientShares.Bound.BYTES);
    assertThat(removed).isEmpty();
  }

  @Test
  void theLargestShareLosesItsOldestEndedEntryFirst() {
    fill("alice", 2, ENDED);
    fill("mallory", 8, ENDED);
    assertThat(add("a", "alice", 10, RUNNING)).isNull();
    assertThat(add("m", "mallory", 10, RUNNING)).isNull();
    assertThat(removed).containsExactly("mallory0", "mallory1");
  }

  @Test
  void aSmallerShareKeepsItsWaitingEntries() {
    fill("alice", 2, WAITING);
    fill("mallory", 4, RUNNING);
    fill("trudy", 4, RUNNING);
    assertThat(add("m", "mallory", 10, RUNNING)).isEqualTo(ClientShares.Bound.ENTRIES);
    assertThat(removed).isEmpty();
  }

  @Test
  void aLargerShareLosesItsOldestWaitingEntryToANeighbour() {
    fill("mallory", 5, WAITING);
    fill("trudy", 5, WAITING);
    assertThat(add("a", "alice", 10, RUNNING)).isNull();
    assertThat(removed).hasSize(1).first().asString().endsWith("0");
  }

  @Test
  void aLongerEntryIsNotReplacedByItself() {
    assertThat(add("m", "mallory", 500, RUNNING)).isNull();
    assertThat(add("m", "mallory", 1_000, WAITING)).isNull();
    assertThat(removed).isEmpty();
    assertThat(shares.bytes()).isEqualTo(1_000);
  }

  @Test
  void removedEntriesLeaveNothingBehind() {
    fill("alice", 5, RUNNING);
    for (int i = 0; i < 5; i++) {
      shares.remove("alice" + i);
    }
    shares.remove("unknown");
    assertThat(shares.size()).isZero();
    assertThat(shares.bytes()).isZero();
    assertThat(shares.half("alice", 5, 500)).isNull();
  }

  @Test
  void aClientIsItsPrincipalOrElseItsAddressWithoutThePort() {
    assertThat(ClientShares.client("ann", "192.0.2.9:4711"))
        .isEqualTo(ClientShares.client("ann", "192.0.2.10:80"))
        .isNotEqualTo(ClientShares.client(null, "ann"));
    assertThat(ClientShares.client(null, "192.0.2.9:4711"))
        .isEqualTo(ClientShares.client(null, "192.0.2.9:80"))
        .isNotEqualTo(ClientShares.client(null, "192.0.2.10:80"));
  }

  @Test
  void allIpv6AddressesOfOneNetworkAreOneClient() {
    assertThat(ClientShares.client(null, "[2001:db8::1]:4711"))
        .isEqualTo(ClientShares.client(null, "[2001:db8::2:3:4:5]:80"))
        .isNotEqualTo(ClientShares.client(null, "[2001:db8:0:1::1]:80"));
  }

  @Test
  void anAddressHasTheNameOfItsText() throws Exception {
    assertThat(ClientShares.client(InetAddress.getByName("192.0.2.9")))
        .isEqualTo(ClientShares.client(null, "192.0.2.9:4711"));
    assertThat(ClientShares.client(InetAddress.getByName("2001:db8::1")))
        .isEqualTo(ClientShares.client(null, "[2001:db8::2]:4711"));
  }

  @Test
  void anEntryThatItsClientContinuesLeavesHalfOfTheStoreToOthers() {
    assertThat(add("m", "mallory", 400, WAITING)).isNull();
    assertThat(add("m", "mallory", 501, RUNNING)).isEqualTo(ClientShares.Bound.BYTES);
    assertThat(add("m", "mallory", 500, RUNNING)).isNull();
    assertThat(add("m", "mallory", 600, RUNNING)).isNull(); // the server has made it longer
  }

  @Test
  void anEntryThatEndsMayBeLongerThanTheHalf() {
    assertThat(add("m", "mallory", 500, WAITING)).isNull();
    assertThat(add("m", "mallory", 510, ENDED)).isNull();
  }

  @Test
  void ofSharesOfTheSameSizeTheOldestLosesItsEntry() {
    for (String client : List.of("z", "y", "x", "w", "v", "u", "t", "s", "r", "q")) {
      assertThat(add(client, client, 10, ENDED)).isNull();
    }
    assertThat(add("a", "alice", 10, RUNNING)).isNull();
    assertThat(add("b", "alice", 10, RUNNING)).isNull();
    assertThat(removed).containsExactly("z", "y");
  }
}
