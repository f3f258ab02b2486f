package io.millrace.sim.cluster;

import io.millrace.control.driver.WorkerSpec;
import io.millrace.rpc.Envelope;
import io.millrace.sim.MessageInterceptor;
import io.millrace.sim.SimDataflow;
import io.millrace.sim.SimDataflowTask;
import io.millrace.sim.SimDriver;
import io.millrace.sim.SimProcess;
import io.millrace.sim.SimTaskHost;
import io.millrace.sim.SimTaskState;
import io.millrace.sim.check.Fact;
import io.millrace.sim.zookeeper.SimZooKeeper;
import io.millrace.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * Turns the events of all seams of a simulated cluster into facts. It observes calls before the
 * wiring may change them.
 */
final class FactRecorder
    implements Consumer<Fact>,
        MessageInterceptor,
        SimDataflow.Listener,
        SimDriver.Listener,
        SimTaskHost.Listener,
        SimZooKeeper.Listener {
  private final SimWiring wiring;
  private Consumer<Fact> observer = fact -> {};

  FactRecorder(SimWiring wiring) {
    this.wiring = wiring;
  }

  void observer(Consumer<Fact> observer) {
    this.observer = observer;
  }

  @Override
  public void accept(Fact fact) {
    observer.accept(fact);
  }

  @Override
  public void requested(WorkerSpec spec) {
    accept(new Fact.WorkerRequested(spec));
  }

  @Override
  public void released(String worker) {
    accept(new Fact.WorkerReleased(worker));
  }

  @Override
  public void endReported(SimProcess jobManager, String worker) {
    accept(new Fact.WorkerEndReported(jobManager, worker));
  }

  @Override
  public void startFailureReported(SimProcess jobManager) {
    accept(new Fact.StartFailureReported(jobManager));
  }

  @Override
  public void drainingReported(SimProcess jobManager, String worker, Duration within) {
    accept(new Fact.DrainingReported(jobManager, worker, within));
  }

  @Override
  public void removed(SimProcess by, SimProcess owner, boolean refused) {
    accept(new Fact.ContenderRemoved(by, owner, refused));
  }

  @Override
  public void timedOut(SimProcess process) {
    accept(new Fact.SessionTimedOut(process));
  }

  @Override
  public void takenOver(SimProcess by) {
    accept(new Fact.StoreTakenOver(by));
  }

  @Override
  public void changed(SimProcess by) {
    accept(new Fact.NodesChanged(by));
  }

  @Override
  public void started(SimDataflowTask task) {
    accept(new Fact.StateRestored(task));
  }

  @Override
  public void unreadable(SimDataflowTask task, String cause) {
    accept(new Fact.StateUnreadable(task, cause));
  }

  @Override
  public void committed(
      SimDataflowTask task,
      SimTaskState.Shard shard,
      SimTaskState.Committable committable,
      long under) {
    accept(new Fact.Committed(task, shard.number(), committable, under));
  }

  @Override
  public void deployed(SimTaskHost host, SimTaskHost.Task task) {
    accept(new Fact.TaskDeployed(host, task));
  }

  @Override
  public void ended(SimTaskHost host, SimTaskHost.Task task, TaskState state) {
    accept(new Fact.TaskEnded(host, task, state));
  }

  @Override
  public List<Envelope> sends(String from, String to, Envelope envelope) {
    if (envelope instanceof Envelope.Call call) {
      accept(new Fact.Sent(from, to, call));
    }
    return wiring.sends(from, to, envelope);
  }

  @Override
  public void called(String from, SimProcess to, Envelope.Call call) {
    accept(new Fact.Called(from, to, call));
  }

  @Override
  public void answers(SimProcess by, String to, Envelope.Call call, Envelope answer) {
    accept(new Fact.Answered(by, to, call, answer));
  }

  @Override
  public void heard(SimProcess at, String from, Envelope.Call call, Envelope answer) {
    accept(new Fact.Heard(at, from, call, answer));
  }

  @Override
  public void lost(SimProcess at, String peer) {
    accept(new Fact.ConnectionLost(at, peer));
  }
}
