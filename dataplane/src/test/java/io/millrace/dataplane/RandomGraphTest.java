package io.millrace.dataplane;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.KeySelector;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.core.Bytes;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.testing.Behaviour;
import io.millrace.dataplane.wire.DataPort;
import io.millrace.dataplane.wire.LocalBufferPool;
import io.millrace.dataplane.wire.NetworkBufferPool;
import io.millrace.dataplane.wire.NetworkMemory;
import io.millrace.graph.CustomPartitioning;
import io.millrace.graph.JobGraph;
import io.millrace.graph.JobVertex;
import io.millrace.graph.Partitioning;
import io.millrace.task.TaskState;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Random graphs (diamonds, unions, skew, slow branches, bursts, every partitioning) give the same
 * records as a model that computes each vertex as a list. A failure names its seed.
 */
class RandomGraphTest {
  private static final int SEEDS = 40;
  private static final List<DataPlane> HOSTS = new ArrayList<>();

  /** A record that only Fory can carry. */
  record Item(long value, String text) {}

  @BeforeAll
  static void start() {
    for (int i = 0; i < 3; i++) {
      HOSTS.add(
          new DataPlane(
              DataPlaneSettings.listening(
                  2,
                  DataPort.loopback(
                      // Buffers so small that most batches take several.
                      0, Bytes.utf8("random"), new NetworkMemory(4 << 20, 1024)))));
    }
  }

  @AfterAll
  static void close() {
    HOSTS.forEach(DataPlane::close);
    HOSTS.clear();
  }

  private static long value(Object record) {
    return record instanceof Item item ? item.value() : (Long) record;
  }

  /** Some values travel as themselves, others inside a record. */
  private static Object dress(long value) {
    return value % 4 == 1 ? new Item(value, "number " + value) : (Object) value;
  }

  /** How many records one of this value becomes in a burst. */
  private static long burst(long value) {
    return value % 1000 == 3 ? 15_000 : 0;
  }

  private static KeySelector<Object, Object> key() {
    return record -> value(record) % 17;
  }

  /** How many records of a key there were so far, together with the key. */
  static final class Count implements AggregateFunction<Object, Object, Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public Object create() {
      return new long[2];
    }

    @Override
    public Object add(Object accumulator, Object record) {
      long[] counts = (long[]) accumulator;
      counts[0] = value(record) % 17;
      counts[1]++;
      return counts;
    }

