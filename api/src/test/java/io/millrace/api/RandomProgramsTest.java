package io.millrace.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.api.execution.ProgramContext;
import io.millrace.api.operator.OperatorSpec;
import io.millrace.api.process.OutputTag;
import io.millrace.api.program.Chaining;
import io.millrace.api.program.OperatorSettings;
import io.millrace.api.program.Program;
import io.millrace.api.program.Routing;
import io.millrace.api.program.Transformation;
import io.millrace.api.resource.SlotSharingGroup;
import io.millrace.core.config.Configuration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random calls of the API, compared with a plain list of what they say. Several jobs of one program
 * share streams: each job has what was added since the last one, and everything that it needs.
 */
@ResourceLock("bound program context")
class RandomProgramsTest {
  private static final List<Class<? extends Routing>> ROUTES =
      List.of(
          Routing.Rebalance.class,
          Routing.Rescale.class,
          Routing.Broadcast.class,
          Routing.Forward.class,
          Routing.Shuffle.class,
          Routing.Custom.class,
          Routing.Keyed.class);

  /** A call as the test remembers it. */
  private static final class Call {
    private final String what;
    private final List<Integer> inputs;
    private final DataStream<Integer> stream;
    private String name;
    private OperatorSettings settings = OperatorSettings.UNSET;

    Call(String what, List<Integer> inputs, DataStream<Integer> stream) {
      this.what = what;
      this.name = what;
      this.inputs = inputs;
      this.stream = stream;
    }

    boolean isOperator() {
      return Set.of("collection", "map", "filter", "flatMap").contains(what);
    }
  }

  private final List<Call> calls = new ArrayList<>();

  private int any(Random random) {
    return random.nextInt(calls.size());
  }

  private void add(String what, List<Integer> inputs, DataStream<Integer> stream) {
    calls.add(new Call(what, inputs, stream));
  }

  private void next(Random random, StreamEnvironment env) {
    int kind = calls.isEmpty() ? 0 : random.nextInt(12);
    if (kind == 0) {
      add("collection", List.of(), env.fromElements(1, 2, 3));
      return;
    }
    int from = any(random);
    DataStream<Integer> stream = calls.get(from).stream;
    switch (kind) {
      case 1 -> add("map", List.of(from), stream.map(number -> number + 1));
      case 2 -> add("filter", List.of(from), stream.filter(number -> number > 1));
      case 3 -> add("flatMap", List.of(from), stream.flatMap(number -> List.of(number)));
      case 4 -> {
        int other = any(random);
        add("union", List.of(from, other), stream.union(calls.get(other).stream));
      }
      case 5 -> addRoute(random, from, stream);
      case 6 -> {
        if (calls.get(from).isOperator()) {
          add("side", List.of(from), stream.sideOutput(new OutputTag<>("tag")));
        }
      }
      default -> change(random, calls.get(from));
    }
  }

  private void addRoute(Random random, int from, DataStream<Integer> stream) {
    int route = random.nextInt(ROUTES.size());
    add(
        ROUTES.get(route).getSimpleName(),
        List.of(from),
        switch (route) {
          case 0 -> stream.rebalance();
          case 1 -> stream.rescale();
          case 2 -> stream.broadcast();
          case 3 -> stream.forward();
          case 4 -> stream.shuffle();
          case 5 -> stream.global();
          default -> stream.keyBy(number -> number);
        });
  }

  private static void change(Random random, Call call) {
    if (!call.isOperator()) {
      return;
    }
    int number = 1 + random.nextInt(100);
    switch (random.nextInt(6)) {
      case 0 -> {
        call.stream.name("name " + number);
        call.name = "name " + number;
      }
      case 1 -> {
        call.stream.uid("uid " + number);
        call.settings = call.settings.withUid("uid " + number);
      }
      case 2 -> {
        call.stream.parallelism(number);
        call.settings = call.settings.withParallelism(number);
      }
      case 3 -> {
        call.stream.maxParallelism(number);
        call.settings = call.settings.withMaxParallelism(number);
      }
      case 4 -> {
        call.stream.slotSharingGroup("group " + number);
        call.settings =
            call.settings.withSlotSharingGroup(SlotSharingGroup.named("group " + number));
      }
      default -> {
        boolean head = random.nextBoolean();
        DataStream<Integer> same =
            head ? call.stream.startNewChain() : call.stream.disableChaining();
        assertThat(same).isSameAs(call.stream);
        call.settings = call.settings.withChaining(head ? Chaining.HEAD : Chaining.NEVER);
      }
    }
  }

  /** The calls of a job: those since the last job, with all that they read from. */
  private List<Integer> needed(int since) {
    Set<Integer> needed = new TreeSet<>();
    List<Integer> open = new ArrayList<>();
    for (int i = since; i < calls.size(); i++) {
      open.add(i);
    }
    while (!open.isEmpty()) {
      int call = open.remove(open.size() - 1);
      if (needed.add(call)) {
        open.addAll(calls.get(call).inputs);
      }
    }
    return new ArrayList<>(needed);
  }

  private void check(long seed, Program program, List<Integer> needed) {
    assertThat(program.transformations()).as("seed %d", seed).hasSize(needed.size());
    for (int i = 0; i < needed.size(); i++) {
      Call call = calls.get(needed.get(i));
      Transformation made = program.transformations().get(i);
      assertThat(made.inputs())
          .as("seed %d, %s", seed, call.what)
          .isEqualTo(call.inputs.stream().map(needed::indexOf).toList());
      if (made instanceof Transformation.Operator operator) {
        assertThat(call.isOperator()).isTrue();
        assertThat(operator.name()).isEqualTo(call.name);
        assertThat(operator.settings()).as("seed %d", seed).isEqualTo(call.settings);
        assertThat(operator.spec() instanceof OperatorSpec.Source).isEqualTo(call.inputs.isEmpty());
      } else if (made instanceof Transformation.Route route) {
        assertThat(route.routing().getClass().getSimpleName()).isEqualTo(call.what);
      } else if (made instanceof Transformation.SideOutput side) {
        assertThat(call.what).isEqualTo("side");
        assertThat(side.tag()).isEqualTo("tag");
      } else if (made instanceof Transformation.Union) {
        assertThat(call.what).isEqualTo("union");
      } else {
        throw new AssertionError("Another transformation: " + made);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void everyCallIsInTheJobsThatNeedIt(long seed) throws Exception {
    Random random = new Random(seed);
    RecordingExecutor executor = new RecordingExecutor();
    new ProgramContext(executor, Configuration.EMPTY)
        .during(
            () -> {
              StreamEnvironment env = StreamEnvironment.current();
              int since = 0;
              for (int job = 0; job < 4; job++) {
                int steps = 1 + random.nextInt(60);
                for (int i = 0; i < steps || calls.size() == since; i++) {
                  next(random, env);
                }
                env.executeAsync("job " + job);
                check(seed, executor.programs.get(job), needed(since));
                since = calls.size();
              }
              return true;
            });
    assertThat(executor.programs)
        .extracting(Program::name)
        .containsExactly("job 0", "job 1", "job 2", "job 3");
  }
}
