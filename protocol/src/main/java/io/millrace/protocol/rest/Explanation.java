package io.millrace.protocol.rest;

import io.millrace.api.execution.JobStatus;
import io.millrace.core.OrderedCopies;
import io.millrace.core.id.JobId;
import io.millrace.core.id.WorkerId;
import java.util.List;
import java.util.Objects;

/**
 * Why a job is in the state it is in, short enough to be read at a glance. Times are milliseconds
 * since the epoch, -1 for what is not known; sentences hold no times of day, so that whoever shows
 * them does so in the reader's time zone.
 *
 * @param since when it came into this state
 * @param summary one sentence
 * @param unmet requirements that it waits for, one for each size of slot
 * @param places where its slots are, or its tasks were; the first of them where there are many
 * @param causes how one thing led to another where something failed, oldest first
 * @param notes sentences about the rest
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

  /**
   * A requirement that is not met.
   *
   * @param profile the size of the slots
   * @param asked what was asked of whom so far and what was said to that, oldest first
   * @param answer why it is not met, as of now
   * @param answeredAt when that was said
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
   * Something that happened.
   *
   * @param who the component that said it
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
   * @param slots how many slots the job has there now
   * @param tasks how many tasks of the job run there, or ran there at the end
   * @param grantedAt when the worker gave the latest of them, or offered those it had kept
   * @param tookMillis how long it took to give them, -1 where that is not known
   */
  public record Place(
      WorkerId worker, int slots, int tasks, long grantedAt, long tookMillis, String sentence) {
    public Place {
      Objects.requireNonNull(worker);
      Objects.requireNonNull(sentence);
    }
  }
}
