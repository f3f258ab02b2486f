package io.millrace.rest.explain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.millrace.api.JobStatus;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.Timeline.Step;
import io.millrace.rpc.journal.Event;
import java.util.List;
import org.junit.jupiter.api.Test;

class TimelineTest {
  private final Scene scene = new Scene();

  private static Step step(List<Step> steps, String name) {
    return steps.stream().filter(step -> step.step().equals(name)).findFirst().orElseThrow();
  }

  @Test
  @Behaviour("I2: timeline shows the life of a job from client to end")
  void showsTheLifeOfAJobFromClientToEnd() {
    List<Step> steps =
        scene
            .started(4)
            .at(50)
            .slotsOf("w1", 4)
            .complete(4)
            .deployed(8)
            .append(Event.of("client", "job sent", "sent").forJob(Scene.JOB).taking(200))
            .at(500)
            .event("jobmaster", "job FINISHED", "all tasks have ended")
            .at(510)
            .event("dispatcher", "job archived", "Ended as FINISHED")
            .is(JobStatus.FINISHED)
            .story()
            .timeline()
            .steps();

    assertThat(steps)
        .extracting(
            Step::step,
            Step::process,
            step -> step.start() - Scene.BEGAN,
            step -> step.end() - step.start(),
            Step::count)
        .containsExactly(
            tuple("Submit", "client", -100L, 200L, 0),
            tuple("Store and accept", "jobmanager", 0L, 10L, 0),
            tuple("Start JobMaster", "jobmanager", 10L, 10L, 0),
            tuple("Register at ResourceManager", "jobmanager", 20L, 10L, 0),
            tuple("Wait for slots", "jobmanager", 20L, 50L, 4),
            tuple("Declare slots", "jobmanager", 40L, 0L, 4),
            tuple("Grant slots", "w1", 50L, 10L, 4),
            tuple("Register at JobMaster", "w1", 50L, 15L, 1),
            tuple("Offer and accept slots", "w1", 65L, 5L, 4),
            tuple("Deploy tasks", "jobmanager", 70L, 5L, 8),
            tuple("First task running", "w1", 70L, 20L, 0),
            tuple("All tasks running", "w1", 70L, 30L, 8),
            tuple("Run", "w1", 100L, 400L, 8),
            tuple("FINISHED", "jobmanager", 500L, 0L, 0),
            tuple("Store result", "jobmanager", 500L, 10L, 0));
  }

  @Test
  void showsWorkersThatCameForTheJobAndNoOthers() {
    List<Step> steps =
        scene
            .worker("worker registered", "At x.", "before")
            .started(2)
            .at(50)
            .worker("workers requested", "1 worker asked of the driver.", "")
            .at(60)
            .worker("worker started", "started", "w1")
            .worker("worker started", "started", "of another job")
            .at(80)
            .worker("worker registered", "At x.", "w1")
            .worker("worker registered", "At x.", "of another job")
            .at(85)
            .worker("slots reported", "2 slots.", "w1")
            .slotsOf("w1", 2)
            .complete(2)
            .at(1000)
            .worker("worker registered", "At x.", "w1")
            .story()
            .timeline()
            .steps();

    assertThat(step(steps, "Request workers").process()).isEqualTo("jobmanager");
    assertThat(step(steps, "Start workers"))
        .returns("w1", Step::process)
        .returns(Scene.BEGAN + 50, Step::start)
        .returns(Scene.BEGAN + 60, Step::end);
    assertThat(step(steps, "Register workers"))
        .returns("w1", Step::process)
        .returns(Scene.BEGAN + 80, Step::end);
    assertThat(step(steps, "Report slots").end()).isEqualTo(Scene.BEGAN + 85);
  }

  @Test
  @Behaviour("I2: explanations and timelines say where their history begins")
  void saysWhereItsHistoryBegins() {
    String sentence =
        "The history of the job begins at 1970-01-01T00:16:40Z, when its JobManager was started"
            + " anew; what was before is not known.";
    JobSnapshot recovered = scene.event("dispatcher", "job recovered", "Found").started(2).story();
    assertThat(recovered.timeline().notes()).containsExactly(sentence);
    assertThat(recovered.explain().notes()).contains(sentence);

    JobSnapshot whole = new Scene().event("dispatcher", "job submitted", "Stored").story();
    assertThat(whole.timeline().notes()).isEmpty();
    assertThat(whole.explain().notes()).noneMatch(note -> note.contains("history"));

    JobSnapshot nothing = new Scene().is(JobStatus.FINISHED).story();
    assertThat(nothing.timeline().notes())
        .containsExactly("The history of the job is not known any more.");
  }

