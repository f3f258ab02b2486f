package io.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.journal.JournalEvent;
import io.millrace.protocol.journal.ResourceManagerEvent.ResourceManagerStarted;
import io.millrace.protocol.reason.CheckpointReason.CheckpointExpired;
import io.millrace.protocol.reason.CheckpointReason.NoReadableCheckpoint;
import io.millrace.protocol.reason.CheckpointReason.StateDoesNotFit;
import io.millrace.protocol.reason.ConfigurationReason;
import io.millrace.protocol.reason.DriverReason;
import io.millrace.protocol.reason.ErrorReason;
import io.millrace.protocol.reason.JobReason.JobFailure;
import io.millrace.protocol.reason.JobReason.RestartRefused;
import io.millrace.protocol.reason.Reason;
import io.millrace.protocol.reason.SlotReason.SlotShortage;
import io.millrace.protocol.text.JournalText;
import io.millrace.protocol.text.ReasonText;
import io.millrace.task.checkpoint.StateAssignment.Misfit;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Rules that all sentences for people keep, whatever their numbers are: sentences of other tests
 * have the numbers that somebody thought of.
 */
class SentencePropertiesTest {
  private static final int SEEDS = 60;

  /** What a sentence must not have, with an example of how it gets there. */
  private static final Map<String, Pattern> FAULTS = faults();

  private static Map<String, Pattern> faults() {
    Map<String, Pattern> faults = new LinkedHashMap<>();
    faults.put("a null", Pattern.compile("\\bnull\\b"));
    faults.put("an Optional", Pattern.compile("Optional"));
    faults.put("a record", Pattern.compile("[A-Z]\\w+\\[\\w+="));
    faults.put("an object", Pattern.compile("[\\w.$]+@[0-9a-f]{5,}"));
    faults.put("a class", Pattern.compile("io\\.millrace\\."));
    faults.put("a list", Pattern.compile("\\[(text|\\]|.*, )"));
    faults.put("a duration for machines", Pattern.compile("\\bPT[0-9]"));
    faults.put("two blanks", Pattern.compile("  "));
    faults.put("a blank before a stop", Pattern.compile(" [.,;:)]"));
    faults.put("two stops", Pattern.compile("(?<!\\.)\\.\\.(?!\\.)|[:,;]\\."));
    faults.put("nothing between quotes", Pattern.compile("''|\\(\\)"));
    String things =
        "slot|task|worker|TaskManager|restart|checkpoint|core|record|partition|operator|other|job"
            + "|time|resource|data set|request";
    String which = "(?:(?:more|free|offered|other|consecutive|missing|requested) )?";
    faults.put(
        "a plural of one",
        Pattern.compile("(?<![-.#/\\d])\\b1 " + which + "(?:" + things + ")s\\b"));
    faults.put(
        "a singular of many",
        Pattern.compile("(?<![-.#/\\d])\\b(?:0|[2-9]|\\d\\d+) " + which + "(?:" + things + ")\\b"));
    faults.put("a verb of one for many", Pattern.compile("\\b[2-9] [a-zA-Z]+s (?:is|has|was)\\b"));
    faults.put("a verb of many for one", Pattern.compile("\\b1 [a-zA-Z]+ (?:are|have|were)\\b"));
    return faults;
  }

  /**
   * @param foreign whether a message or a name of the user begins the sentence
   */
  private static void check(String sentence, boolean foreign, Object of, long seed) {
    assertThat(sentence).as("seed %d: %s", seed, of).isNotBlank().isEqualTo(sentence.strip());
    if (!hasAForeignEnd(of)) {
      assertThat(sentence).as("seed %d: %s", seed, of).matches("(?s).*[.!?…]");
    }
    if (!foreign) {
      assertThat(sentence.substring(0, 1))
          .as("seed %d: begins '%s'", seed, sentence)
          .matches("[A-Z0-9']");
    }
    FAULTS.forEach(
        (fault, pattern) -> {
          Matcher found = pattern.matcher(sentence);
          assertThat(found.find())
              .as("seed %d: '%s' has %s: %s", seed, sentence, fault, of)
              .isFalse();
        });
  }

