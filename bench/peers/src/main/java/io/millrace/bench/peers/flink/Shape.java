package io.millrace.bench.peers.flink;

import io.millrace.bench.load.Event;
import io.millrace.bench.load.Gen;
import java.io.Serializable;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.tuple.Tuple3;

/** How the same record is spelt to Flink: a POJO or a tuple. Neither falls back to Kryo. */
interface Shape<T> extends Serializable {
  TypeInformation<T> type();

  T create();

  void set(T record, long key, long timestamp, long value);

  long key(T record);

  long timestamp(T record);

  long value(T record);

  /** A maker that fills one object again and again, or a new one for each record. */
  default GenSource.Maker<T> maker(boolean reuse) {
    return reuse
        ? new Reusing<>(this)
        : gen -> {
          gen.advance();
          T made = create();
          set(made, gen.key(), gen.timestamp(), gen.value());
          return made;
        };
  }

  final class Reusing<T> implements GenSource.Maker<T> {
    private final Shape<T> shape;
    private transient T only;

    Reusing(Shape<T> shape) {
      this.shape = shape;
    }

    @Override
    public T make(Gen gen) {
      if (only == null) {
        only = shape.create();
      }
      gen.advance();
      shape.set(only, gen.key(), gen.timestamp(), gen.value());
      return only;
    }
  }

  final class Pojo implements Shape<Event> {
    @Override
    public TypeInformation<Event> type() {
      return TypeInformation.of(Event.class);
    }

    @Override
    public Event create() {
      return new Event();
    }

    @Override
    public void set(Event record, long key, long timestamp, long value) {
      record.key = key;
      record.timestamp = timestamp;
      record.value = value;
    }

    @Override
    public long key(Event record) {
      return record.key;
    }

    @Override
    public long timestamp(Event record) {
      return record.timestamp;
    }

    @Override
    public long value(Event record) {
      return record.value;
    }
  }

  final class Tuple implements Shape<Tuple3<Long, Long, Long>> {
    @Override
    public TypeInformation<Tuple3<Long, Long, Long>> type() {
      return TypeInformation.of(new TypeHint<>() {});
    }

    @Override
    public Tuple3<Long, Long, Long> create() {
      return new Tuple3<>();
    }

    @Override
    public void set(Tuple3<Long, Long, Long> record, long key, long timestamp, long value) {
      record.f0 = key;
      record.f1 = timestamp;
      record.f2 = value;
    }

    @Override
    public long key(Tuple3<Long, Long, Long> record) {
      return record.f0;
    }

    @Override
    public long timestamp(Tuple3<Long, Long, Long> record) {
      return record.f1;
    }

    @Override
    public long value(Tuple3<Long, Long, Long> record) {
      return record.f2;
    }
  }
}