  @Test
  void leavesOpenWhatStillGoesOn() {
    List<Step> steps = scene.started(4).at(50).slotsOf("w1", 2).at(5000).story().timeline().steps();
    assertThat(step(steps, "Wait for slots").isOpen()).isTrue();
    assertThat(step(steps, "Grant slots").isOpen()).isFalse();
    assertThat(steps).noneMatch(step -> step.step().equals("Deploy tasks"));
  }

  @Test
  void tellsSlotsApartThatCameLater() {
    List<Step> steps =
        scene
            .started(4)
            .at(50)
            .slotsOf("w1", 2)
            .at(5000)
            .slotsOf("w2", 2)
            .story()
            .timeline()
            .steps();
    assertThat(steps)
        .filteredOn(step -> step.step().equals("Grant slots"))
        .extracting(Step::process, step -> step.end() - step.start())
        .containsExactly(tuple("w1", 10L), tuple("w2", 10L));
  }

  @Test
  void restartsAreFurtherRounds() {
    List<Step> steps =
        scene
            .started(2)
            .at(50)
            .slotsOf("w1", 2)
            .complete(2)
            .deployed(2)
            .at(900)
            // The ResourceManager hears of the loss first.
            .slotsOf("w2", 2)
            .at(990)
            .append(
                Event.of("jobmaster", "worker lost", "TaskManager w1 is lost")
                    .forJob(Scene.JOB)
                    .onWorker(new WorkerId("w1")))
            .at(1000)
            .event("jobmaster", "failure", "w1 is lost")
            .event("jobmaster", "restart", "Restart 1 of 1 region in 10 ms", 1)
            .at(1010)
            .event("jobmaster", "job RUNNING", "restarted")
            .deployed(2)
            .story()
            .timeline()
            .steps();

    assertThat(steps)
        .filteredOn(step -> step.round() == 1)
        .extracting(Step::step)
        .containsExactly(
            "Grant slots",
            "Register at JobMaster",
            "Offer and accept slots",
            "Restart 1",
            "Deploy tasks",
            "First task running",
            "All tasks running",
            "Run");
    assertThat(step(steps, "Run").end()).isEqualTo(Scene.BEGAN + 1000);
    assertThat(step(steps, "Restart 1").end()).isEqualTo(Scene.BEGAN + 1010);
  }

  @Test
  void showsSlotsThatWorkersKeptForARecoveredJob() {
    List<Step> steps =
        scene
            .started(4)
            .at(50)
            .event("jobmaster", "worker registered", "Worker has slots", "w1", 1)
            .at(60)
            .event("jobmaster", "slots accepted", "accepted", "w1", 2)
            .at(70)
            .slotsOf("w2", 2)
            .complete(4)
            .story()
            .timeline()
            .steps();
    assertThat(steps)
        .filteredOn(step -> step.step().contains("slots") && !step.process().equals("jobmanager"))
        .extracting(Step::step, Step::process, step -> step.start() - Scene.BEGAN, Step::count)
        .containsExactly(
            tuple("Offer and accept slots", "w1", 50L, 2),
            tuple("Grant slots", "w2", 70L, 2),
            tuple("Offer and accept slots", "w2", 85L, 2));
  }

  @Test
  void tasksThatNeverRanAreNotSaidToRun() {
    List<Step> steps =
        scene
            .started(2)
            .at(50)
            .slotsOf("w1", 2)
            .complete(2)
            .event("jobmaster", "tasks deployed", "2 tasks", 2)
            .at(90)
            .event("jobmaster", "job FAILING", "no memory")
            .at(95)
            .event("jobmaster", "job FAILED", "no memory")
            .is(JobStatus.FAILED)
            .story()
            .timeline()
            .steps();
    assertThat(steps).extracting(Step::step).contains("Deploy tasks", "Fail", "FAILED");
    assertThat(steps).extracting(Step::step).noneMatch(name -> name.contains("running"));
  }

  @Test
  void knowsNothingOfAJobWithoutEvents() {
    assertThat(scene.story().timeline().steps()).isEmpty();
  }
}