  /** A value and everything that it consists of. */
  private static Stream<Object> withParts(Object value) {
    Stream<?> parts = Stream.empty();
    if (value instanceof Record record) {
      parts =
          Arrays.stream(record.getClass().getRecordComponents())
              .map(component -> RecordGenerator.read(component, record));
    } else if (value instanceof Collection<?> all) {
      parts = all.stream();
    } else if (value instanceof Optional<?> optional) {
      parts = optional.stream();
    }
    return Stream.concat(Stream.of(value), parts.flatMap(SentencePropertiesTest::withParts));
  }

  /** The failure of a job is told in the words of its exception, without an addition. */
  private static boolean hasAForeignEnd(Object value) {
    return withParts(value).anyMatch(JobFailure.class::isInstance);
  }

  /** Whether a component can create this value; some lists are never empty. */
  private static boolean isPossible(Object value) {
    return withParts(value)
        .noneMatch(
            part ->
                part instanceof ResourceManagerStarted started && started.services().isEmpty()
                    || part instanceof CheckpointExpired expired && expired.missing().isEmpty()
                    || part instanceof SlotShortage shortage && shortage.outlook().isEmpty()
                    || part instanceof NoReadableCheckpoint none && none.errors().isEmpty()
                    || part instanceof StateDoesNotFit unfit && unfit.misfits().isEmpty());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1 slots are free.",
        "It needs 2 slot.",
        "Waits for PT5S.",
        "The job null ended.",
        "Two  blanks.",
        "It has 3 slots is free.",
        "1 worker are lost.",
        "The end..",
        "ErrorReason[message=x] came."
      })
  void rulesFindFaults(String sentence) {
    assertThat(FAULTS.values()).anyMatch(pattern -> pattern.matcher(sentence).find());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1 slot is free, 0 slots are missing.",
        "The job needs 8 slots and has 1.",
        "It takes 1 s (slot.request.timeout).",
        "Waits for more...",
        "Task map (1/2) failed 2 times."
      })
  void rulesPassGoodSentences(String sentence) {
    check(sentence, false, "", 0);
  }

  static Stream<Class<? extends Record>> reasons() {
    return RecordGenerator.leaves(Reason.class);
  }

  @ParameterizedTest
  @MethodSource("reasons")
  @Behaviour("D11: reasons are whole sentences with numbers, ids and names of options")
  void reasonsAreSentencesForAllNumbers(Class<? extends Record> type) {
    for (int seed = 0; seed < SEEDS; seed++) {
      Record drawn = RecordGenerator.plain(seed).record(type);
      Reason reason = (Reason) drawn;
      boolean foreign =
          reason instanceof ErrorReason
              || reason instanceof DriverReason
              || reason instanceof ConfigurationReason
              || reason instanceof JobFailure
              || reason instanceof RestartRefused;
      if (isPossible(drawn)) {
        check(ReasonText.of(reason), foreign, reason, seed);
      }
    }
  }

  static Stream<Class<? extends Record>> events() {
    return RecordGenerator.leaves(JournalEvent.class);
  }

  @ParameterizedTest
  @MethodSource("events")
  void eventsAreSentencesForAllNumbers(Class<? extends Record> type) {
    for (int seed = 0; seed < SEEDS; seed++) {
      Record drawn = RecordGenerator.plain(seed).record(type);
      JournalEvent event = (JournalEvent) drawn;
      if (isPossible(drawn)) {
        check(JournalText.of(event), true, event, seed);
      }
      assertThat(JournalText.title(event)).matches("[a-z]+( [a-z]+)*|job [A-Z]+");
    }
  }

  static Stream<Class<? extends Record>> misfits() {
    return RecordGenerator.leaves(Misfit.class);
  }

  /** Each says how to start the job all the same. */
  @ParameterizedTest
  @MethodSource("misfits")
  void misfitsOfStateNameWhatHelps(Class<? extends Record> type) {
    Misfit misfit = (Misfit) RecordGenerator.filled().record(type);
    String sentence = ReasonText.of(new StateDoesNotFit("/savepoint", List.of(misfit)));

    check(sentence, false, misfit, 0);
    assertThat(sentence)
        .startsWith("The job cannot start with the state of '/savepoint'. ")
        .containsPattern("uid|maxParallelism\\(|-n \\(");
  }
}
