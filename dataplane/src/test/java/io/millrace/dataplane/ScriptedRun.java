package io.millrace.dataplane;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.function.KeySelector;
import io.millrace.api.source.NonReplayableSource;
import io.millrace.api.source.PollingReader;
import io.millrace.api.source.Source;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceOutput;
import io.millrace.dataplane.RandomEvents.Event;
import io.millrace.dataplane.task.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * What happens in a run, step by step, in a time of its own: a test sends events through subtasks
 * of a source, moves the clock, and waits after each step until what follows from it has happened.
 */
final class ScriptedRun implements AutoCloseable {
  private final AtomicLong clock = new AtomicLong(1_000_000);
  private final DataPlane host;
  private final String name = Fixtures.share(this);
  private final Map<Integer, Lane> lanes = new ConcurrentHashMap<>();

  /** How often the key of an event was asked for. */
  private final LongAdder keysAsked = new LongAdder();

  private long sent;
  private volatile boolean ended;
  private volatile TestRun run;

  /** The events of a subtask that it has not sent yet. */
  private static final class Lane {
    final ConcurrentLinkedQueue<Event> events = new ConcurrentLinkedQueue<>();
    volatile SourceContext context;
  }

  ScriptedRun() {
    host = new DataPlane(DataPlaneSettings.inProcess(2), clock::get);
  }

  private record Lanes(String script) implements NonReplayableSource<Event> {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isBounded() {
      return false;
    }

    @Override
    public PollingReader<Event> open(SourceContext context) {
      ScriptedRun script = Fixtures.shared(this.script, ScriptedRun.class);
      Lane lane = script.lane(context.subtask());
      lane.context = context;
      return (SourceOutput<Event> out, int limit) -> {
        boolean last = script.ended;
        Event event;
        while ((event = lane.events.poll()) != null) {
          out.emit(event);
        }
        return last ? PollingReader.Status.END : PollingReader.Status.WAIT;
      };
    }
  }

  private record Keys(String script) implements KeySelector<Event, Object> {
    private static final long serialVersionUID = 1L;

    @Override
    public Object key(Event event) {
      Fixtures.shared(script, ScriptedRun.class).keyAsked();
      return event.key();
    }
  }

  private void keyAsked() {
    keysAsked.increment();
    TestRun waiting = run;
    synchronized (waiting) {
      waiting.notifyAll();
    }
  }

  Source<Event, ?> source() {
    return new Lanes(name);
  }

  /** The key of an event. It is asked where the event is routed, and where it arrives. */
  KeySelector<Event, Object> key() {
    return new Keys(name);
  }

  private Lane lane(int subtask) {
    return lanes.computeIfAbsent(subtask, any -> new Lane());
  }

  TestRun start(Consumer<StreamEnvironment> program) {
    run = TestRun.start(ProgramGraphs.graph(program), host).awaitRunning();
    return run;
  }

  long now() {
    return clock.get();
  }

  /** Sends events and waits until they are where their keys are. */
  void send(int subtask, List<Event> events) {
    Lane lane = lane(subtask);
    lane.events.addAll(events);
    lane.context.wake();
    sent += events.size();
    run.await("events at their keys", () -> keysAsked.sum() >= 2 * sent);
    // The key is asked before the operator looks at the clock.
    awaitStepsInProgress();
  }

  private void awaitStepsInProgress() {
    for (var execution : new ArrayList<>(run.states().keySet())) {
      run.await(
          "the step is over",
          () -> host.task(execution).map(task -> task.stack().length == 0).orElse(true));
    }
  }

  /** Moves the clock, and has everybody look at it. */
  void advance(long millis) {
    clock.addAndGet(millis);
    // A step may have looked at the clock before, and would give that time to the next events.
    awaitStepsInProgress();
    for (var execution : new ArrayList<>(run.states().keySet())) {
      host.task(execution).ifPresent(Task::wake);
    }
  }

  void awaitCollected(String what, int count) {
    run.await(count + " under " + what, () -> run.collected(what).size() >= count);
  }

  void end() {
    ended = true;
    lanes.values().forEach(lane -> lane.context.wake());
    run.awaitEnd();
  }

  @Override
  public void close() {
    host.close();
  }
}
