package io.millrace.dataplane.snapshot;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.dataplane.records.UnknownClasses;
import io.millrace.dataplane.records.UserCodeObjectInputStream;
import io.millrace.dataplane.state.StateInfo;
import io.millrace.task.checkpoint.OperatorSnapshot;
import io.millrace.task.checkpoint.StateHandle;
import io.millrace.task.checkpoint.StoredStateReader;
import io.millrace.task.checkpoint.TaskRestore;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Reads pieces for commands. */
public final class PieceStateReader implements StoredStateReader {
  @Override
  public StoredOperatorState describe(StateLocation from, OperatorSnapshot snapshot) {
    List<StoredStateInfo> states = new ArrayList<>();
    Map<String, StoredClass> classes = new LinkedHashMap<>();
    for (OperatorSnapshot.Keyed piece : snapshot.keyed()) {
      if (isCanonical(piece)) {
        PieceReader reader = reader(from, piece.handle());
        KeyedPiece.Footer footer = reader.footer(PieceFormat.KEYED, KeyedPiece.Footer::read);
        states.addAll(keyed(reader, footer));
        add(footer.schemas(), classes);
      } else {
        states.add(
            new StoredStateInfo(
                "(format " + piece.format() + ")", "KEYED", true, false, false, "", ""));
      }
    }
    for (OperatorSnapshot.ListState list : snapshot.lists()) {
      PieceReader reader = reader(from, list.handle());
      ListPiece.Footer footer = reader.footer(PieceFormat.LIST, ListPiece.Footer::read);
      String[] valueClass = {""};
      elements(
          reader,
          footer,
          codec(ValueClasses.UNKNOWN),
          element -> {
            valueClass[0] = className(element, footer.schemas());
            return false;
          });
      states.add(
          new StoredStateInfo(
              list.name(), list.redistribution().name(), false, false, false, "", valueClass[0]));
      add(footer.schemas(), classes);
    }
    return new StoredOperatorState(states, List.copyOf(classes.values()));
  }

  private static List<StoredStateInfo> keyed(PieceReader reader, KeyedPiece.Footer footer) {
    Map<StateInfo, StoredStateInfo> found = new LinkedHashMap<>();
    for (StateInfo state : footer.states()) {
      found.put(state, info(state, "", ""));
    }
    List<StateInfo> open = new ArrayList<>(footer.states());
    RecordBatchCodec codec = codec(ValueClasses.UNKNOWN);
    for (KeyedPiece.Group group : footer.index()) {
      if (open.isEmpty()) {
        break;
      }
      reader.batches(
          group.offset(),
          group.batches(),
          (number, bytes) -> {
            KeyedBatch batch = KeyedBatch.read(reader, footer, bytes, codec, open::contains);
            if (batch.isDecoded() && batch.count() > 0) {
              open.remove(batch.state());
              found.put(
                  batch.state(),
                  info(
                      batch.state(),
                      className(batch.keys()[0], footer.schemas()),
                      className(batch.values()[0], footer.schemas())));
            }
          });
    }
    return List.copyOf(found.values());
  }

  private static StoredStateInfo info(StateInfo state, String keyClass, String valueClass) {
    return new StoredStateInfo(
        state.name(),
        state.kind().name(),
        true,
        state.namespaced(),
        state.timed(),
        keyClass,
        valueClass);
  }

  /** The class of a value; one that was not found is known by its fields. */
  private static String className(Object value, SchemaSection schemas) {
    if (value == null) {
      return "";
    }
    return UnknownClasses.fields(value)
        .map(fields -> schemas.withFields(fields.keySet()))
        .orElseGet(() -> UnknownClasses.isConstant(value) ? "enum" : value.getClass().getName());
  }

  private static void add(SchemaSection schemas, Map<String, StoredClass> classes) {
    for (ClassSchema schema : schemas.classes()) {
      classes.putIfAbsent(
          schema.name(),
          new StoredClass(
              schema.name(),
              schema.form().name(),
              schemas.keys().contains(schema.name()),
              schema.form() == ClassSchema.Form.ENUM
                  ? schema.constants()
                  : schema.fields().stream()
                      .map(field -> field.name() + ": " + field.type())
                      .toList()));
    }
  }

  @Override
  public List<String> differences(
      StateLocation from, OperatorSnapshot snapshot, ClassLoader program) {
    List<String> differences = new ArrayList<>();
    for (OperatorSnapshot.Keyed piece : snapshot.keyed()) {
      if (isCanonical(piece)) {
        KeyedPiece.Footer footer =
            reader(from, piece.handle()).footer(PieceFormat.KEYED, KeyedPiece.Footer::read);
        differences.addAll(footer.schemas().differences(program));
      }
    }
    for (OperatorSnapshot.ListState list : snapshot.lists()) {
      ListPiece.Footer footer =
          reader(from, list.handle()).footer(PieceFormat.LIST, ListPiece.Footer::read);
      differences.addAll(footer.schemas().differences(program));
    }
    return differences.stream().distinct().toList();
  }

