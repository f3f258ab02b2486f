package io.millrace.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
  void rejectsNegativeResources(double cpu, long heap, long offHeap, long managed, long network) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ResourceProfile(cpu, heap, offHeap, managed, network));
  }

  @Test
  void fitsEqualAndSmallerNeeds() {
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
  void doesNotFitNeedsThatAreLargerInOneResource(
      double cpu, long heap, long offHeap, long managed, long network) {
    assertThat(SLOT.fits(new ResourceProfile(cpu, heap, offHeap, managed, network))).isFalse();
  }

  @Test
  void sumOfPartsDoesNotExceedTheTotal() {
    ResourceProfile whole = new ResourceProfile(4, 100, 101, 102, 2);
    ResourceProfile part = whole.dividedBy(3);
    assertThat(part).isEqualTo(new ResourceProfile(1.333333, 33, 33, 34, 0));
    assertThat(whole.fits(part.times(3))).isTrue();
    assertThat(whole.dividedBy(1)).isEqualTo(whole);
  }

  @Test
  void sumsOfFractionsOfACoreAreExact() {
    ResourceProfile whole = new ResourceProfile(0.7, 0, 0, 0, 0);
    ResourceProfile left = whole;
    for (int i = 0; i < 7; i++) {
      left = left.minus(new ResourceProfile(0.1, 0, 0, 0, 0));
    }
    assertThat(left).isEqualTo(ResourceProfile.UNSPECIFIED);
    assertThat(new ResourceProfile(0.1, 0, 0, 0, 0).plus(new ResourceProfile(0.2, 0, 0, 0, 0)))
        .isEqualTo(new ResourceProfile(0.3, 0, 0, 0, 0));
  }

  @Test
  void minusAndPlusOfTheSameProfileCancelOut() {
    ResourceProfile whole = new ResourceProfile(4, 100, 101, 102, 103, Map.of("gpu", 3L));
    ResourceProfile part = new ResourceProfile(1.5, 10, 11, 12, 13, Map.of("gpu", 1L));
    assertThat(whole.minus(part))
        .isEqualTo(new ResourceProfile(2.5, 90, 90, 90, 90, Map.of("gpu", 2L)));
    assertThat(whole.minus(part).plus(part)).isEqualTo(whole);
  }

  @Test
  void differenceHasAMinimumOfZeroPerResource() {
    ResourceProfile small = new ResourceProfile(1, 10, 0, 0, 0, Map.of("gpu", 1L));
    ResourceProfile other = new ResourceProfile(2, 5, 1, 1, 1, Map.of("gpu", 2L, "fpga", 1L));
    assertThat(small.minus(other)).isEqualTo(new ResourceProfile(0, 5, 0, 0, 0));
  }

  @Test
  void countsExternalResourcesByName() {
    ResourceProfile one = new ResourceProfile(0, 0, 0, 0, 0, Map.of("gpu", 1L, "fpga", 2L));
    assertThat(one.external().keySet()).containsExactly("fpga", "gpu");
    assertThat(one.fits(new ResourceProfile(0, 0, 0, 0, 0, Map.of("gpu", 1L)))).isTrue();
    assertThat(one.fits(new ResourceProfile(0, 0, 0, 0, 0, Map.of("gpu", 2L)))).isFalse();
    assertThat(one.fits(new ResourceProfile(0, 0, 0, 0, 0, Map.of("tpu", 1L)))).isFalse();
    assertThat(new ResourceProfile(1, 0, 0, 0, 0, Map.of("gpu", 0L)))
        .isEqualTo(new ResourceProfile(1, 0, 0, 0, 0));
    assertThat(one.times(2).dividedBy(2)).isEqualTo(one);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new ResourceProfile(0, 0, 0, 0, 0, Map.of("gpu", -1L)));
  }

  @Test
  void computesHowManyTimesAPartFits() {
    ResourceProfile whole = new ResourceProfile(1, 300, 0, 0, 0, Map.of("gpu", 2L));
    assertThat(whole.holds(new ResourceProfile(0.3, 0, 0, 0, 0))).isEqualTo(3);
    assertThat(whole.holds(new ResourceProfile(0.1, 299, 0, 0, 0))).isEqualTo(1);
    assertThat(whole.holds(new ResourceProfile(0.1, 0, 0, 0, 0, Map.of("gpu", 1L)))).isEqualTo(2);
    assertThat(whole.holds(new ResourceProfile(0, 0, 1, 0, 0))).isZero();
    assertThat(whole.holds(ResourceProfile.UNSPECIFIED)).isEqualTo(Integer.MAX_VALUE);
  }

  @Test
  void shareIsTheLargestOfAllResources() {
    ResourceProfile whole = new ResourceProfile(4, 100, 0, 0, 0);
    assertThat(whole.share(new ResourceProfile(1, 50, 0, 0, 0))).isEqualTo(0.5);
    assertThat(whole.share(ResourceProfile.UNSPECIFIED)).isZero();
    assertThat(whole.share(new ResourceProfile(0, 0, 7, 0, 0))).isEqualTo(1);
  }

  @Test
  void profileThatFitsIntoAnotherIsOrderedBeforeIt() {
    ResourceProfile plain = new ResourceProfile(1, 1, 1, 1, 1);
    ResourceProfile gpu = new ResourceProfile(1, 1, 1, 1, 1, Map.of("gpu", 1L));
    ResourceProfile gpus = new ResourceProfile(1, 1, 1, 1, 1, Map.of("gpu", 2L));
    ResourceProfile both = new ResourceProfile(1, 1, 1, 1, 1, Map.of("fpga", 1L, "gpu", 2L));
    assertThat(List.of(both, gpus, plain, gpu).stream().sorted())
        .containsExactly(plain, gpu, gpus, both);
  }

  @Test
  void toStringListsTheResourcesWithUnits() {
    assertThat(ResourceProfile.UNSPECIFIED).hasToString("any");
    assertThat(new ResourceProfile(0.5, 100 << 20, 1 << 20, 0, 0, Map.of("gpu", 2L)))
        .hasToString("0.5 cpu, 100 mb heap, 1 mb off-heap, 2 gpu");
  }
}
