package dev.repartee;

import static org.assertj.core.api.Assertions.assertThat;

import dev.repartee.json.Json;
import dev.repartee.transport.Attribute;
import dev.repartee.transport.Attributes;
import dev.repartee.transport.ChannelInfo;
import org.junit.jupiter.api.Test;

class AttributesTest {
  private static final Attribute<String> NAME = Attribute.named("name");
  private static final Attribute<String> SAME_NAME = Attribute.named("name");
  private static final Attribute<Integer> AGE = Attribute.named("age");

  @Test
  void aValueIsFoundOnlyByItsOwnKey() {
    Attributes attributes = Attributes.of(NAME, "Ann").with(AGE, 7);
    assertThat(attributes.get(NAME)).isEqualTo("Ann");
    assertThat(attributes.get(AGE)).isEqualTo(7);
    assertThat(attributes.get(SAME_NAME)).isNull();
    assertThat(Attributes.NONE.get(NAME)).isNull();
    assertThat(NAME).hasToString("name");
  }

  @Test
  void changesMakeCopies() {
    Attributes attributes = Attributes.of(NAME, "Ann").with(AGE, 7).with(SAME_NAME, "Bob");
    assertThat(attributes.with(NAME, "Eve").get(NAME)).isEqualTo("Eve");
    assertThat(attributes.with(NAME, "Eve").get(SAME_NAME)).isEqualTo("Bob");
    assertThat(attributes.without(NAME).get(NAME)).isNull();
    assertThat(attributes.without(NAME).get(AGE)).isEqualTo(7);
    assertThat(attributes.without(NAME).without(AGE).get(SAME_NAME)).isEqualTo("Bob");
    assertThat(attributes.get(NAME)).isEqualTo("Ann");
    assertThat(attributes.get(AGE)).isEqualTo(7);
  }

  @Test
  void aCallAndItsCopiesShareTheAttributes() {
    ChannelInfo channel = new ChannelInfo("test", "", "message");
    Call call = new Call("m", null, null, channel, new Cancellation(), null);
    Call copy = call.with(Json.parse("[1]"));
    Call copyOfCopy = copy.with(Json.parse("[2]"));
    call.set(NAME, "Ann");
    copyOfCopy.set(AGE, 7);
    assertThat(copyOfCopy.attributes().get(NAME)).isEqualTo("Ann");
    assertThat(call.attributes().get(AGE)).isEqualTo(7);
  }
}