    @Override
    public Object result(Object accumulator) {
      long[] counts = (long[]) accumulator;
      return dress(counts[0] * 1_000_000 + counts[1]);
    }
  }

  /** An operator and what it makes of a whole list. */
  private enum Kind {
    MAP,
    FILTER,
    FLAT_MAP,
    COUNT_AT_END,
    COUNT_RUNNING,
    /** Waits now and then, as user code does that talks to others. */
    SLOW,
    /** Emits very many for one record, much more than any buffer between tasks holds. */
    BURST;

    OperatorSpec spec() {
      return switch (this) {
        case MAP -> new OperatorSpec.Map(record -> dress(value(record) * 3 + 1));
        case FILTER -> new OperatorSpec.Filter(record -> value(record) % 5 != 0);
        case FLAT_MAP ->
            new OperatorSpec.FlatMap(
                (record, out) -> {
                  for (long i = 0; i < value(record) % 4; i++) {
                    out.emit(dress(value(record) + i));
                  }
                });
        case COUNT_AT_END -> new OperatorSpec.Aggregate(key(), new Count(), true);
        case COUNT_RUNNING -> new OperatorSpec.Aggregate(key(), new Count(), false);
        case SLOW ->
            new OperatorSpec.Map(
                record -> {
                  if (value(record) % 97 == 0) {
                    LockSupport.parkNanos(200_000);
                  }
                  return record;
                });
        case BURST ->
            new OperatorSpec.FlatMap(
                (record, out) -> {
                  for (long i = 0; i < burst(value(record)); i++) {
                    out.emit(dress(i));
                  }
                });
      };
    }

    boolean isKeyed() {
      return this == COUNT_AT_END || this == COUNT_RUNNING;
    }

    List<Long> apply(List<Long> in) {
      List<Long> out = new ArrayList<>();
      Map<Long, Long> counts = new TreeMap<>();
      for (long value : in) {
        switch (this) {
          case MAP -> out.add(value * 3 + 1);
          case FILTER -> {
            if (value % 5 != 0) {
              out.add(value);
            }
          }
          case FLAT_MAP -> {
            for (long i = 0; i < value % 4; i++) {
              out.add(value + i);
            }
          }
          case SLOW -> out.add(value);
          case BURST -> {
            for (long i = 0; i < burst(value); i++) {
              out.add(i);
            }
          }
          case COUNT_AT_END -> counts.merge(value % 17, 1L, Long::sum);
          case COUNT_RUNNING ->
              out.add(value % 17 * 1_000_000 + counts.merge(value % 17, 1L, Long::sum));
        }
      }
      if (this == COUNT_AT_END) {
        counts.forEach((key, count) -> out.add(key * 1_000_000 + count));
      }
      return out;
    }
  }

  private static final List<Kind> KINDS = List.of(Kind.values());
  private static final List<Partitioning> PARTITIONINGS = List.of(Partitioning.values());

  private record Node(JobVertex vertex, List<Long> output) {}

  /** Builds a random program and, beside it, what it has to deliver. */
  private static List<Long> build(Random random, TestJobGraph program) {
    List<Node> nodes = new ArrayList<>();
    List<Long> expected = new ArrayList<>();
    int sources = 1 + random.nextInt(2);
    for (int i = 0; i < sources; i++) {
      int count = random.nextInt(5) == 0 ? 0 : random.nextInt(4000);
      List<Long> values = new ArrayList<>();
      for (long value = 0; value < count; value++) {
        values.add(value);
      }
      nodes.add(
          new Node(
              program.vertex("source" + i, 1 + random.nextInt(5), Fixtures.numbers(count)),
              values));
    }
    int inner = 1 + random.nextInt(4);
    int broadcasts = 0;
    int bursts = 0;
    for (int i = 0; i < inner; i++) {
      Kind kind = KINDS.get(random.nextInt(KINDS.size()));
      if (kind == Kind.BURST && bursts++ > 0) {
        kind = Kind.SLOW;
      }
      Node from = nodes.get(random.nextInt(nodes.size()));
      int parallelism = 1 + random.nextInt(5);
      boolean last = i == inner - 1;
      List<OperatorSpec> chain = new ArrayList<>();
      chain.add(kind.spec());
      boolean mapped = random.nextBoolean();
      if (mapped) {
        chain.add(Kind.MAP.spec());
      }
      // Nobody reads the last one, and some others are not read either: they deliver.
      boolean delivers = last || random.nextInt(3) == 0;
      if (delivers) {
        chain.add(Fixtures.collect());
      }
      JobVertex vertex = program.vertex("v" + i, parallelism, chain.toArray(new OperatorSpec[0]));
      List<Long> input = new ArrayList<>();
      int edges = 1 + random.nextInt(3);
      for (int e = 0; e < edges; e++) {
        Node source = e == 0 ? from : nodes.get(random.nextInt(nodes.size()));
        Partitioning partitioning =
            kind.isKeyed()
                ? Partitioning.HASH
                : PARTITIONINGS.get(random.nextInt(PARTITIONINGS.size()));
        if (partitioning == Partitioning.FORWARD && source.vertex.parallelism() != parallelism) {
          partitioning = Partitioning.RESCALE;
        }
        if (partitioning == Partitioning.BROADCAST && ++broadcasts > 2) {
          partitioning = Partitioning.REBALANCE;
        }
        connect(program, source.vertex, vertex, partitioning);
        int copies = partitioning == Partitioning.BROADCAST ? parallelism : 1;
        for (int c = 0; c < copies; c++) {
          input.addAll(source.output);
        }
      }
      List<Long> output = kind.apply(input);
      output = mapped ? Kind.MAP.apply(output) : output;
      if (delivers) {
        expected.addAll(output);
      } else {
        nodes.add(new Node(vertex, output));
      }
    }
    return expected;
  }

  private static void connect(
      TestJobGraph program, JobVertex from, JobVertex to, Partitioning partitioning) {
    switch (partitioning) {
      case HASH -> program.edge(from, to, partitioning, (Serializable) key());
      case CUSTOM ->
          program.edge(
              from,
              to,
              partitioning,
              new CustomPartitioning(
                  record -> value(record),
                  // Most of them to one.
                  (key, n) ->
                      (Long) key % 10 != 0 ? 0 : (int) Math.floorMod((Long) key / 10, (long) n)));
      default -> program.edge(from, to, partitioning);
    }
  }

  @Test
  @Behaviour(
      "H2: no shape of graph deadlocks, even with one network buffer for each end of a channel")
  @Behaviour("H2: each routing has its partitioning: forward, hash, rebalance, rescale, broadcast")
  void deliversWhatTheModelDelivers() {
    for (int i = 0; i < SEEDS; i++) {
      check(4711 + i, false);
    }
  }

  /** One buffer for each end of a channel: nothing may need a second one to go on. */
  @Test
  @Behaviour(
      "H2: no shape of graph deadlocks, even with one network buffer for each end of a channel")
  void deliversWithTheLeastNetworkMemoryToo() {
    for (int i = 0; i < SEEDS; i++) {
      check(815 + i, true);
    }
  }

  private static void check(long seed, boolean withLeastMemory) {
    Random random = new Random(seed);
    TestJobGraph program = new TestJobGraph();
    List<Long> expected = build(random, program);
    int hosts = 1 + random.nextInt(HOSTS.size());
    DataPlane[] chosen = HOSTS.subList(0, hosts).toArray(new DataPlane[0]);
    int[] placement = random.ints(5, 0, hosts).toArray();

    TestRun run;
    try {
      run =
          withLeastMemory
              ? runWithLeastMemory(program.build(), placement, chosen)
              : TestRun.of(program.build(), chosen)
                  .deploy(seed, subtask -> placement[subtask])
                  .awaitEnd();
    } catch (AssertionError e) {
      throw new AssertionError("Seed " + seed, e);
    }

    assertThat(run.failures()).as("seed %s", seed).isEmpty();
    assertThat(run.violations()).as("seed %s", seed).isEmpty();
    assertThat(run.count(TaskState.FINISHED)).isEqualTo(run.states().size());
    List<Long> delivered = new ArrayList<>();
    run.collected().forEach(record -> delivered.add(value(record)));
    Collections.sort(delivered);
    Collections.sort(expected);
    assertThat(delivered).as("seed %s", seed).isEqualTo(expected);
    for (DataPlane host : HOSTS) {
      NetworkBufferPool pool = host.networkPool().orElseThrow();
      run.await("all buffers are back", () -> pool.free() == pool.memory().buffers());
    }
  }

  /**
   * Takes buffers away until the job is not accepted, and runs it with the last that was enough.
   */
  private static TestRun runWithLeastMemory(JobGraph graph, int[] placement, DataPlane... hosts) {
    for (int left = 2; ; left *= 2) {
      int most = left;
      List<LocalBufferPool> taken = new ArrayList<>();
      for (DataPlane host : hosts) {
        NetworkBufferPool pool = host.networkPool().orElseThrow();
        taken.add(pool.reserve(window -> Math.max(0, pool.free() - most)).orElseThrow());
      }
      try {
        TestRun run = TestRun.of(graph, hosts).deploy(left, subtask -> placement[subtask]);
        run.await("accepted or not", () -> run.count(TaskState.DEPLOYING) == 0);
        if (run.failures().stream().anyMatch(one -> one.kind() == ErrorKind.RESOURCE)) {
          run.cancel();
          run.awaitEnd();
          continue;
        }
        return run.awaitEnd();
      } finally {
        taken.forEach(LocalBufferPool::close);
      }
    }
  }

  /** A diamond whose branches meet again, one of them slow, fed by a single call. */
  @Test
  @Behaviour(
      "H2: no shape of graph deadlocks, even with one network buffer for each end of a channel")
  void aMillionRecordsOfOneCallPassADiamondOverHosts() {
    TestJobGraph program = new TestJobGraph();
    JobVertex source = program.vertex("source", 1, Fixtures.numbers(1));
    JobVertex burst =
        program.vertex(
            "burst",
            1,
            new OperatorSpec.FlatMap(
                (record, out) -> {
                  for (long i = 0; i < 1_000_000; i++) {
                    out.emit(i);
                  }
                }));
    JobVertex slow = program.vertex("slow", 3, Kind.SLOW.spec());
    JobVertex quick = program.vertex("quick", 3, Kind.FILTER.spec());
    JobVertex join = program.vertex("join", 3, Kind.COUNT_AT_END.spec(), Fixtures.collect());
    program
        .edge(source, burst, Partitioning.FORWARD)
        .edge(burst, slow, Partitioning.REBALANCE)
        .edge(burst, quick, Partitioning.REBALANCE)
        .edge(slow, join, Partitioning.HASH, (Serializable) key())
        .edge(quick, join, Partitioning.HASH, (Serializable) key());
    List<Long> numbers = LongStream.range(0, 1_000_000).boxed().toList();
    List<Long> both = new ArrayList<>(numbers);
    both.addAll(Kind.FILTER.apply(numbers));

    TestRun run =
        runWithLeastMemory(program.build(), new int[] {0, 1, 2}, HOSTS.toArray(new DataPlane[0]));

    assertThat(run.failures()).isEmpty();
    assertThat(run.collected().stream().map(RandomGraphTest::value).sorted().toList())
        .isEqualTo(Kind.COUNT_AT_END.apply(both).stream().sorted().toList());
  }
}
