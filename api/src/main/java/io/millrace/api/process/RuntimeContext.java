package io.millrace.api.process;

import io.millrace.api.accumulator.Accumulator;
import io.millrace.api.metric.MetricGroup;
import io.millrace.api.resource.ExternalResourceInfo;
import io.millrace.api.state.AggregatingState;
import io.millrace.api.state.AggregatingStateDescriptor;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapState;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ReducingState;
import io.millrace.api.state.ReducingStateDescriptor;
import io.millrace.api.state.StateDescriptor;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;

/**
 * The task of a function.
 *
 * <pre>{@code
 * class FirstOrders implements FilterFunction<Order>, RichFunction {
 *   private transient ValueState<Boolean> seen;
 *
 *   public void open(RuntimeContext context) {
 *     seen = context.state(new ValueStateDescriptor<>("seen"));
 *     System.out.println(context.name() + " " + context.subtask() + "/" + context.parallelism());
 *   }
 *
 *   public boolean keep(Order order) {
 *     boolean first = seen.value() == null;
 *     seen.update(true);
 *     return first;
 *   }
 * }
 *
 * orders.keyBy(Order::customer).filter(new FirstOrders()).print();
 * }</pre>
 */
public interface RuntimeContext {
  /** The name of the operator. */
  String name();

  /** The index of the subtask, from 0. */
  int subtask();

  int parallelism();

  /** The number of the attempt, which grows with each restart. */
  int attempt();

  /**
   * The external resources of the task's slot, which it shares only with other operators in the
   * same slot. Empty if it has none.
   *
   * @param resource the name under which the TaskManager's configuration has it, such as gpu
   */
  List<ExternalResourceInfo> externalResourceInfos(String resource);

  /**
   * The local copy of a file or directory that the program registered with {@link
   * io.millrace.api.StreamEnvironment#registerCachedFile}. All tasks of the job on a TaskManager
   * read the same copy and must not change it.
   */
  default Path cachedFile(String name) {
    throw new MillraceException(
        ErrorKind.USER,
        "There is no cached file '"
            + name
            + "'. Call registerCachedFile of the environment before execute.");
  }

  /**
   * The accumulator of the task with this name; a new one if there is none. Functions of the same
   * task share it. Called in {@code open}, such as {@code context.accumulator("lines",
   * LongCounter::new)}.
   *
   * <p>The result of the job has its value over all tasks, and REST shows it while the job runs. A
   * task that is restarted begins anew, so that a value counts records again that are read again.
   */
  default <A extends Accumulator> A accumulator(String name, Supplier<A> initial) {
    throw new MillraceException(
        ErrorKind.USER, "Operator '" + name() + "' has no accumulator '" + name + "' here.");
  }

  /**
   * The metrics of the operator. The functions of an operator share them; each subtask has its own.
   */
  default MetricGroup metrics() {
    return MetricGroup.unreported();
  }

  // --- keyed state, for functions of a keyed stream

  /**
   * The value state with this name; the handle accesses the state of the current key.
   *
   * <p>A function asks for all its states in {@code open}. The current key is that of the record,
   * of the timer or of the window that the function is called for. A state belongs to a key, not to
   * a window: a window function finds what it stored when an earlier window of the key fired.
   */
  default <T> ValueState<T> state(ValueStateDescriptor<T> descriptor) {
    throw unkeyed(descriptor);
  }

  default <T> ListState<T> listState(ListStateDescriptor<T> descriptor) {
    throw unkeyed(descriptor);
  }

  default <K, V> MapState<K, V> mapState(MapStateDescriptor<K, V> descriptor) {
    throw unkeyed(descriptor);
  }

  default <T> ReducingState<T> reducingState(ReducingStateDescriptor<T> descriptor) {
    throw unkeyed(descriptor);
  }

  default <T, A, R> AggregatingState<T, R> aggregatingState(
      AggregatingStateDescriptor<T, A, R> descriptor) {
    throw unkeyed(descriptor);
  }

  // --- operator state, for all functions

  /**
   * A list of the subtask. After a restart with another parallelism the elements of all subtasks
   * are divided among the new ones.
   */
  default <T> ListState<T> operatorListState(ListStateDescriptor<T> descriptor) {
    throw withoutState(descriptor);
  }

  /**
   * A list of the subtask. After a restart each subtask has the elements of all former ones, and
   * removes those that it does not need.
   */
  default <T> ListState<T> unionListState(ListStateDescriptor<T> descriptor) {
    throw withoutState(descriptor);
  }

  /**
   * A map that has the same content in all subtasks. The function keeps it so: it changes the map
   * only for records that all subtasks get, and in the same way. After a restart each subtask has
   * the map of one former subtask.
   */
  default <K, V> MapState<K, V> broadcastState(MapStateDescriptor<K, V> descriptor) {
    throw withoutState(descriptor);
  }

  private MillraceException withoutState(StateDescriptor descriptor) {
    return new MillraceException(
        ErrorKind.USER,
        "Operator '" + name() + "' has no operator state '" + descriptor.name() + "' here.");
  }

  private MillraceException unkeyed(StateDescriptor descriptor) {
    return new MillraceException(
        ErrorKind.USER,
        "State '"
            + descriptor.name()
            + "' belongs to a key, and the function of operator '"
            + name()
            + "' has none. Use the function directly behind keyBy, or use operator state.");
  }
}
