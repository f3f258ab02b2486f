package io.millrace.protocol.rest;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.OrderedCopies;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Why a job is in its state, in a short form. Times are milliseconds since the epoch, -1 if
 * unknown; sentences contain no times of day, because the viewer renders them in its own time zone.
 *
 * @param since when the job entered this state
 * @param summary one sentence
 * @param unmet requirements that the job waits for, one per slot size
 * @param places where its slots are, or its tasks were; the first ones if there are many
 * @param causes the causal chain of a failure, oldest first
 * @param notes further sentences
 */
public record Explanation(
    JobId job,
    String name,
    JobStatus status,
    long since,
    String summary,
    List<Unmet> unmet,
    List<Place> places,
    List<Said> causes,
    List<String> notes) {

  public Explanation {
    Objects.requireNonNull(job);
    Objects.requireNonNull(name);
    Objects.requireNonNull(status);
    Objects.requireNonNull(summary);
    unmet = OrderedCopies.list(unmet);
    places = OrderedCopies.list(places);
    causes = OrderedCopies.list(causes);
    notes = OrderedCopies.list(notes);
  }

  /** This explanation with more notes. */
  public Explanation withNotes(List<String> more) {
    List<String> all = new ArrayList<>(notes);
    all.addAll(more);
    return new Explanation(job, name, status, since, summary, unmet, places, causes, all);
  }

  /**
   * A requirement that is not met.
   *
   * @param profile the size of the slots
   * @param asked the requests and answers so far, oldest first
   * @param answer why it is not met now
   * @param answeredAt the time of that answer
   * @param fixes what would help
   */
  public record Unmet(
      String profile,
      int required,
      int missing,
      List<Said> asked,
      String answer,
      long answeredAt,
      List<String> fixes) {
    public Unmet {
      Objects.requireNonNull(profile);
      asked = OrderedCopies.list(asked);
      Objects.requireNonNull(answer);
      fixes = OrderedCopies.list(fixes);
    }
  }

  /**
   * An event.
   *
   * @param who the component that reported it
   */
  public record Said(long time, String who, String sentence) {
    public Said {
      Objects.requireNonNull(who);
      Objects.requireNonNull(sentence);
    }
  }

  /**
   * A worker of the job.
   *
   * @param slots the number of slots that the job has there now
   * @param tasks the number of tasks of the job that run there, or ran there at the end
   * @param grantedAt when the worker granted the latest of them, or offered those it had kept
   * @param tookMillis how long granting them took, -1 if unknown
   */
  public record Place(
      WorkerId worker, int slots, int tasks, long grantedAt, long tookMillis, String sentence) {
    public Place {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(sentence);
    }
  }
}
