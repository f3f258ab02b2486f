package io.millrace.dataplane.snapshot;

import io.millrace.dataplane.records.ByteArrayInput;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.dataplane.state.KeyGroupWatermarks;
import io.millrace.task.checkpoint.KeyGroupRange;

/** The part of a footer with the event times of the key groups of a piece. */
final class WatermarkSection {
  /** The highest number of key groups of a job. */
  private static final int MAX_GROUPS = 1 << 15;

  private WatermarkSection() {}

  /** Writes the ends of runs of groups with the same watermark, and that watermark. */
  static void write(KeyGroupWatermarks watermarks, KeyGroupRange groups, ByteArrayOutput out) {
    int group = groups.first();
    while (group < groups.end()) {
      long watermark = watermarks.of(group);
      do {
        group++;
      } while (group < groups.end() && watermarks.of(group) == watermark);
      out.putVarInt(group);
      out.putLong(watermark);
    }
  }

  static KeyGroupWatermarks read(int version, KeyGroupRange groups, ByteArrayInput in) {
    if (version == PieceFormat.ONE_WATERMARK_VERSION) {
      return KeyGroupWatermarks.same(in.readLong());
    }
    if (groups.end() > MAX_GROUPS) {
      throw new IllegalArgumentException("key groups up to " + groups.end());
    }
    long[] watermarks = new long[groups.size()];
    int group = groups.first();
    while (group < groups.end()) {
      int end = in.readVarInt();
      if (end <= group || end > groups.end()) {
        throw new IllegalArgumentException("key group " + end + " after " + group);
      }
      long watermark = in.readLong();
      while (group < end) {
        watermarks[group++ - groups.first()] = watermark;
      }
    }
    return KeyGroupWatermarks.of(groups, each -> watermarks[each - groups.first()]);
  }
}
