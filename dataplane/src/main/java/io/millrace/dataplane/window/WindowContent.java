package io.millrace.dataplane.window;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.ReduceFunction;
import io.millrace.api.operator.WindowSpec;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.dataplane.records.ValueCopier;
import io.millrace.dataplane.state.StateKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Aggregates the records of a window. */
abstract class WindowContent {
  static WindowContent of(WindowSpec.Content spec) {
    if (spec instanceof WindowSpec.Content.Reduced reduced) {
      return new Reduced(reduced.function());
    } else if (spec instanceof WindowSpec.Content.Aggregated aggregated) {
      return new Aggregated(aggregated.function());
    } else if (spec instanceof WindowSpec.Content.Records) {
      return new Records();
    }
    throw new IllegalStateException("Unknown window content " + spec.getClass().getName());
  }

  /** The content with a record added; the current content is null for a new window. */
  abstract Object fold(Object content, Object record) throws Exception;

  /**
   * A copy for a change while a snapshot has the content; the content itself if folds and merges
   * never change it.
   */
  abstract Object copyForChange(Object content, ValueCopier copier);

  /** The kind of state that the content is. */
  abstract StateKind kind();

  /** Merges two contents. It may change the earlier one and does not change the later one. */
  abstract Object merge(Object earlier, Object later) throws Exception;

  /**
   * Merges two contents, of which others may use the later one: refuses a function that returns
   * that.
   */
  Object mergeIntoFirst(Object earlier, Object later) throws Exception {
    return merge(earlier, later);
  }

  /** A copy that can be changed independently. */
  abstract Object copy(Object content) throws Exception;

  /** Sets the current key of functions with keyed state, before calls other than of a fold. */
  void enter(Object key) {}

  /** Unsets the current key. */
  void leave() {}

  /** The result that is emitted without a window function. */
  abstract Object result(Object content) throws Exception;

  /** The elements that a window function gets. */
  Iterable<Object> all(Object content) throws Exception {
    return Collections.singletonList(result(content));
  }

  private static final class Reduced extends WindowContent {
    private final ReduceFunction<Object> function;

    Reduced(ReduceFunction<Object> function) {
      this.function = function;
    }

    @Override
    public Object fold(Object content, Object record) throws Exception {
      return content == null ? record : function.reduce(content, record);
    }

    @Override
    public Object merge(Object earlier, Object later) throws Exception {
      return function.reduce(earlier, later);
    }

    @Override
    public Object copy(Object content) {
      // Records are immutable.
      return content;
    }

    @Override
    Object copyForChange(Object content, ValueCopier copier) {
      return content;
    }

    @Override
    StateKind kind() {
      return StateKind.REDUCING;
    }

    @Override
    public Object result(Object content) {
      return content;
    }
  }

  private static final class Aggregated extends WindowContent {
    private final AggregateFunction<Object, Object, Object> function;

    Aggregated(AggregateFunction<Object, Object, Object> function) {
      this.function = function;
    }

    @Override
    public Object fold(Object content, Object record) throws Exception {
      return function.add(content == null ? function.create() : content, record);
    }

    @Override
    public Object merge(Object earlier, Object later) throws Exception {
      return function.merge(earlier, later);
    }

    @Override
    Object mergeIntoFirst(Object earlier, Object later) throws Exception {
      Object merged = merge(earlier, later);
      if (merged == later && !isValue(later)) {
        throw new MillraceException(
            ErrorKind.USER,
            function.getClass().getName()
                + ".merge returns its second accumulator, which other windows use, too. Return the"
                + " first one or a new one.");
      }
      return merged;
    }

    @Override
    public Object copy(Object content) throws Exception {
      return mergeIntoFirst(function.create(), content);
    }

    @Override
    Object copyForChange(Object content, ValueCopier copier) {
      // Not with merge, which not every function has.
      return copier.apply(content);
    }

    @Override
    StateKind kind() {
      return StateKind.AGGREGATING;
    }

    /** Whether the content is immutable and can be shared. */
    private static boolean isValue(Object content) {
      return content instanceof Number
          || content instanceof String
          || content instanceof Boolean
          || content instanceof Character
          || content instanceof Record
          || content instanceof Enum;
    }

    @Override
    public Object result(Object content) throws Exception {
      return function.result(content);
    }
  }

  @SuppressWarnings("unchecked") // The content was created by fold.
  private static final class Records extends WindowContent {
    @Override
    public Object fold(Object content, Object record) {
      List<Object> records = content == null ? new ArrayList<>(4) : (List<Object>) content;
      records.add(record);
      return records;
    }

    @Override
    public Object merge(Object earlier, Object later) {
      ((List<Object>) earlier).addAll((List<Object>) later);
      return earlier;
    }

    @Override
    public Object copy(Object content) {
      return new ArrayList<>((List<Object>) content);
    }

    @Override
    Object copyForChange(Object content, ValueCopier copier) {
      return copy(content);
    }

    @Override
    StateKind kind() {
      return StateKind.LIST;
    }

    @Override
    public Object result(Object content) {
      return all(content);
    }

    @Override
    public Iterable<Object> all(Object content) {
      return Collections.unmodifiableList((List<Object>) content);
    }
  }
}