  @Override
  public boolean entries(
      StateLocation from,
      OperatorSnapshot snapshot,
      String state,
      ValueClasses program,
      Predicate<Map<String, Object>> consumer) {
    boolean[] more = {true};
    for (OperatorSnapshot.Keyed piece : snapshot.keyed()) {
      if (!isCanonical(piece)) {
        throw new MillraceException(
            ErrorKind.USER,
            "The keyed state of checkpoint "
                + from.checkpoint()
                + " has the format '"
                + piece.format()
                + "' of a state backend. Take a savepoint, whose entries can be read.");
      }
      keyedEntries(reader(from, piece.handle()), state, program, consumer, more);
    }
    for (OperatorSnapshot.ListState list : snapshot.lists()) {
      if (more[0] && list.name().equals(state)) {
        PieceReader reader = reader(from, list.handle());
        ListPiece.Footer footer = reader.footer(PieceFormat.LIST, ListPiece.Footer::read);
        program.loader().ifPresent(loader -> footer.schemas().check(loader, reader.name()));
        PlainValues plain = new PlainValues(footer.schemas().classes());
        elements(
            reader,
            footer,
            codec(program),
            element -> {
              Map<String, Object> entry = new LinkedHashMap<>();
              entry.put("value", plain.of(element));
              more[0] = consumer.test(entry);
              return more[0];
            });
      }
    }
    return more[0];
  }

  private static void keyedEntries(
      PieceReader reader,
      String state,
      ValueClasses program,
      Predicate<Map<String, Object>> consumer,
      boolean[] more) {
    KeyedPiece.Footer footer = reader.footer(PieceFormat.KEYED, KeyedPiece.Footer::read);
    if (footer.states().stream().noneMatch(info -> info.name().equals(state))) {
      return;
    }
    program.loader().ifPresent(loader -> footer.schemas().check(loader, reader.name()));
    RecordBatchCodec codec = codec(program);
    PlainValues plain = new PlainValues(footer.schemas().classes());
    for (KeyedPiece.Group group : footer.index()) {
      if (!more[0]) {
        return;
      }
      reader.batches(
          group.offset(),
          group.batches(),
          (number, bytes) -> {
            if (!more[0]) {
              return;
            }
            KeyedBatch batch =
                KeyedBatch.read(reader, footer, bytes, codec, info -> info.name().equals(state));
            for (int i = 0; batch.isDecoded() && i < batch.count() && more[0]; i++) {
              more[0] = consumer.test(entry(batch, i, plain));
            }
          });
    }
  }

  private static Map<String, Object> entry(KeyedBatch batch, int i, PlainValues plain) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("key", plain.of(batch.keys()[i]));
    if (batch.state().namespaced()) {
      Map<String, Object> window = new LinkedHashMap<>();
      window.put("start", batch.start(i));
      window.put("end", batch.end(i));
      entry.put("window", window);
    } else if (batch.state().timed()) {
      entry.put("lastUpdate", batch.start(i));
    }
    entry.put("value", plain.of(batch.values()[i]));
    return entry;
  }

  private static void elements(
      PieceReader reader,
      ListPiece.Footer footer,
      RecordBatchCodec codec,
      Predicate<Object> consumer) {
    boolean[] more = {true};
    reader.batches(
        PieceFormat.HEADER_BYTES,
        footer.batches(),
        (number, batch) -> {
          if (!more[0]) {
            return;
          }
          int length = batch.remaining();
          int at = batch.take(length);
          for (Object element : codec.decode(batch.array(), at, at + length).records()) {
            if (more[0]) {
              more[0] = consumer.test(element);
            }
          }
        });
  }

  private static boolean isCanonical(OperatorSnapshot.Keyed piece) {
    return piece.format().equals(OperatorSnapshot.Keyed.CANONICAL);
  }

  private static PieceReader reader(StateLocation from, StateHandle handle) {
    return new PieceReader(
        StateFileSource.storage(from.files()),
        new TaskRestore(
            from.checkpoint(),
            from.directory(),
            from.sharedDirectory(),
            false,
            List.of(),
            List.of()),
        handle);
  }

  private static RecordBatchCodec codec(ValueClasses program) {
    return program
        .loader()
        .map(
            loader ->
                new RecordBatchCodec(
                    loader,
                    Runnable::run,
                    UserCodeObjectInputStream.serializers(program.serializers(), loader),
                    true))
        .orElseGet(
            () -> RecordBatchCodec.ofUnknownClasses(PieceStateReader.class.getClassLoader()));
  }
}
