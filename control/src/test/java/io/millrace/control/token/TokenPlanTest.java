package io.millrace.control.token;

import static io.millrace.control.Reasons.words;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.control.token.TokenAction.Note;
import io.millrace.control.token.TokenAction.Obtain;
import io.millrace.control.token.TokenAction.Send;
import io.millrace.control.token.TokenEvent.Failed;
import io.millrace.control.token.TokenEvent.NotNeeded;
import io.millrace.control.token.TokenEvent.NotTaken;
import io.millrace.control.token.TokenEvent.Obtained;
import io.millrace.control.token.TokenEvent.Taken;
import io.millrace.control.token.TokenEvent.Tick;
import io.millrace.control.token.TokenEvent.WorkerJoined;
import io.millrace.control.token.TokenEvent.WorkerLeft;
import io.millrace.core.Bytes;
import io.millrace.core.id.Id128;
import io.millrace.core.id.InstanceId;
import io.millrace.core.id.WorkerId;
import io.millrace.core.testing.Behaviour;
import io.millrace.protocol.IssuedToken;
import io.millrace.protocol.text.JournalText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TokenPlanTest {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration DAY = Duration.ofDays(1);
  private static final WorkerId ONE = new WorkerId("one");
  private static final WorkerId TWO = new WorkerId("two");
  private static final InstanceId INSTANCE = new InstanceId(new Id128(0, 1));

  private final TokenPlan plan = new TokenPlan(new TokenSettings(0.75, HOUR), List.of("a", "b"));
  private final List<TokenAction> actions = new ArrayList<>();
  private Duration now = Duration.ofSeconds(-5);

  @Test
  @Behaviour("B5: each token is renewed after the configured part of its life")
  void renewsEachTokenAfterItsPartOfItsLife() {
    obtained("a", 1, DAY);
    obtained("b", 1, HOUR);
    assertThat(after(Duration.ofMinutes(45).minusNanos(1))).isEmpty();
    assertThat(after(Duration.ofNanos(1))).containsExactly(new Obtain("b"));
    assertThat(plan.nextWake().getAsLong())
        .as("the end of b, about which something may have to be said")
        .isEqualTo(now.plusMinutes(15).toNanos());
    obtained("b", 2, DAY.multipliedBy(2));
    assertThat(after(Duration.ofHours(17))).isEmpty();
    assertThat(after(Duration.ofMinutes(15))).containsExactly(new Obtain("a"));
  }

  @Test
  void tokenThatLastsIsNeverRenewed() {
    apply(new Obtained("a", content(1), Optional.empty()));
    apply(new NotNeeded("b"));
    assertThat(plan.nextWake()).isEmpty();
    assertThat(plan.current()).containsExactly(token("a", 1));
  }

  @Test
  void shortLifeDoesNotKeepTheProviderBusy() {
    obtained("a", 1, Duration.ofMillis(1100));
    assertThat(after(Duration.ofMillis(999))).isEmpty();
    assertThat(after(Duration.ofMillis(1))).containsExactly(new Obtain("a"));
  }

  @Test
  void lifeBeyondAllMeasureIsFine() {
    obtained("a", 1, Duration.ofSeconds(Long.MAX_VALUE));
    assertThat(after(DAY.multipliedBy(1000))).isEmpty();
  }

  @Test
  @Behaviour(
      "B5: a failed renewal is reported and retried after the back-off, earlier if the token"
          + " expires before")
  void failedRenewalIsTriedAgainAfterTheBackoff() {
    obtained("a", 1, DAY);
    assertThat(after(Duration.ofHours(18))).containsExactly(new Obtain("a"));
    failed("a");
    assertThat(lastNote())
        .contains("'a'", "once in a row", "it is closed", "The next try is in 60 min");
    assertThat(plan.current()).containsExactly(token("a", 1));
    assertThat(after(HOUR.minusNanos(1))).isEmpty();
    assertThat(after(Duration.ofNanos(1))).containsExactly(new Obtain("a"));
    failed("a");
    assertThat(lastNote()).contains("2 times in a row");
    after(HOUR);
    obtained("a", 2, DAY);
    after(Duration.ofHours(18));
    failed("a");
    assertThat(lastNote()).contains("once in a row");
  }

  @Test
  @Behaviour(
      "B5: a failed renewal is reported and retried after the back-off, earlier if the token"
          + " expires before")
  @Behaviour(
      "B5: a failed renewal is retried within the life of the token, also of a short-lived one")
  void failedRenewalIsTriedSoonerWhereTheTokenEndsBefore() {
    obtained("a", 1, HOUR);
    assertThat(after(Duration.ofMinutes(45))).containsExactly(new Obtain("a"));
    failed("a");
    assertThat(after(Duration.ofSeconds(450))).containsExactly(new Obtain("a"));
    after(Duration.ofSeconds(400));
    failed("a");
    assertThat(lastNote()).contains("The next try is in 1 min");
  }

  @Test
  @Behaviour(
      "B5: a failed renewal is retried within the life of the token, also of a short-lived one")
  void failedRenewalOfAShortLivedTokenIsTriedAgainWithinItsLife() {
    obtained("a", 1, Duration.ofSeconds(20));
    assertThat(after(Duration.ofSeconds(15))).containsExactly(new Obtain("a"));
    failed("a");
    assertThat(after(Duration.ofSeconds(5).minusNanos(1))).isEmpty();
    assertThat(after(Duration.ofNanos(1))).contains(new Obtain("a"));
  }

  @Test
  @Behaviour(
      "B5: a failed renewal is reported and retried after the back-off, earlier if the token"
          + " expires before")
  void tokenThatEndsBeforeAnotherHasComeIsTold() {
    obtained("a", 1, HOUR);
    after(Duration.ofMinutes(45));
    assertThat(notes(after(Duration.ofMinutes(15)))).containsExactly("token expired");
    assertThat(after(HOUR)).isEmpty();
    failed("a");
    assertThat(after(Duration.ofMinutes(1))).containsExactly(new Obtain("a"));
    obtained("a", 2, HOUR);
    assertThat(notes(after(HOUR))).containsExactly("token expired");
  }

  @Test
  void renewedTokenGoesToEveryWorkerAndOnlyThatOne() {
    obtained("a", 1, HOUR);
    obtained("b", 1, DAY);
    apply(new WorkerJoined(ONE, INSTANCE));
    apply(new WorkerJoined(TWO, INSTANCE));
    assertThat(sends()).isEmpty();
    after(Duration.ofMinutes(45));
    obtained("a", 2, HOUR);
    assertThat(sends())
        .containsExactly(
            new Send(ONE, INSTANCE, 3, List.of(token("a", 2))),
            new Send(TWO, INSTANCE, 3, List.of(token("a", 2))));
    assertThat(plan.current()).containsExactly(token("a", 2), token("b", 1));
  }

  @Test
  void oneMessageAfterTheOtherGoesToAWorker() {
    obtained("a", 1, HOUR);
    apply(new WorkerJoined(ONE, INSTANCE));
    obtained("a", 2, HOUR);
    assertThat(sends()).hasSize(1);
    obtained("a", 3, HOUR);
    obtained("b", 1, HOUR);
    assertThat(sends()).isEmpty();
    apply(new Taken(ONE, INSTANCE, 2));
    assertThat(sends())
        .containsExactly(new Send(ONE, INSTANCE, 4, List.of(token("a", 3), token("b", 1))));
    apply(new Taken(ONE, INSTANCE, 4));
    assertThat(sends()).isEmpty();
  }

  @Test
  @Behaviour(
      "B5: renewed tokens go to all registered TaskManagers and the JobManager process; a failed"
          + " delivery is repeated")
  void whatAWorkerDidNotTakeIsSentAgain() {
    obtained("a", 1, HOUR);
    apply(new WorkerJoined(ONE, INSTANCE));
    obtained("a", 2, HOUR);
    sends();
    apply(new NotTaken(ONE, INSTANCE, words("it was deaf")));
    assertThat(lastNote()).contains("Worker one", "it was deaf", "in 10 s");
    obtained("a", 3, HOUR);
    assertThat(sends()).as("not before its time").isEmpty();
    assertThat(after(Duration.ofSeconds(10)))
        .containsExactly(new Send(ONE, INSTANCE, 3, List.of(token("a", 3))));
    apply(new Taken(ONE, INSTANCE, 3));
    assertThat(after(Duration.ofMinutes(10))).isEmpty();
  }

  @Test
  void workerThatIsGoneGetsNothing() {
    obtained("a", 1, HOUR);
    apply(new WorkerJoined(ONE, INSTANCE));
    obtained("a", 2, HOUR);
    sends();
    apply(new NotTaken(ONE, INSTANCE, words("it was deaf")));
    apply(new WorkerLeft(ONE, INSTANCE));
    assertThat(after(Duration.ofSeconds(10))).isEmpty();
    obtained("a", 3, HOUR);
    assertThat(sends()).isEmpty();
  }

  @Test
  void newsOfAnEarlierRegistrationAreIgnored() {
    InstanceId later = new InstanceId(new Id128(0, 2));
    obtained("a", 1, HOUR);
    apply(new WorkerJoined(ONE, INSTANCE));
    apply(new WorkerJoined(ONE, later));
    apply(new WorkerLeft(ONE, INSTANCE));
    obtained("a", 2, HOUR);
    assertThat(sends()).containsExactly(new Send(ONE, later, 2, List.of(token("a", 2))));
    apply(new NotTaken(ONE, INSTANCE, words("it was deaf")));
    obtained("a", 3, HOUR);
    assertThat(sends()).as("the message to the later one is under way").isEmpty();
  }

  @Test
  @Behaviour("B5: the content of a token appears in no log, journal or text of a message")
  void contentShowsInNothingThatIsKept() {
    obtained("a", 1, HOUR);
    apply(new WorkerJoined(ONE, INSTANCE));
    obtained("a", 2, HOUR);
    assertThat(actions).isNotEmpty().noneMatch(action -> action.toString().contains("content"));
    assertThat(new Obtained("a", content(1), Optional.empty()).toString())
        .doesNotContain("content-1");
  }

  private void obtained(String service, int number, Duration life) {
    apply(new Obtained(service, content(number), Optional.of(life)));
  }

  private void failed(String service) {
    apply(new Failed(service, words("it is closed.")));
  }

  private List<TokenAction> apply(TokenEvent event) {
    List<TokenAction> now = plan.apply(event, this.now.toNanos());
    actions.addAll(now);
    return now;
  }

  private List<TokenAction> after(Duration time) {
    now = now.plus(time);
    return apply(new Tick());
  }

  /** What was to be sent since this was asked last. */
  private List<Send> sends() {
    List<Send> sends =
        actions.stream().filter(Send.class::isInstance).map(Send.class::cast).toList();
    actions.clear();
    return sends;
  }

  private static List<String> notes(List<TokenAction> actions) {
    return actions.stream()
        .filter(Note.class::isInstance)
        .map(action -> JournalText.title(((Note) action).event()))
        .toList();
  }

  private String lastNote() {
    return JournalText.of(((Note) actions.get(actions.size() - 1)).event());
  }

  private static Bytes content(int number) {
    return Bytes.utf8("content-" + number);
  }

  private static IssuedToken token(String service, int number) {
    return new IssuedToken(service, content(number));
  }
}
