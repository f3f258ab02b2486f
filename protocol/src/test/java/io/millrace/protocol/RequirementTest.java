package io.millrace.protocol;

import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.millrace.core.ResourceProfile;
import io.millrace.protocol.ResourceManagerGateway.Requirement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequirementTest {
  @ParameterizedTest
  @ValueSource(ints = {0, -1, Integer.MIN_VALUE})
  void isForAtLeastOneSlot(int slots) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Requirement(ResourceProfile.UNSPECIFIED, slots));
  }
}
