package io.millrace.sim.mutant;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MutantsTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private final MutantCompiler compiler =
      new MutantCompiler(ROOT, System.getProperty("java.class.path"));

  @Test
  void hasMutantsOfAllModules() {
    assertThat(Mutants.all()).hasSizeGreaterThanOrEqualTo(60);
    assertThat(Mutants.all())
        .extracting(Mutant::module)
        .contains("control", "worker", "rpc")
        .doesNotContain("sim");
    assertThat(Mutants.all()).extracting(Mutant::bug).allMatch(bug -> bug.endsWith("."));
  }

  /** Sources change: a mutant that no longer matches must fail the build. */
  @Test
  void eachMutantMatchesItsSourceAndCompiles(@TempDir Path directory) throws IOException {
    int round = 0;
    for (List<Mutant> together : ofDifferentClasses()) {
      Path into = directory.resolve(String.valueOf(round++));
      compiler.compile(together, into);
      for (Mutant mutant : together) {
        assertThat(into.resolve("io/millrace").resolve(mutant.target() + ".class"))
            .describedAs(mutant.name())
            .exists();
      }
    }
  }

  @Test
  void rejectsMissingOrAmbiguousFragment() {
    Mutant gone = new Mutant("gone", "rpc/Rpc", "no such code", "", "Nothing.");
    Mutant twice = new Mutant("twice", "rpc/Rpc", "private final", "", "Nothing.");
    Mutant nowhere = new Mutant("nowhere", "rpc/Nowhere", "x", "", "Nothing.");
    assertThatThrownBy(() -> gone.mutated(ROOT)).hasMessageContaining("gone does not occur in");
    assertThatThrownBy(() -> twice.mutated(ROOT)).hasMessageContaining("occurs more than once");
    assertThatThrownBy(() -> nowhere.mutated(ROOT)).hasMessageContaining("does not exist");
  }

  @Test
  void rejectsMutantThatDoesNotCompile(@TempDir Path directory) {
    Mutant broken =
        new Mutant("broken", "rpc/Acknowledge", "INSTANCE", "INSTANCE +", "Nothing compiles.");
    assertThatThrownBy(() -> compiler.compile(List.of(broken), directory))
        .isInstanceOf(Mutant.Outdated.class)
        .hasMessageContaining("[broken] one does not compile")
        .hasMessageContaining("Acknowledge.java");
  }

  @Test
  void matchesFragmentWithAnyIndentation() throws IOException {
    Mutant mutant =
        new Mutant(
            "m",
            "rpc/registration/RetryingRegistration",
            "ended = true;\n pause.cancel();",
            "pause.cancel();",
            "Goes on.");
    String before = Files.readString(mutant.source(ROOT));
    String after = mutant.mutated(ROOT);
    assertThat(after).contains("pause.cancel();").hasSizeLessThan(before.length());
  }

  @Test
  void reportsErrorsInList() {
    assertThatThrownBy(() -> Mutants.parse("in rpc/Rpc"))
        .hasMessageContaining("No mutant is named before");
    assertThatThrownBy(() -> Mutants.parse("[a]\nbug B.\n- c")).hasMessageContaining("Mutant a");
    assertThatThrownBy(() -> Mutants.parse("[a]\nfile x")).hasMessageContaining("'file x'");
    String one = "[a]\nin rpc/Rpc\nbug B.\n- c\n";
    assertThatThrownBy(() -> Mutants.parse(one + one)).hasMessageContaining("two mutants a");
  }

  private static List<List<Mutant>> ofDifferentClasses() {
    List<List<Mutant>> rounds = new ArrayList<>();
    Map<String, Integer> used = new LinkedHashMap<>();
    for (Mutant mutant : Mutants.all()) {
      int round = used.merge(mutant.target(), 1, Integer::sum) - 1;
      if (round == rounds.size()) {
        rounds.add(new ArrayList<>());
      }
      rounds.get(round).add(mutant);
    }
    return rounds;
  }
}
