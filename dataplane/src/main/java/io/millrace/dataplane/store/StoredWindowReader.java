package io.millrace.dataplane.store;

import io.millrace.api.window.TimeWindow;
import io.millrace.task.store.KeyValueStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Reads the contents of several windows of all keys, key by key. It can be left between two keys
 * and continued.
 */
public final class StoredWindowReader implements AutoCloseable {
  /** A window whose contents are read. */
  public record Part(StoredWindows contents, TimeWindow window) {}

  /** Receives a key with its group, and its contents in order of the parts that have one. */
  public interface ContentConsumer {
    void accept(byte[] key, List<Object> contents);
  }

  private record OpenPart(StoredWindows contents, KeyValueStore.Cursor cursor) {}

  private final List<Part> parts;
  private final BitSet groups = new BitSet();
  private int group = -1;
  private List<OpenPart> open = List.of();

  public StoredWindowReader(List<Part> parts) {
    this.parts = List.copyOf(parts);
    parts.forEach(part -> groups.or(part.contents().groupsOf(part.window())));
  }

  /** Leaves out key groups; before the first key. */
  public void skip(IntPredicate groupsToSkip) {
    for (int each = groups.nextSetBit(0); each >= 0; each = groups.nextSetBit(each + 1)) {
      if (groupsToSkip.test(each)) {
        groups.clear(each);
      }
    }
  }

  /** Passes on the next key; false if there is none. */
  public boolean next(ContentConsumer out) {
    byte[] first = first();
    while (first == null) {
      group = groups.nextSetBit(group + 1);
      if (group < 0) {
        close();
        groups.clear();
        return false;
      }
      openGroup();
      first = first();
    }
    List<Object> contents = new ArrayList<>(open.size());
    for (OpenPart part : open) {
      KeyValueStore.Cursor cursor = part.cursor();
      if (cursor.isValid() && compare(cursor.key(), first) == 0) {
        contents.add(part.contents().decode(cursor.value()));
        cursor.next();
      }
    }
    out.accept(StoredWindows.keyOf(first), contents);
    return true;
  }

  private void openGroup() {
    close();
    open = new ArrayList<>(parts.size());
    for (Part part : parts) {
      if (part.contents().groupsOf(part.window()).get(group)) {
        open.add(new OpenPart(part.contents(), part.contents().scan(group, part.window())));
      }
    }
  }

  /** The entry with the lowest key, null if there is none. */
  private byte[] first() {
    byte[] first = null;
    for (OpenPart part : open) {
      if (part.cursor().isValid()) {
        byte[] entry = part.cursor().key();
        if (first == null || compare(entry, first) < 0) {
          first = entry;
        }
      }
    }
    return first;
  }

  /** By the keys of entries alone. */
  private static int compare(byte[] left, byte[] right) {
    return Arrays.compareUnsigned(
        left, StoredWindows.PREFIX, left.length, right, StoredWindows.PREFIX, right.length);
  }

  @Override
  public void close() {
    open.forEach(part -> part.cursor().close());
    open = List.of();
  }
}
