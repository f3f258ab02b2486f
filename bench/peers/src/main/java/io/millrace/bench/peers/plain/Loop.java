package io.millrace.bench.peers.plain;

import io.millrace.bench.load.Event;
import io.millrace.bench.load.Gen;
import io.millrace.bench.load.JsonLine;
import io.millrace.bench.load.RecordMeter;
import io.millrace.bench.load.SteadyState;
import io.millrace.bench.load.Text;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * W3z: the same work with no engine. {@code Loop <b|c|f> <map|array> <1|2|2x>}: 1 thread; 2 threads
 * that share nothing; or 2x, two generating threads that hand each record to one of two owning
 * threads in batches.
 */
public final class Loop {
  private static final int KEYS = 10_000;
  private static final int BATCH = 1024;

  private Loop() {}

  public static void main(String[] args) throws Exception {
    String workload = args[0];
    boolean array = args[1].equals("array");
    String threads = args[2];
    JsonLine json = new JsonLine("plain", "W3" + workload, "z-" + args[1] + "-" + threads);
    if (threads.equals("2x")) {
      exchange(workload, array);
    } else {
      for (int i = 0; i < Integer.parseInt(threads); i++) {
        int instance = i;
        start(() -> alone(workload, array, instance));
      }
    }
    SteadyState.measure(json);
    Thread.sleep(200);
    json.put("in", RecordMeter.in()).put("out", RecordMeter.out()).print();
    System.exit(0);
  }

  private static void start(Runnable work) {
    Thread thread = new Thread(work);
    thread.setDaemon(true);
    thread.start();
  }

  /** What the owner of some keys does with a record. */
  private interface Step {
    void accept(long key, long timestamp, long value);

    long out();
  }

  private static Step step(String workload, boolean array) {
    if (workload.equals("b")) {
      return array ? new ArraySum() : new MapSum();
    }
    return array ? new ArrayWindow() : new MapWindow();
  }

  private static void alone(String workload, boolean array, int instance) {
    if (workload.equals("f")) {
      words(instance);
      return;
    }
    Step step = step(workload, array);
    Gen gen = new Gen(instance, KEYS);
    while (!RecordMeter.stop) {
      for (int i = 0; i < RecordMeter.EVERY; i++) {
        gen.advance();
        step.accept(gen.key(), gen.timestamp(), gen.value());
      }
      RecordMeter.in(instance, gen.position());
    }
    RecordMeter.out(instance, step.out());
  }

  private static void words(int instance) {
    String[] sentences = Text.sentences();
    Map<String, long[]> counts = new HashMap<>();
    Gen gen = new Gen(instance, 1);
    long out = 0;
    while (!RecordMeter.stop) {
      for (int i = 0; i < RecordMeter.EVERY; i++) {
        gen.advance();
        for (String word : sentences[gen.index(Text.SENTENCES)].split(" ")) {
          counts.computeIfAbsent(word, w -> new long[1])[0]++;
          out++;
        }
      }
      RecordMeter.in(instance, gen.position());
    }
    RecordMeter.out(instance, out);
  }

  /**
   * Two generators, two owners, batches of records through bounded queues: a shuffle with no
   * serialisation.
   */
  private static void exchange(String workload, boolean array) {
    @SuppressWarnings("unchecked")
    BlockingQueue<Object[]>[] queues =
        new BlockingQueue[] {
          new ArrayBlockingQueue<Object[]>(16), new ArrayBlockingQueue<Object[]>(16)
        };
    for (int i = 0; i < 2; i++) {
      int instance = i;
      start(() -> generate(workload, instance, queues));
      start(() -> own(workload, array, instance, queues[instance]));
    }
  }

  private static void generate(String workload, int instance, BlockingQueue<Object[]>[] queues) {
    String[] sentences = workload.equals("f") ? Text.sentences() : null;
    Object[][] batches = {new Object[BATCH], new Object[BATCH]};
    int[] fill = new int[2];
    Gen gen = new Gen(instance, KEYS);
    try {
      while (!RecordMeter.stop) {
        for (int i = 0; i < RecordMeter.EVERY; i++) {
          gen.advance();
          if (sentences == null) {
            Event event = new Event(gen.key(), gen.timestamp(), gen.value());
            hand(event, (int) (event.key & 1), batches, fill, queues);
          } else {
            for (String word : sentences[gen.index(Text.SENTENCES)].split(" ")) {
              hand(word, word.hashCode() & 1, batches, fill, queues);
            }
          }
        }
        RecordMeter.in(instance, gen.position());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void hand(
      Object record, int owner, Object[][] batches, int[] fill, BlockingQueue<Object[]>[] queues)
      throws InterruptedException {
    batches[owner][fill[owner]++] = record;
    if (fill[owner] == BATCH) {
      queues[owner].put(batches[owner]);
      batches[owner] = new Object[BATCH];
      fill[owner] = 0;
    }
  }

  private static void own(
      String workload, boolean array, int instance, BlockingQueue<Object[]> queue) {
    Step step = workload.equals("f") ? null : step(workload, array);
    Map<String, long[]> counts = new HashMap<>();
    long words = 0;
    try {
      while (!RecordMeter.stop) {
        for (Object record : queue.take()) {
          if (step == null) {
            counts.computeIfAbsent((String) record, w -> new long[1])[0]++;
            words++;
          } else {
            Event event = (Event) record;
            step.accept(event.key, event.timestamp, event.value);
          }
        }
        RecordMeter.out(instance, step == null ? words : step.out());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static final class MapSum implements Step {
    private final Map<Long, Long> sums = new HashMap<>();
    private long last;
    private long out;

    @Override
    public void accept(long key, long timestamp, long value) {
      last += sums.merge(key, value, Long::sum);
      out++;
    }

    @Override
    public long out() {
      return last == 42 ? 0 : out;
    }
  }

  private static final class ArraySum implements Step {
    private final long[] sums = new long[KEYS];
    private long last;
    private long out;

    @Override
    public void accept(long key, long timestamp, long value) {
      last += sums[(int) key] += value;
      out++;
    }

    @Override
    public long out() {
      return last == 42 ? 0 : out;
    }
  }

  /** Tumbling 1 s count; a record of a later second closes the window (each source is in order). */
  private static final class MapWindow implements Step {
    private Map<Long, long[]> counts = new HashMap<>();
    private long window;
    private long out;

    @Override
    public void accept(long key, long timestamp, long value) {
      if (timestamp >= window + 1000) {
        out += counts.size();
        counts = new HashMap<>();
        window = timestamp - timestamp % 1000;
      }
      counts.computeIfAbsent(key, k -> new long[1])[0]++;
    }

    @Override
    public long out() {
      return out;
    }
  }

  private static final class ArrayWindow implements Step {
    private final long[] counts = new long[KEYS];
    private long window;
    private long out;

    @Override
    public void accept(long key, long timestamp, long value) {
      if (timestamp >= window + 1000) {
        for (int i = 0; i < KEYS; i++) {
          out += counts[i] == 0 ? 0 : 1;
          counts[i] = 0;
        }
        window = timestamp - timestamp % 1000;
      }
      counts[(int) key]++;
    }

    @Override
    public long out() {
      return out;
    }
  }
}
