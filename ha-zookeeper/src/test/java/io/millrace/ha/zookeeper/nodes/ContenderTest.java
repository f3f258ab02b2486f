package io.millrace.ha.zookeeper.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names of nodes, by this version and by others. */
class ContenderTest {
  private static final String PROCESS = "0123456789abcdef".repeat(2);

  private static Contender of(String node) {
    return Contender.of(List.of(node)).get(0);
  }

  @Test
  void ownNameIsParsed() {
    Contender one = of(Contender.name(PROCESS, 12, "host_1:1,host_2:2") + "0000000007");

    assertThat(one.process()).contains(PROCESS);
    assertThat(one.address()).contains("host_1:1,host_2:2");
    assertThat(one.number()).isEqualTo(7);
  }

  /** ZooKeeper appends a number of ten digits, and more with a sign after an overflow. */
  @ParameterizedTest
  @CsvSource({
    "lock-0000000001, 1",
    "lock_0000000001, 1",
    "lock0000000001, 1",
    "0000000001, 1",
    "_c_3e1b2a04-8d5c-latch-0000000012, 12",
    "lock-2147483647, 2147483647",
    "lock--2147483648, -2147483648",
    "lock_-2147483648, -2147483648",
    "lock-1-0000000003, 3"
  })
  void numberOfAnotherVersionCounts(String node, long number) {
    Contender one = of(node);

    assertThat(one.number()).isEqualTo(number);
    assertThat(one.process()).isEmpty();
    assertThat(one.address()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-", "lock", "lock-1", "lock-000000000", "1234567890x", "lock- 1"})
  void nameWithoutANumberIsLast(String node) {
    assertThat(of(node).number()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void numberThatIsTooLargeIsNone() {
    for (int digits = 19; digits < 60; digits++) {
      for (String name : List.of("lock-", "lock_", "", Contender.name(PROCESS, 1, "a:1,a:2"))) {
        Contender one = of(name + "9".repeat(digits));
        assertThat(one.number()).as("%s, %s digits", name, digits).isEqualTo(Long.MAX_VALUE);
        assertThat(one.address()).as("%s, %s digits", name, digits).isEmpty();
      }
    }
  }

  @Test
  void orderIsThatOfTheNumbersWhoeverNamedTheNodes() {
    List<String> inOrder =
        List.of(
            "lock--2147483648",
            Contender.name(PROCESS, 1, "z:1,z:2") + "0000000000",
            "lock-0000000001",
            Contender.name(PROCESS, 2, "a:1,a:2") + "0000000002",
            "_c_latch-0000000010",
            "a lock",
            "b lock");
    List<String> shuffled = new ArrayList<>(inOrder);
    Collections.shuffle(shuffled, new Random(1));

    assertThat(Contender.of(shuffled)).extracting(Contender::node).isEqualTo(inOrder);
  }
}
