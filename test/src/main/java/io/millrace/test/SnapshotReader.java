package io.millrace.test;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FileSystems;
import io.millrace.dataplane.records.CodecPool;
import io.millrace.dataplane.records.RecordBatchCodec;
import io.millrace.dataplane.records.UserCodeObjectInputStream;
import io.millrace.dataplane.snapshot.KeyedStateVisitor;
import io.millrace.dataplane.snapshot.RestoredState;
import io.millrace.dataplane.snapshot.StateFileSource;
import io.millrace.dataplane.state.StateInfo;
import io.millrace.dataplane.state.StateKind;
import io.millrace.graph.ChainedOperator;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.task.checkpoint.StateAssignment;
import io.millrace.task.checkpoint.TaskRestore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** The states and timers in a snapshot, as objects of the program. */
final class SnapshotReader {
  /** Before the names of a function's states in operators with state of their own. */
  private static final String FUNCTION_STATE = "function.";

  /** An operator with a state. */
  private record Named(String operator, String state) {}

  private final Map<Named, Map<Object, Object>> keyed = new LinkedHashMap<>();
  private final Map<Named, StateKind> kinds = new LinkedHashMap<>();

  /** The elements of an operator state in each subtask. */
  private final Map<Named, List<List<Object>>> lists = new LinkedHashMap<>();

  private final Map<StateKind, Map<Object, Set<Long>>> timers = new LinkedHashMap<>();

  SnapshotReader(HarnessSnapshot snapshot, JobGraph graph, ClassLoader classes) {
    Path directory;
    try {
      directory = Files.createTempDirectory("millrace-harness-state");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    try {
      snapshot.writeTo(directory);
      read(
          new StateAssignment(snapshot.metadata(), directory.toString(), directory.toString()),
          graph,
          classes);
    } finally {
      delete(directory);
    }
  }

  private void read(StateAssignment assignment, JobGraph graph, ClassLoader classes) {
    CodecPool codecs =
        new CodecPool(
            () ->
                new RecordBatchCodec(
                    classes,
                    Runnable::run,
                    UserCodeObjectInputStream.serializers(graph, classes),
                    true));
    for (JobVertex vertex : graph.vertices()) {
      for (int i = 0; i < vertex.parallelism(); i++) {
        Optional<TaskRestore> task = assignment.of(graph, vertex, i);
        for (ChainedOperator operator : vertex.operators()) {
          task.flatMap(from -> from.operator(operator.id()))
              .ifPresent(
                  state ->
                      read(
                          operator.name(),
                          new RestoredState(
                              StateFileSource.storage(FileSystems.withoutPlugins()),
                              task.get(),
                              state,
                              vertex.maxParallelism(),
                              codecs)));
        }
      }
    }
  }

  private void read(String operator, RestoredState from) {
    from.forEachKeyed(
        new KeyedStateVisitor() {
          @Override
          public void entry(StateInfo state, Object key, long start, long end, Object value) {
            add(operator, state, key, value);
          }

          @Override
          public boolean wants(StateInfo state) {
            return !state.namespaced();
          }
        });
    from.lists()
        .forEach(
            list ->
                lists
                    .computeIfAbsent(new Named(operator, list.name()), name -> new ArrayList<>())
                    .add(list.elements()));
  }

  private void add(String operator, StateInfo state, Object key, Object value) {
    if (state.kind() == StateKind.EVENT_TIMERS || state.kind() == StateKind.PROCESSING_TIMERS) {
      timers
          .computeIfAbsent(state.kind(), kind -> new LinkedHashMap<>())
          .computeIfAbsent(key, any -> new TreeSet<>())
          .add((Long) value);
      return;
    }
    String name =
        state.name().startsWith(FUNCTION_STATE)
            ? state.name().substring(FUNCTION_STATE.length())
            : state.name();
    Named named = new Named(operator, name);
    kinds.put(named, state.kind());
    keyed.computeIfAbsent(named, any -> new LinkedHashMap<>()).put(key, value);
  }

  /** The entries of a keyed state by key; empty if no key has one. */
  Map<Object, Object> keyed(String name, StateKind kind) {
    return only(keyed, name)
        .map(
            named -> {
              if (kinds.get(named) != kind) {
                throw new MillraceException(
                    ErrorKind.USER,
                    "State '"
                        + name
                        + "' of operator '"
                        + named.operator()
                        + "' is "
                        + kinds.get(named).text()
                        + ", not "
                        + kind.text()
                        + ".");
              }
              return keyed.get(named);
            })
        .orElse(Map.of());
  }

  /** The elements of an operator state in each subtask. */
  List<List<Object>> lists(String name) {
    return only(lists, name)
        .map(lists::get)
        .orElseThrow(
            () ->
                new MillraceException(
                    ErrorKind.USER,
                    "No operator has an operator state '"
                        + name
                        + "'; there are "
                        + names(lists)
                        + "."));
  }

  private static List<String> names(Map<Named, ?> states) {
    return states.keySet().stream().map(Named::state).distinct().toList();
  }

  private static Optional<Named> only(Map<Named, ?> states, String name) {
    List<Named> found = states.keySet().stream().filter(each -> each.state().equals(name)).toList();
    if (found.size() > 1) {
      throw new MillraceException(
          ErrorKind.USER,
          "Several operators have a state '"
              + name
              + "': "
              + found.stream().map(Named::operator).toList()
              + ". Test them one by one, or give the states different names.");
    }
    return found.stream().findFirst();
  }

  List<Long> timers(StateKind kind, Object key) {
    return List.copyOf(timers.getOrDefault(kind, Map.of()).getOrDefault(key, Set.of()));
  }

  /** All keys with a state or a timer. */
  Set<Object> keys() {
    Set<Object> keys = new LinkedHashSet<>();
    keyed.values().forEach(entries -> keys.addAll(entries.keySet()));
    timers.values().forEach(entries -> keys.addAll(entries.keySet()));
    return keys;
  }

  private static void delete(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
