package io.millrace.dataplane;

import io.millrace.api.function.Collector;
import io.millrace.api.function.FilterFunction;
import io.millrace.api.function.FlatMapFunction;
import io.millrace.api.function.MapFunction;
import io.millrace.api.sink.SinkWriter;
import java.util.Optional;

/** The stages without state of their own. Each names its operator when the user's code fails. */
final class Stages {
  private Stages() {}

  /** The end of a chain that nobody reads from. */
  static final class Nothing extends Stage {
    @Override
    void push(Object record) {}
  }

  /** Several readers of one operator. */
  static final class Fan extends Stage {
    private final Stage[] readers;

    Fan(Stage[] readers) {
      this.readers = readers;
    }

    @Override
    void push(Object record) {
      for (Stage reader : readers) {
        reader.push(record);
      }
    }
  }

  static final class Map extends Stage {
    private final Place place;
    private final MapFunction<Object, Object> function;
    private final Stage next;

    Map(Place place, MapFunction<Object, Object> function, Stage next) {
      this.place = place;
      this.function = function;
      this.next = next;
    }

    @Override
    void push(Object record) {
      Object result;
      try {
        result = function.map(record);
      } catch (Throwable thrown) {
        throw place.failed(thrown, record);
      }
      next.push(result);
    }
  }

  static final class Filter extends Stage {
    private final Place place;
    private final FilterFunction<Object> function;
    private final Stage next;

    Filter(Place place, FilterFunction<Object> function, Stage next) {
      this.place = place;
      this.function = function;
      this.next = next;
    }

    @Override
    void push(Object record) {
      boolean keep;
      try {
        keep = function.keep(record);
      } catch (Throwable thrown) {
        throw place.failed(thrown, record);
      }
      if (keep) {
        next.push(record);
      }
    }
  }

  static final class FlatMap extends Stage {
    private final Place place;
    private final FlatMapFunction<Object, Object> function;
    private final Collector<Object> out;

    FlatMap(Place place, FlatMapFunction<Object, Object> function, Stage next) {
      this.place = place;
      this.function = function;
      this.out = new Emit(place.task(), next);
    }

    @Override
    void push(Object record) {
      try {
        function.flatMap(record, out);
      } catch (Throwable thrown) {
        throw place.failed(thrown, record);
      }
    }
  }

  static final class Write extends Stage {
    private final Place place;
    private final SinkWriter<Object> writer;
    private boolean finished;

    Write(Place place, SinkWriter<Object> writer) {
      this.place = place;
      this.writer = writer;
    }

    @Override
    void push(Object record) {
      try {
        writer.write(record);
      } catch (Throwable thrown) {
        throw place.failed(thrown, record);
      }
    }

    @Override
    Ended end() {
      if (!finished) {
        finished = true;
        try {
          writer.finish();
        } catch (Throwable thrown) {
          throw place.failed(thrown);
        }
      }
      return Ended.YES;
    }

    @Override
    void close() throws Exception {
      writer.close();
    }
  }

  /** An operator's name, and the task to which its failures are told. */
  record Place(Task task, String operator) {
    Error failed(Throwable thrown) {
      throw task.failed(operator, thrown);
    }

    /** The user's code failed on a record. */
    Error failed(Throwable thrown, Object record) {
      throw failed(thrown, Fault.onRecord(record));
    }

    /** The user's code failed when it was called for this. */
    Error failed(Throwable thrown, Optional<Fault.Occasion> during) {
      throw task.failed(operator, thrown, during);
    }
  }
}
