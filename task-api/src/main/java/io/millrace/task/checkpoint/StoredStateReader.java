package io.millrace.task.checkpoint;

import io.millrace.core.Bytes;
import io.millrace.core.OrderedCopies;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FileSystems;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.function.Predicate;

/**
 * Reads stored state outside of a job, for commands. The data plane, which writes state, provides
 * it through {@link ServiceLoader}. Methods block. Damaged and missing files are a {@link
 * MillraceException} that names the file.
 */
public interface StoredStateReader {
  /**
   * The states of an operator in one subtask: names, kinds and schemas. Reads the headers and
   * footers of its pieces, and batches until each state has shown a value.
   */
  StoredOperatorState describe(StateLocation from, OperatorSnapshot snapshot);

  /**
   * The reasons for which classes of a program cannot read the state; empty if they can. Reads the
   * headers and footers of its pieces.
   */
  List<String> differences(StateLocation from, OperatorSnapshot snapshot, ClassLoader program);

  /**
   * Passes the entries of a state to a consumer until it returns false. An entry is a tree of maps,
   * lists, strings, numbers and booleans with the fields {@code key}, {@code window}, {@code
   * lastUpdate} and {@code value}, as far as the state has them.
   *
   * @return whether the consumer wants more
   */
  boolean entries(
      StateLocation from,
      OperatorSnapshot snapshot,
      String state,
      ValueClasses program,
      Predicate<Map<String, Object>> consumer);

  /**
   * Where the pieces of a checkpoint are.
   *
   * @param directory of the checkpoint
   * @param sharedDirectory of the files that several checkpoints of the job refer to
   */
  record StateLocation(
      FileSystems files, long checkpoint, String directory, String sharedDirectory) {
    public StateLocation {
      Objects.requireNonNull(files);
      Objects.requireNonNull(directory);
      Objects.requireNonNull(sharedDirectory);
    }
  }

  /**
   * The classes of values.
   *
   * @param loader finds the classes of a program; without them values are read by their fields
   * @param serializers of the program, as its graph has them
   */
  record ValueClasses(Optional<ClassLoader> loader, Bytes serializers) {
    /** Values of classes of a program are read by the fields that the state describes. */
    public static final ValueClasses UNKNOWN = new ValueClasses(Optional.empty(), Bytes.EMPTY);

    public ValueClasses {
      Objects.requireNonNull(loader);
      Objects.requireNonNull(serializers);
    }
  }

  /**
   * The states of an operator.
   *
   * @param classes the classes of a program in keys and values
   */
  record StoredOperatorState(List<StoredStateInfo> states, List<StoredClass> classes) {
    public StoredOperatorState {
      states = OrderedCopies.list(states);
      classes = OrderedCopies.list(classes);
    }
  }

  /**
   * A state of an operator.
   *
   * @param kind as {@code docs/state-format.md} names it; {@code SPLIT}, {@code UNION} or {@code
   *     BROADCAST} for an operator state
   * @param windowed whether entries belong to windows
   * @param timeToLive whether entries have the time of their last update
   * @param keyClass the class of the first key; empty for an operator state, or without entries
   * @param valueClass the class of the first value; empty without entries
   */
  record StoredStateInfo(
      String name,
      String kind,
      boolean keyed,
      boolean windowed,
      boolean timeToLive,
      String keyClass,
      String valueClass) {
    public StoredStateInfo {
      Objects.requireNonNull(name);
      Objects.requireNonNull(kind);
      Objects.requireNonNull(keyClass);
      Objects.requireNonNull(valueClass);
    }
  }

  /**
   * A class of a program as it was when the state was written.
   *
   * @param fields of an enum its constants, else {@code name: type}
   */
  record StoredClass(String name, String form, boolean key, List<String> fields) {
    public StoredClass {
      Objects.requireNonNull(name);
      Objects.requireNonNull(form);
      fields = OrderedCopies.list(fields);
    }
  }

  /** The reader on the class path. */
  static StoredStateReader onClassPath() {
    return ServiceLoader.load(StoredStateReader.class, StoredStateReader.class.getClassLoader())
        .stream()
        .map(ServiceLoader.Provider::get)
        .min(Comparator.comparing(reader -> reader.getClass().getName()))
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorKind.USER,
                    "State cannot be read because millrace-dataplane is not on the class path. Add"
                        + " it."));
  }
}
