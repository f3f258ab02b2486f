package io.millrace.dataplane.snapshot;

import io.millrace.core.error.ErrorKind;
import io.millrace.dataplane.records.ByteArrayInput;
import io.millrace.dataplane.records.ByteArrayOutput;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.task.checkpoint.UnusableStateException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The schemas of the classes in a piece.
 *
 * @param keys the names of the classes of keys
 */
record SchemaSection(List<String> keys, List<ClassSchema> classes) {
  /** The schemas of all classes that a codec has written. */
  static SchemaSection of(Set<String> keys, RecordBatchCodec codec) {
    return of(keys, codec.seenClasses(), codec.classes());
  }

  static SchemaSection of(Set<String> keys, Set<String> names, ClassLoader loader) {
    List<ClassSchema> classes = new ArrayList<>();
    Set<String> all = new LinkedHashSet<>(names);
    all.addAll(keys);
    for (String name : all) {
      ClassSchema.of(name, loader).ifPresent(classes::add);
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
    List<String> changes = differences(loader);
    if (!changes.isEmpty()) {
      throw new UnusableStateException(
          ErrorKind.USER,
          what
              + " was written by other versions of classes of the program: "
              + String.join("; ", changes)
              + ". Fields of values can be added, removed and widened (int to long, float to"
              + " double), and constants can be added to enums. Undo the change, or start without"
              + " this state.");
    }
  }

  /** What keeps the classes of a program from reading the state, one entry per class. */
  List<String> differences(ClassLoader loader) {
    Set<String> partsOfKeys = partsOfKeys();
    List<String> changes = new ArrayList<>();
    for (ClassSchema before : classes) {
      Optional<ClassSchema> now = ClassSchema.of(before.name(), loader);
      now.map(schema -> before.differences(schema, partsOfKeys.contains(before.name())))
          .filter(found -> !found.isEmpty())
          .ifPresent(found -> changes.add(before.name() + ": " + String.join(", ", found)));
    }
    return changes;
  }

  /** The name of the class with these fields, given as {@code class.field}; empty for none. */
  String withFields(Set<String> paths) {
    return classes.stream()
        .filter(
            schema ->
                schema.fields().stream()
                    .map(field -> field.owner() + "." + field.name())
                    .collect(Collectors.toSet())
                    .equals(paths))
        .map(ClassSchema::name)
        .findFirst()
        .orElse("");
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
        // A generic type contains the names of its arguments, too.
        byName
            .get(name)
            .fields()
            .forEach(field -> open.addAll(List.of(field.type().split("[<>,?&\\[\\] ]+"))));
      }
    }
    return found;
  }
}
