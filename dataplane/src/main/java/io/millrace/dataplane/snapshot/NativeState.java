package io.millrace.dataplane.snapshot;

import io.millrace.dataplane.records.ClassDictionary;
import io.millrace.dataplane.state.StateInfo;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Describes keyed state that is stored as files of a backend.
 *
 * @param format the name of the backend
 * @param keyClasses the names of the classes in keys
 * @param valueClasses the names of the classes in values
 * @param dictionary describes the classes in values
 */
public record NativeState(
    String format,
    List<NativeTable> tables,
    Set<String> keyClasses,
    Set<String> valueClasses,
    List<ClassDictionary.Section> dictionary) {
  public NativeState {
    Objects.requireNonNull(format);
    tables = List.copyOf(tables);
    dictionary = List.copyOf(dictionary);
  }

  /**
   * A table.
   *
   * @param layout what its entries are
   * @param internal whether it is not part of a checkpoint in the format of all backends
   */
  public record NativeTable(StateInfo state, String layout, boolean internal) {}
}
