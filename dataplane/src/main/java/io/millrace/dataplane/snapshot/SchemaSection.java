package io.millrace.dataplane.snapshot;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.records.ByteArrayInput;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.dataplane.records.RecordBatchCodec;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The schemas of the classes in a piece.
 *
 * @param keys the names of the classes of keys
 */
record SchemaSection(List<String> keys, List<ClassSchema> classes) {
  /** The schemas of all classes that a codec has written. */
  static SchemaSection of(Set<String> keys, RecordBatchCodec codec) {
    List<ClassSchema> classes = new ArrayList<>();
    for (String name : codec.seenClasses()) {
      ClassSchema.of(name, codec.classes()).ifPresent(classes::add);
    }
    return new SchemaSection(List.copyOf(keys), classes);
  }

  void write(ByteArrayOutput out) {
    out.putVarInt(keys.size());
    keys.forEach(key -> PieceText.write(key, out));
    out.putVarInt(classes.size());
    classes.forEach(schema -> schema.write(out));
  }

  static SchemaSection read(ByteArrayInput in) {
    List<String> keys = new ArrayList<>();
    for (int left = PieceText.count(in); left > 0; left--) {
      keys.add(PieceText.read(in));
    }
    List<ClassSchema> classes = new ArrayList<>();
    for (int left = PieceText.count(in); left > 0; left--) {
      classes.add(ClassSchema.read(in));
    }
    return new SchemaSection(keys, classes);
  }

  /**
   * Refuses state whose values would be lost or misread. A class that does not exist any more is
   * left out here: the values of it may have been removed before the checkpoint, and reading one
   * fails with its name.
   */
  void check(ClassLoader loader, String what) {
    Set<String> partsOfKeys = partsOfKeys();
    List<String> changes = new ArrayList<>();
    for (ClassSchema before : classes) {
      Optional<ClassSchema> now = ClassSchema.of(before.name(), loader);
      now.map(schema -> before.differences(schema, partsOfKeys.contains(before.name())))
          .filter(found -> !found.isEmpty())
          .ifPresent(found -> changes.add(before.name() + ": " + String.join(", ", found)));
    }
    if (!changes.isEmpty()) {
      throw new MillraceException(
          ErrorKind.USER,
          what
              + " was written by other versions of classes of the program: "
              + String.join("; ", changes)
              + ". Fields of values can be added, removed and widened (int to long, float to"
              + " double), and constants can be added to enums. Undo the change, or start without"
              + " this state.");
    }
  }

  /** The classes of keys and those that their fields refer to. */
  private Set<String> partsOfKeys() {
    Map<String, ClassSchema> byName = new LinkedHashMap<>();
    classes.forEach(schema -> byName.put(schema.name(), schema));
    Set<String> found = new LinkedHashSet<>();
    ArrayDeque<String> open = new ArrayDeque<>(keys);
    while (!open.isEmpty()) {
      String name = open.poll();
      if (byName.containsKey(name) && found.add(name)) {
        byName.get(name).fields().forEach(field -> open.add(field.type()));
      }
    }
    return found;
  }
}
