package io.millrace.dataplane.snapshot;

import io.millrace.dataplane.records.ByteArrayInput;
import io.millrace.dataplane.records.ByteArrayOutput;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The fields or constants of a class at the time at which state was written.
 *
 * @param fields of a record or another class, those of superclasses included
 * @param constants of an enum
 */
record ClassSchema(String name, Form form, List<FieldSchema> fields, List<String> constants) {
  /** What a class is. The checkpoint stores the ordinal. */
  enum Form {
    RECORD,
    OBJECT,
    ENUM
  }

  /**
   * @param type the generic type as Java writes it
   */
  record FieldSchema(String owner, String name, String type) {
    private String path() {
      return owner + "." + name;
    }
  }

  /** From each type to the types that hold all its values. */
  private static final Map<String, List<String>> WIDER =
      Map.ofEntries(
          Map.entry("byte", List.of("short", "int", "long")),
          Map.entry("short", List.of("int", "long")),
          Map.entry("int", List.of("long")),
          Map.entry("float", List.of("double")),
          Map.entry(
              "java.lang.Byte", List.of("java.lang.Short", "java.lang.Integer", "java.lang.Long")),
          Map.entry("java.lang.Short", List.of("java.lang.Integer", "java.lang.Long")),
          Map.entry("java.lang.Integer", List.of("java.lang.Long")),
          Map.entry("java.lang.Float", List.of("java.lang.Double")));

  /** The schema of a class; empty for one that is not of a program or has no fields of its own. */
  static Optional<ClassSchema> of(String name, ClassLoader classes) {
    if (name.startsWith("java.")
        || name.startsWith("javax.")
        || name.startsWith("org.apache.fory.")
        || name.startsWith("[")
        || name.endsWith("[]")) {
      return Optional.empty();
    }
    try {
      Class<?> type = Class.forName(name, false, classes);
      return type.isInterface() || type.isArray() ? Optional.empty() : Optional.of(of(type));
    } catch (ClassNotFoundException | LinkageError e) {
      return Optional.empty();
    }
  }

  private static ClassSchema of(Class<?> type) {
    // The constant of an enum may have a class of its own.
    Class<?> constants =
        !type.isEnum() && Enum.class.isAssignableFrom(type) ? type.getSuperclass() : type;
    if (constants.isEnum()) {
      List<String> names = new ArrayList<>();
      for (Object constant : constants.getEnumConstants()) {
        names.add(((Enum<?>) constant).name());
      }
      return new ClassSchema(type.getName(), Form.ENUM, List.of(), names);
    }
    List<FieldSchema> fields = new ArrayList<>();
    for (Class<?> part = type;
        part != null && part.getClassLoader() != null;
        part = part.getSuperclass()) {
      for (Field field : part.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())
            && !Modifier.isTransient(field.getModifiers())) {
          fields.add(
              new FieldSchema(
                  part.getName(), field.getName(), field.getGenericType().getTypeName()));
        }
      }
    }
    return new ClassSchema(
        type.getName(), type.isRecord() ? Form.RECORD : Form.OBJECT, fields, List.of());
  }

  /**
   * The reasons for which values of this schema cannot be read as values of another one; empty if
   * they can.
   *
   * @param exactly whether no field may change, because the class is a key
   */
  List<String> differences(ClassSchema now, boolean exactly) {
    if (form != now.form) {
      return List.of("it was " + text(form) + " and is " + text(now.form));
    }
    if (form == Form.ENUM) {
      return constants.stream()
          .filter(constant -> !now.constants.contains(constant))
          .map(constant -> "constant " + constant + " is gone")
          .toList();
    }
    List<String> found = new ArrayList<>();
    Map<String, FieldSchema> added = new LinkedHashMap<>();
    now.fields.forEach(field -> added.put(field.path(), field));
    List<FieldSchema> removed = new ArrayList<>();
    for (FieldSchema field : fields) {
      FieldSchema same = added.remove(field.path());
      if (same == null) {
        removed.add(field);
      } else if (!same.type().equals(field.type())
          && (exactly || !isWider(field.type(), same.type()))) {
        found.add(
            "field "
                + field.name()
                + " was of type "
                + field.type()
                + " and is of type "
                + same.type());
      }
    }
    for (FieldSchema gone : removed) {
      List<FieldSchema> alike =
          added.values().stream()
              .filter(
                  field -> field.type().equals(gone.type()) || isWider(gone.type(), field.type()))
              .toList();
      if (exactly) {
        found.add("field " + gone.name() + " of a key is gone");
      } else if (!alike.isEmpty()) {
        found.add(
            "field "
                + gone.name()
                + " of type "
                + gone.type()
                + " is gone and field "
                + alike.get(0).name()
                + " of type "
                + alike.get(0).type()
                + " is new, which looks like a new name; the value would be lost");
      }
    }
    if (exactly) {
      added.values().forEach(field -> found.add("field " + field.name() + " of a key is new"));
    }
    return found;
  }

  private static boolean isWider(String from, String to) {
    return WIDER.getOrDefault(from, List.of()).contains(to);
  }

  private static String text(Form form) {
    return switch (form) {
      case RECORD -> "a record";
      case OBJECT -> "a class";
      case ENUM -> "an enum";
    };
  }

  void write(ByteArrayOutput out) {
    PieceText.write(name, out);
    out.putByte(form.ordinal());
    out.putVarInt(fields.size());
    for (FieldSchema field : fields) {
      PieceText.write(field.owner(), out);
      PieceText.write(field.name(), out);
      PieceText.write(field.type(), out);
    }
    out.putVarInt(constants.size());
    constants.forEach(constant -> PieceText.write(constant, out));
  }

  static ClassSchema read(ByteArrayInput in) {
    String name = PieceText.read(in);
    int form = in.readByte();
    if (form < 0 || form >= Form.values().length) {
      throw new IllegalArgumentException("class " + name + " has the unknown form " + form);
    }
    List<FieldSchema> fields = new ArrayList<>();
    for (int left = PieceText.count(in); left > 0; left--) {
      fields.add(new FieldSchema(PieceText.read(in), PieceText.read(in), PieceText.read(in)));
    }
    List<String> constants = new ArrayList<>();
    for (int left = PieceText.count(in); left > 0; left--) {
      constants.add(PieceText.read(in));
    }
    return new ClassSchema(name, Form.values()[form], fields, constants);
  }
}
