package io.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.millrace.protocol.ResourceManagerGateway.Requirement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResourceProfileTest {
  private static final ResourceProfile SLOT = new ResourceProfile(2, 100, 200, 300, 400);

  @ParameterizedTest
  @CsvSource({
    "-0.1, 0, 0, 0, 0",
    "NaN, 0, 0, 0, 0",
    "0, -1, 0, 0, 0",
    "0, 0, -1, 0, 0",
    "0, 0, 0, -1, 0",
    "0, 0, 0, 0, -1",
  })
  void refusesNegativeParts(double cpu, long heap, long offHeap, long managed, long network) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ResourceProfile(cpu, heap, offHeap, managed, network));
  }

  @Test
  void fitsWhatIsAsLargeOrSmaller() {
    assertThat(SLOT.fits(SLOT)).isTrue();
    assertThat(SLOT.fits(ResourceProfile.UNSPECIFIED)).isTrue();
    assertThat(SLOT.fits(new ResourceProfile(0.5, 100, 199, 0, 400))).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "2.1, 0, 0, 0, 0",
    "0, 101, 0, 0, 0",
    "0, 0, 201, 0, 0",
    "0, 0, 0, 301, 0",
    "0, 0, 0, 0, 401",
  })
  void doesNotFitWhatIsLargerInOnePart(
      double cpu, long heap, long offHeap, long managed, long network) {
    assertThat(SLOT.fits(new ResourceProfile(cpu, heap, offHeap, managed, network))).isFalse();
  }

  @Test
  void partsNeverAddUpToMoreThanTheWhole() {
    ResourceProfile whole = new ResourceProfile(4, 100, 101, 102, 2);
    ResourceProfile part = whole.dividedBy(3);
    assertThat(part).isEqualTo(new ResourceProfile(4.0 / 3, 33, 33, 34, 0));
    assertThat(whole.fits(part.times(3))).isTrue();
    assertThat(whole.dividedBy(1)).isEqualTo(whole);
  }

  @Test
  void saysWhatItIsInWordsForPeople() {
    assertThat(ResourceProfile.UNSPECIFIED).hasToString("any");
    assertThat(new ResourceProfile(0.5, 1 << 20, 1 << 20, 0, 0)).hasToString("0.5 cpu, 2 mb");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
  void requirementIsForAtLeastOneSlot(int slots) {
    assertThatIllegalArgumentException().isThrownBy(() -> new Requirement(SLOT, slots));
  }
}
