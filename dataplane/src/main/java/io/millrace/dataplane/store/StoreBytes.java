package io.millrace.dataplane.store;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** Parts of keys. Numbers have the big end first, so that keys are in order of numbers. */
final class StoreBytes {
  /** The number of bytes of a key group. */
  static final int GROUP = 2;

  static final byte[] NOTHING = {};

  private StoreBytes() {}

  static byte[] group(int group) {
    return new byte[] {(byte) (group >>> 8), (byte) group};
  }

  static int groupOf(byte[] key) {
    return (key[0] & 0xff) << 8 | key[1] & 0xff;
  }

  /** The group and times. */
  static byte[] prefix(int group, long... times) {
    byte[] prefix = new byte[GROUP + Long.BYTES * times.length];
    prefix(prefix, group, times);
    return prefix;
  }

  /** Puts the group and times at the beginning of a key. */
  static void prefix(byte[] key, int group, long... times) {
    ByteBuffer prefix = ByteBuffer.wrap(key);
    prefix.putShort((short) group);
    for (long time : times) {
      prefix.putLong(time ^ Long.MIN_VALUE);
    }
  }

  /** A time of a prefix. */
  static long time(byte[] key, int index) {
    return ByteBuffer.wrap(key).getLong(GROUP + Long.BYTES * index) ^ Long.MIN_VALUE;
  }

  /** The first key that does not begin with a prefix; keys begin with a group below 0x8000. */
  static byte[] after(byte[] prefix) {
    byte[] end = prefix.clone();
    int at = end.length - 1;
    while (end[at] == (byte) 0xff) {
      at--;
    }
    end[at]++;
    return Arrays.copyOf(end, at + 1);
  }

  static boolean startsWith(byte[] key, byte[] prefix) {
    return key.length >= prefix.length
        && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length);
  }

  static byte[] timestamp(long time) {
    return ByteBuffer.allocate(Long.BYTES).putLong(time).array();
  }

  /** The time at the beginning of a value. */
  static long timestamp(byte[] value) {
    return ByteBuffer.wrap(value).getLong();
  }
}
