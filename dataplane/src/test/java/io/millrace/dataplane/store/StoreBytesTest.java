package io.millrace.dataplane.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The order of bytes is that of groups and times, and a prefix has a first key behind it. */
class StoreBytesTest {
  private static final long[] TIMES = {
    Long.MIN_VALUE, Long.MIN_VALUE + 1, -256, -1, 0, 1, 255, 256, Long.MAX_VALUE - 1, Long.MAX_VALUE
  };
  private static final int[] GROUPS = {0, 1, 127, 128, 255, 256, 0x7ffe, 0x7fff};

  @Test
  void keysAreInOrderOfGroupsAndThenOfTimes() {
    byte[] before = {};
    for (int group : GROUPS) {
      assertThat(Arrays.compareUnsigned(StoreBytes.group(group), StoreBytes.group(group + 1)))
          .isNegative();
      for (long first : TIMES) {
        for (long second : TIMES) {
          byte[] key = StoreBytes.prefix(group, first, second);
          assertThat(Arrays.compareUnsigned(before, key)).isNegative();
          assertThat(StoreBytes.startsWith(key, StoreBytes.group(group))).isTrue();
          assertThat(StoreBytes.groupOf(key)).isEqualTo(group);
          assertThat(StoreBytes.time(key, 0)).isEqualTo(first);
          assertThat(StoreBytes.time(key, 1)).isEqualTo(second);
          before = key;
        }
      }
    }
  }

  /** What a scan from a prefix to {@link StoreBytes#after} returns. */
  @Test
  void rangeOfAPrefixHasTheKeysThatBeginWithIt() {
    Random random = new Random(5);
    for (int i = 0; i < 20_000; i++) {
      byte[] prefix = bytes(random, 2 + random.nextInt(4));
      byte[] end = StoreBytes.after(prefix);
      byte[] key =
          random.nextBoolean() ? bytes(random, 2 + random.nextInt(5)) : longer(random, prefix);
      boolean inRange =
          Arrays.compareUnsigned(prefix, key) <= 0 && Arrays.compareUnsigned(key, end) < 0;
      assertThat(inRange)
          .as("%s in %s", Arrays.toString(key), Arrays.toString(prefix))
          .isEqualTo(StoreBytes.startsWith(key, prefix));
    }
  }

  /** Few values, of which 0xff has no successor; the first byte is that of a group. */
  private static byte[] bytes(Random random, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = new byte[] {0, 1, 0x7f, (byte) 0x80, (byte) 0xff}[random.nextInt(i == 0 ? 3 : 5)];
    }
    return bytes;
  }

  private static byte[] longer(Random random, byte[] prefix) {
    byte[] longer = Arrays.copyOf(prefix, prefix.length + random.nextInt(3));
    for (int i = prefix.length; i < longer.length; i++) {
      longer[i] = (byte) (random.nextBoolean() ? 0xff : 0);
    }
    return longer;
  }

  @Test
  void aTimeBeforeAValueIsReadAsItWasWritten() {
    for (long time : TIMES) {
      assertThat(StoreBytes.timestamp(StoreBytes.timestamp(time))).isEqualTo(time);
    }
  }
}
